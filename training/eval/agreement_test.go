package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sotto/internal/gold"
	"sotto/training/eval"
)

func TestAgreementOfASmallCall(t *testing.T) {
	first := marked("<PERSON_NAME|Ana> met <ORGANIZATION_NAME|Dale Co>", "<DATE|today>")
	second := marked("<PERSON_NAME|Ana> met <PRODUCT|Dale> Co", "<DATE|today>")
	other := marked("unseen")
	other.ID = "other"
	a, err := eval.Agree([]gold.Conversation{other, first}, []gold.Conversation{second}, eval.Options{Errors: true})
	if err != nil {
		t.Fatal(err)
	}
	// 17 characters but white space. The annotations put 9 and 7 of them into a label that is scored, and
	// both put 8 into none.
	all := eval.Share{Part: 7, Whole: 10}
	want := &eval.Agreement{
		Calls: 1, Utterances: 2, RecallChars: all, OverMaskedTokens: eval.Share{Part: 0, Whole: 1},
		AnyType: eval.SpanAgreement{First: 2, Second: 2, RecallChars: all, SpanF1: 0.5,
			Kappa: (15*17 - 9*7 - 8*10) / (17*17. - 9*7 - 8*10)},
		Typed: eval.SpanAgreement{First: 2, Second: 2, RecallChars: all, SpanF1: 0.5,
			Kappa: (11*17 - 3*3 - 8*10) / (17*17. - 3*3 - 8*10)},
		ByType: map[string]eval.SpanAgreement{
			"PERSON_NAME":       {First: 1, Second: 1, RecallChars: eval.Share{Part: 3, Whole: 3}, SpanF1: 1, Kappa: 1},
			"ORGANIZATION_NAME": {First: 1, RecallChars: eval.Share{Part: 4, Whole: 7}},
			"PRODUCT":           {Second: 1},
		},
	}
	near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
	hidden := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".result" }, cmp.Ignore())
	if diff := cmp.Diff(want, a, near, hidden); diff != "" {
		t.Errorf("agreement (-want +got):\n%s", diff)
	}
	var table, list strings.Builder
	if err := a.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"1 conversations, 2 turns. The second annotation covers 70.00 % of the\n",
		"any infoType           2       2    70.00    0.500  0.767\n",
		"ORGANIZATION_NAME      1       0    57.14    0.000  0.000\n",
		"PRODUCT                0       1        -    0.000  0.000\n",
	} {
		if !strings.Contains(table.String(), line) {
			t.Errorf("the table lacks the line %q:\n%s", line, table.String())
		}
	}
	if err := a.WriteDifferences(&list, 0); err != nil || !strings.Contains(list.String(), "dale co  (left: co)") {
		t.Errorf("%v, differences:\n%s", err, list.String())
	}
}

// Quantities and infoTypes that were not asked for do not count.
func TestAgreementLeavesOutWhatIsNotScored(t *testing.T) {
	first := marked("<NUMERIC|two> of <AGE|nine> by <MONEY|ten>")
	second := marked("two of <AGE|nine> by ten")
	for _, c := range []struct {
		types []string
		want  string
	}{{nil, "AGE"}, {[]string{"AGE"}, "AGE"}, {[]string{"MONEY"}, "MONEY"}} {
		a, err := eval.Agree([]gold.Conversation{first}, []gold.Conversation{second}, eval.Options{Types: c.types})
		if err != nil {
			t.Fatal(err)
		}
		for infoType := range a.ByType {
			if !strings.Contains(c.want, infoType) {
				t.Errorf("%v: %s is compared", c.types, infoType)
			}
		}
		if n := strings.Count(c.want, " ") + 1; len(a.ByType) != n || a.Typed.First != 1 {
			t.Errorf("%v: %d infoTypes, %d spans in the totals", c.types, len(a.ByType), a.Typed.First)
		}
	}
}

func TestAgreementOfNothing(t *testing.T) {
	none := marked("hello there")
	a, err := eval.Agree([]gold.Conversation{none}, []gold.Conversation{none}, eval.Options{})
	if err != nil || a.AnyType.First != 0 || len(a.ByType) != 0 {
		t.Errorf("%v, %+v", err, a)
	}
}

func TestAgreementNeedsTheSameCalls(t *testing.T) {
	with := func(id string, turns ...string) gold.Conversation {
		c := marked(turns...)
		c.ID, c.Line = id, len(id)
		return c
	}
	a := with("a", "secret", "words")
	for _, c := range []struct {
		first, second []gold.Conversation
		want          string
	}{
		{[]gold.Conversation{a}, []gold.Conversation{with("bb", "secret", "words")}, "line 2: the first annotation has no conversation"},
		{[]gold.Conversation{a}, []gold.Conversation{a, a}, "line 1: an earlier conversation"},
		{[]gold.Conversation{a, a}, []gold.Conversation{a}, "two conversations of the first annotation have the id of its line 1"},
		{[]gold.Conversation{a}, []gold.Conversation{with("a", "secret")}, "line 1: 1 utterances, where the labelled conversation has 2"},
		{[]gold.Conversation{a}, []gold.Conversation{with("a", "secret", "word")}, "line 1: utterance 2: the text is not"},
	} {
		_, err := eval.Agree(c.first, c.second, eval.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// annotation draws labels for a fixed text.
func annotation(t *rapid.T, name string) gold.Conversation {
	c := gold.Conversation{ID: "x", Utterances: []gold.Utterance{{Text: "ab cde f gh ij klmno"}}}
	for at := 0; at < 20; {
		n := rapid.IntRange(1, 6).Draw(t, name)
		if end := at + n; end <= 20 && rapid.Bool().Draw(t, name) {
			infoType := rapid.SampledFrom([]string{"AGE", "PERSON_NAME", "DATE"}).Draw(t, name)
			c.Utterances[0].Entities = append(c.Utterances[0].Entities, gold.Span{Start: at, End: end, Type: infoType})
		}
		at += n
	}
	return c
}

func TestAgreementProperties(t *testing.T) {
	agree := func(t *rapid.T, a, b gold.Conversation) *eval.Agreement {
		got, err := eval.Agree([]gold.Conversation{a}, []gold.Conversation{b}, eval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := annotation(t, "first"), annotation(t, "second")
		self := agree(t, a, a)
		for _, s := range []eval.SpanAgreement{self.AnyType, self.Typed, self.ByType["AGE"]} {
			if s.First > 0 && (s.SpanF1 != 1 || s.Kappa != 1) {
				t.Fatalf("an annotation agrees with itself by %+v", s)
			}
		}
		ab, ba := agree(t, a, b), agree(t, b, a)
		for _, p := range [][2]eval.SpanAgreement{{ab.AnyType, ba.AnyType}, {ab.Typed, ba.Typed}, {ab.ByType["DATE"], ba.ByType["DATE"]}} {
			x, y := p[0], p[1]
			if x.First != y.Second || math.Abs(x.SpanF1-y.SpanF1) > 1e-9 || math.Abs(x.Kappa-y.Kappa) > 1e-9 {
				t.Fatalf("the agreement depends on the order: %+v, %+v", x, y)
			}
		}
	})
}
