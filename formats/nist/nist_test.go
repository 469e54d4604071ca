package nist

import "testing"

// A line that has not the form of its format is refused, and comments belong to the first call.
func TestLines(t *testing.T) {
	for _, bad := range []string{"rec 1 A 0.0 hello", "rec 1 A 0.0 604555013 hello", "rec 1 A x 1.0 hello", "rec"} {
		if _, err := ReadSTM(bad); err == nil {
			t.Errorf("%q is read as STM", bad)
		}
	}
	for _, bad := range []string{"rec 1 0.0 0.2", "rec 1 604555013 0.2 hello", "rec 1 0.0 x hello"} {
		if _, err := ReadCTM(bad); err == nil {
			t.Errorf("%q is read as CTM", bad)
		}
	}
	d, err := ReadCTM(";; by hand\nrec 1 0.0 0.2 hello\nrec 1 0.3 0.2 there 0.9\nrec 1 2.0 0.2 okay\nother 1 2.2 0.2 hi\n")
	if err != nil || len(d.Calls) != 2 || len(d.Calls[0].Turns) != 2 || d.Calls[0].Turns[0].Text != "hello there" {
		t.Fatalf("%v, %d calls", err, len(d.Calls))
	}
	others := d.Calls[0].Others
	if c := others[len(others)-1]; c.Text != "by hand" {
		t.Errorf("the last text is %q", c.Text)
	}
}
