package cleandiff

import (
	"strings"
	"testing"

	"sotto/schemas"
)

// event makes a clean event; what is in brackets is an entity of that infoType.
func event(call string, seq int64, text string) *schemas.CleanEvent {
	e := &schemas.CleanEvent{CallID: call, Seq: seq, Type: schemas.Utterance, Text: text}
	runes := []rune(text)
	for i, r := range runes {
		if r == '[' {
			end := i + strings.IndexRune(string(runes[i:]), ']') + 1
			e.Entities = append(e.Entities, schemas.Entity{Start: i, End: end, Type: strings.TrimRight(string(runes[i+1:end-1]), "_0123456789")})
		}
	}
	return e
}

func TestDifferences(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after             string
		equal, reveals, masks, re int
	}{
		"the same":            {"I am [PERSON_NAME_1]", "I am [PERSON_NAME_1]", 1, 0, 0, 0},
		"other numbers":       {"I am [PERSON_NAME_1]", "I am [PERSON_NAME_7]", 1, 0, 0, 0},
		"a leak":              {"I am [PERSON_NAME_1] Quick", "I am Rosa [PERSON_NAME_1]", 0, 1, 0, 0},
		"a word more is left": {"I am [PERSON_NAME_1].", "I am Søren.", 0, 1, 0, 0},
		"a word more is gone": {"I am Søren, hello", "I am [PERSON_NAME_1], hello", 0, 0, 1, 0},
		"another infoType":    {"at [LOCATION_1] now", "at [ORGANIZATION_NAME_1] now", 0, 0, 0, 1},
		"one of two the same": {"no [NUMERIC_1] no", "no no no", 0, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var c Comparison
			c.Before(event("c", 1, tc.before))
			c.After(event("c", 1, tc.after))
			r := c.Report()
			if r.Compared != 1 || r.Equal != tc.equal || r.Revealing != tc.reveals || r.Masking != tc.masks || r.Retyped != tc.re {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestReportHoldsNoWords(t *testing.T) {
	var c Comparison
	c.Before(event("c-1", 1, "I am [PERSON_NAME_1]"))
	c.After(event("c-1", 1, "I am Wilhelmina"))
	c.Before(event("c-2", 1, "gone"))
	c.After(event("c-3", 1, "new"))
	c.After(&schemas.CleanEvent{CallID: "c-3", Seq: 2, Type: schemas.End})
	r := c.Report()
	var b strings.Builder
	if err := r.Write(&b, 10); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Wilhelmina") || !strings.Contains(b.String(), "c-1") {
		t.Error(b.String())
	}
	if r.OnlyBefore != 1 || r.OnlyAfter != 1 || r.Types["PERSON_NAME"] != [2]int{1, 0} {
		t.Errorf("%+v", r)
	}
}
