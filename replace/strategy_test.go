package replace

import "testing"

func TestTypedNumbered(t *testing.T) {
	for _, c := range []struct {
		infoType string
		n        int
		want     string
	}{{"PERSON_NAME", 12, "Hi [PERSON_NAME_12]"}, {"SSN", 0, "Hi [SSN]"}} {
		if got := string(TypedNumbered{}.Append([]byte("Hi "), c.infoType, c.n)); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
