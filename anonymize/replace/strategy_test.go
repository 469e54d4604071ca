package replace

import "testing"

func TestChoices(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"typed-numbered", "typed-numbered"},
		{" entity ", "entity"},
		{"default=typed,PERSON_NAME=entity", "default=typed,PERSON_NAME=entity"},
		{"SSN=redact, PERSON_NAME=entity", "default=typed-numbered,PERSON_NAME=entity,SSN=redact"},
		{"default=word,SSN=word", "word"},
		{"default=word", "word"},
	} {
		got, err := ParseChoice(c.text)
		if err != nil || got.String() != c.want {
			t.Errorf("%q: got %q and %v, want %q", c.text, got, err, c.want)
		}
		again, err := ParseChoice(got.String())
		if err != nil || again.String() != got.String() {
			t.Errorf("%q: read again it is %q and %v", c.text, again, err)
		}
	}
	for _, bad := range []string{"", "none", "default=", "default=none", "SSN=typed,SSN=redact", "ssn=typed", "typed,redact", "=typed", "A B=typed"} {
		if _, err := ParseChoice(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	c, _ := ParseChoice("default=typed,PERSON_NAME=entity")
	if c.Of("PERSON_NAME") != Entity || c.Of("SSN") != Typed {
		t.Error("a choice gives the wrong strategy")
	}
}
