package eval_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/gold"
	"sotto/training/eval"
)

// drawn generates labelled conversations and masks for them.
func drawn(t *rapid.T) ([]gold.Conversation, anonymizer) {
	types := []string{"PERSON_NAME", "PHONE_NUMBER", "LOCATION", "DATE", "ORGANIZATION_NAME"}
	spans := func(n int, label string) (out []eval.Mask) {
		at := 0
		for at < n && rapid.Bool().Draw(t, label) {
			start := rapid.IntRange(at, n-1).Draw(t, label+" start")
			end := rapid.IntRange(start+1, n).Draw(t, label+" end")
			out = append(out, eval.Mask{
				Start: start, End: end, Type: rapid.SampledFrom(types).Draw(t, label+" type"),
				ID: rapid.IntRange(0, 3).Draw(t, label+" id"),
			})
			at = end
		}
		return out
	}
	masks := make(map[string][][]eval.Mask)
	var calls []gold.Conversation
	for i := range rapid.IntRange(0, 6).Draw(t, "calls") {
		c := gold.Conversation{ID: fmt.Sprint(i)}
		for range rapid.IntRange(0, 4).Draw(t, "utterances") {
			text := rapid.StringOfN(rapid.SampledFrom([]rune("ab7é .,'-@")), 0, 20, -1).Draw(t, "text")
			n := len([]rune(text))
			u := gold.Utterance{Text: text}
			for _, s := range spans(n, "gold") {
				u.Entities = append(u.Entities, gold.Span{Start: s.Start, End: s.End, Type: s.Type})
			}
			c.Utterances = append(c.Utterances, u)
			masks[c.ID] = append(masks[c.ID], spans(n, "mask"))
		}
		calls = append(calls, c)
	}
	return calls, func(c *gold.Conversation) ([][]eval.Mask, error) { return masks[c.ID], nil }
}

func marshal(t *rapid.T, sets []eval.Set, a eval.Anonymizer, o eval.Options) string {
	r, err := eval.Run(sets, a, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestResultDoesNotDependOnWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls, a := drawn(t)
		sets := []eval.Set{{Name: "s", Conversations: calls}}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		one := marshal(t, sets, a, eval.Options{Errors: true})
		runtime.GOMAXPROCS(5)
		if many := marshal(t, sets, a, eval.Options{Errors: true}); one != many {
			t.Fatalf("one worker\n%s\nfive\n%s", one, many)
		}
	})
}

// checkType fails the test if the measures of an infoType contradict each other.
func checkType(t *rapid.T, r *eval.Result, infoType string, b *eval.TypeReport) {
	if b.Masked+b.Partial > b.Gold || b.RecallChars.Part > b.RecallChars.Whole || b.TypedRecall.Part > b.Masked ||
		b.Precision.Part > b.Precision.Whole || b.PrecisionChars.Part > b.PrecisionChars.Whole {
		t.Fatalf("%s: %+v", infoType, b)
	}
	confused := 0
	for _, n := range r.Confusion[infoType] {
		confused += n
	}
	if confused != b.Gold || r.Confusion[infoType]["(missed)"] > b.Gold-b.Masked {
		t.Fatalf("confusion of %s adds up to %d, not %d", infoType, confused, b.Gold)
	}
}

func TestMeasuresKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls, a := drawn(t)
		set := func(a eval.Anonymizer) *eval.Result {
			r, err := eval.Run([]eval.Set{{Conversations: calls}}, a, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := set(a)
		labelled, masked := 0, 0
		for k, b := range r.ByType {
			labelled += b.Gold
			masked += b.Masked
			checkType(t, r, k, b)
		}
		if labelled != r.Gold || masked != r.Masked || r.Calls != len(calls) || r.OverMaskedTokens.Part > r.NonPersonalTokens {
			t.Fatalf("report %+v", r.Report)
		}
		if r.FullyAnonymizedDirect.Part < r.FullyAnonymizedCalls.Part {
			t.Fatal("fewer calls are free of direct identifiers than of all")
		}
		if r.FullyAnonymizedCalls.Part == r.Calls && r.ResidualRisk.Max != 0 {
			t.Fatal("risk without a miss")
		}
		// Masking more never lowers recall. (It may raise the risk: two
		// mentions of one value can be left with different parts.)
		more := anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
			m, err := a(c)
			out := make([][]eval.Mask, len(m))
			for i := range m {
				out[i] = m[i]
				if n := len([]rune(c.Utterances[i].Text)); n > 0 && len(m[i]) == 0 {
					out[i] = []eval.Mask{{Start: 0, End: (n + 1) / 2, Type: "NUMERIC"}}
				}
			}
			return out, err
		})
		s := set(more)
		if s.RecallChars.Part < r.RecallChars.Part || s.Masked < r.Masked || s.OverMaskedTokens.Part < r.OverMaskedTokens.Part {
			t.Fatalf("masking more: %+v, before %+v", s.Report, r.Report)
		}
	})
}

func TestSetsAddUpToTheTotal(t *testing.T) {
	a := []gold.Conversation{marked("I am <PERSON_NAME|Bo>"), marked("<PHONE_NUMBER|555-0134>")}
	b := []gold.Conversation{marked("<PERSON_NAME|Ann> it is"), marked("Nobody")}
	sets := []eval.Set{
		{Name: "a", Conversations: a}, {Name: "a", Variant: "lower", Conversations: gold.Lower(a)},
		{Name: "b", Conversations: b}, {Name: "b", Variant: "lower", Conversations: gold.Lower(b)},
	}
	r, err := eval.Run(sets, null, eval.Options{Errors: true})
	if err != nil {
		t.Fatal(err)
	}
	together := run(t, null, eval.Options{Errors: true}, append(a, b...)...)
	x, _ := json.Marshal(r.Report)
	y, _ := json.Marshal(together.Report)
	if string(x) != string(y) {
		t.Errorf("total\n%s\ntogether\n%s", x, y)
	}
	if r.Variants["lower"].Gold != 3 || len(r.Sets) != 4 {
		t.Errorf("variants %+v", r.Variants)
	}
	var text strings.Builder
	if err := r.WriteTable(&text, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a, lower", "total, lower", "b by infoType", "PERSON_NAME"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, text.String())
		}
	}
}

func TestJSONHasTheNamesOfTheContract(t *testing.T) {
	r := run(t, null, eval.Options{}, marked("I am <PERSON_NAME|Bo>"))
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"calls", "utterances", "by_type", "recall_chars", "over_masked_tokens", "fully_anonymized_calls", "same_entity_same_number", "residual_risk", "sets"} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s in %s", name, b)
		}
	}
	inner := func(of any, names ...string) {
		m, _ := of.(map[string]any)
		for _, name := range names {
			if _, ok := m[name]; !ok {
				t.Errorf("no %s in %v", name, of)
			}
		}
	}
	byType, _ := got["by_type"].(map[string]any)
	inner(byType["PERSON_NAME"], "gold", "masked", "recall", "precision")
	inner(got["residual_risk"], "mean", "std", "p95", "max", "mean_plus_std", "passes")
	if got["recall_chars"] != 0.0 || got["same_entity_same_number"] != nil {
		t.Errorf("0 of 2 is 0 and 0 of 0 is null: %s", b)
	}
}

func TestStructuredTypesHaveARecallOfTheirOwn(t *testing.T) {
	half := anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
		return [][]eval.Mask{{{Start: 0, End: 4, Type: "NUMERIC"}}}, nil
	})
	r := run(t, half, eval.Options{}, marked("<PHONE_NUMBER|555-0134> is <PERSON_NAME|Bo>, <STREET_ADDRESS|12 Elm Road>"))
	if s := r.Structured; s.Part != 4 || s.Whole != 8+11 {
		t.Errorf("%d of %d code points", s.Part, s.Whole)
	}
	if only := run(t, half, eval.Options{}, marked("<PERSON_NAME|Bo>")); only.Structured.Whole != 0 {
		t.Errorf("a name has no structure: %+v", only.Structured)
	}
}

func TestFailuresNameThePlaceOnly(t *testing.T) {
	call := marked("secret <PERSON_NAME|words>")
	call.Line = 7
	for want, a := range map[string]anonymizer{
		"no idea":                         func(*gold.Conversation) ([][]eval.Mask, error) { return nil, errors.New("no idea") },
		"returned 0 utterances of 1":      func(*gold.Conversation) ([][]eval.Mask, error) { return nil, nil },
		"panicked at sotto/training/eval": func(c *gold.Conversation) ([][]eval.Mask, error) { panic(c.Utterances[0].Text) },
	} {
		_, err := eval.Run([]eval.Set{{Name: "s", Conversations: []gold.Conversation{call}}}, a, eval.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "s: line 7, ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want the place and %q", err, want)
		}
	}
}
