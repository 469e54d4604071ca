package risk_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/risk"
)

func TestParse(t *testing.T) {
	type found struct {
		words, infoType  string
		partial, speaker bool
		key              string
	}
	for _, c := range []struct {
		in, text string
		want     []found
	}{
		{"nothing (at all) here :) [PERSON_NAME_1]", "nothing (at all) here :) [PERSON_NAME_1]", nil},
		{"(Marc)[MISSED_PERSON_NAME_PARTIAL] is", "Marc is", []found{{"Marc", "PERSON_NAME", true, false, ""}}},
		{"(Marc)(MISSED_PERSON_NAME)", "Marc", []found{{"Marc", "PERSON_NAME", false, false, ""}}},
		{"(Marc)([MISSED_PERSON_NAME])", "Marc", []found{{"Marc", "PERSON_NAME", false, false, ""}}},
		{"to (ABC incorporated) (MISSED_ORGANIZATION_NAME_SPEAKER).", "to ABC incorporated.", []found{{"ABC incorporated", "ORGANIZATION_NAME", false, true, ""}}},
		{"( Zoë )\n[MISSED_PERSON_NAME]", "Zoë", []found{{"Zoë", "PERSON_NAME", false, false, ""}}},
		{"call ((604) 555-0134)[MISSED_PHONE] (he said (Bo)[missed_person_name] twice)", "call (604) 555-0134 (he said Bo twice)",
			[]found{{"(604) 555-0134", "PHONE_NUMBER", false, false, ""}, {"Bo", "PERSON_NAME", false, false, ""}}},
		{"(a@b.example)[MISSED EMAIL] (x)[MISSED-EMAIL-ADDRESS-PARTIAL]", "a@b.example x",
			[]found{{"a@b.example", "EMAIL_ADDRESS", false, false, ""}, {"x", "EMAIL_ADDRESS", true, false, ""}}},
		{"a (missed call) and (missed calls) (missed by us)", "a (missed call) and (missed calls) (missed by us)", nil},
		{"(Bill)[MISSED_PERSON_NAME#b1]", "Bill", []found{{"Bill", "PERSON_NAME", false, false, "B1"}}},
		{":( (Bo)[MISSED_PERSON_NAME] :)", ":( Bo :)", []found{{"Bo", "PERSON_NAME", false, false, ""}}},
	} {
		got, err := risk.Table6().Parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got.Text != c.text || len(got.Missed) != len(c.want) {
			t.Errorf("%q: text %q with %d annotations, want %q with %d", c.in, got.Text, len(got.Missed), c.text, len(c.want))
			continue
		}
		for i, m := range got.Missed {
			if f := (found{m.Value, m.Type, m.Partial, m.Speaker, m.Key}); f != c.want[i] {
				t.Errorf("%q: %+v, want %+v", c.in, f, c.want[i])
			}
			if at := string([]rune(got.Text)[m.Start:m.End]); at != m.Value {
				t.Errorf("%q: the positions hold %q, want %q", c.in, at, m.Value)
			}
		}
	}
}

func TestParseErrorsNameThePlaceOnly(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		problem      string
	}{
		{"secret [MISSED_PERSON_NAME]", 1, 8, "needs (words)"},
		{"secret\nsé (MISSED_PERSON_NAME)", 2, 4, "needs (words)"},
		{"(secret [MISSED_PERSON_NAME]", 1, 9, "needs (words)"},
		{"secret)[MISSED_PERSON_NAME]", 1, 7, "never opened"},
		{"\n (a (secret)[MISSED_AGE] b)[MISSED_PERSON_NAME]", 2, 2, "nested"},
		{"(secret)[MISSED_PERSON_NAME", 1, 9, "not closed"},
		{"(secret)[MISSED_PERSON_NAME)", 1, 9, "not closed"},
		{"(secret)([MISSED_PERSON_NAME]", 1, 9, "not closed"},
		{"(secret)[MISSED_\nPERSON_NAME]", 1, 9, "not closed"},
		{"(secret)[MISSED_PERSON]", 1, 9, "no infoType"},
		{"(secret)[MISSED_PERSON_NAME_PARTIAL_PARTIAL]", 1, 9, "no infoType"},
		{"(secret)[MISSED_PERSON_NAME#]", 1, 9, "no infoType"},
		{"(secret)[MISSED_PERSON_NAME#b@]", 1, 9, "no infoType"},
		{"( )[MISSED_PERSON_NAME]", 1, 4, "no words"},
	} {
		_, err := risk.Table6().Parse(c.in)
		var syntax *risk.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", c.in, err)
			continue
		}
		if syntax.Line != c.line || syntax.Column != c.column || !strings.Contains(syntax.Problem, c.problem) {
			t.Errorf("%q: %v, want %d:%d and %q", c.in, err, c.line, c.column, c.problem)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("error %q repeats the text", err)
		}
	}
}

// Annotated text that was written is read back correctly.
func TestParseReadsWhatIsWritten(t *testing.T) {
	table := risk.Table6()
	entries := table.Entries()
	rapid.Check(t, func(t *rapid.T) {
		var in, plain strings.Builder
		n := rapid.IntRange(0, 6).Draw(t, "annotations")
		word := rapid.StringMatching(`[a-zé0-9@.'-]{1,8}`)
		var want []risk.Piece
		for range n {
			before := word.Draw(t, "before") + " "
			p := risk.Piece{
				Type: rapid.SampledFrom(entries).Draw(t, "type").Type, Value: word.Draw(t, "words"),
				Partial: rapid.Bool().Draw(t, "partial"), Speaker: rapid.Bool().Draw(t, "speaker"),
				Key: rapid.StringMatching("[A-Z0-9]{0,2}").Draw(t, "key"), Person: rapid.StringMatching("[A-Z0-9]{0,2}").Draw(t, "person"),
			}
			tag := "MISSED_" + p.Type
			if p.Speaker {
				tag += "_SPEAKER"
			}
			if p.Partial {
				tag += "_PARTIAL"
			}
			if p.Key != "" {
				tag += "#" + p.Key
			}
			if p.Person != "" {
				tag += "@" + p.Person
			}
			brackets := rapid.SampledFrom([]string{"[]", "()"}).Draw(t, "brackets")
			in.WriteString(before + "(" + p.Value + ")" + brackets[:1] + tag + brackets[1:] + " ")
			plain.WriteString(before + p.Value + " ")
			want = append(want, p)
		}
		got, err := table.Parse(in.String())
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != plain.String() || len(got.Missed) != n {
			t.Fatalf("%q read as %q with %d annotations", in.String(), got.Text, len(got.Missed))
		}
		for i, m := range got.Missed {
			if m.Piece != want[i] {
				t.Fatalf("annotation %d is %+v, want %+v", i, m.Piece, want[i])
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(table2)
	f.Add(table3)
	f.Add("((a)(MISSED_AGE))[MISSED_URL]")
	f.Add(")[MISSED_AGE] (x\n)([MISSED_AGE#1])")
	table := risk.Table6()
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		a, err := table.Parse(text)
		if err != nil {
			return
		}
		points := []rune(a.Text)
		last := 0
		for _, m := range a.Missed {
			if m.Start < last || m.End <= m.Start || m.End > len(points) || string(points[m.Start:m.End]) != m.Value {
				t.Fatalf("annotation at %d to %d of %d", m.Start, m.End, len(points))
			}
			last = m.End
		}
		if table.Score(nil) != 0 || len(a.Missed) == 0 && a.Text != text {
			t.Fatal("text without annotations was changed")
		}
	})
}
