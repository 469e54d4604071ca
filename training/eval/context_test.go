package eval_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize"
	"sotto/internal/gold"
	"sotto/training/eval"
)

func TestContextsAddUpToTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls, a := drawn(t)
		names := []string{"sales", "support"}
		for i := range calls {
			calls[i].Context = rapid.SampledFrom(names).Draw(t, "context")
		}
		half := len(calls) / 2
		r, err := eval.Run([]eval.Set{{Name: "a", Conversations: calls[:half]}, {Name: "b", Conversations: calls[half:]},
			{Name: "a", Variant: "copy", Conversations: calls}}, a, eval.Options{Errors: true})
		if err != nil {
			t.Fatal(err)
		}
		n, gold, masked, errors := 0, 0, 0, 0
		for name, c := range r.Contexts {
			if !slices.Contains(names, name) {
				t.Fatalf("context %q", name)
			}
			n, gold, masked, errors = n+c.Calls, gold+c.Gold, masked+c.Masked, errors+countErrors(c.Errors)
		}
		if n != r.Calls || gold != r.Gold || masked != r.Masked {
			t.Fatalf("%d calls, %d spans, %d masked; in all %d, %d, %d", n, gold, masked, r.Calls, r.Gold, r.Masked)
		}
		if all := countErrors(r.Errors); errors != all {
			t.Fatalf("%d errors; in all %d", errors, all)
		}
	})
}

func countErrors(groups []eval.ErrorGroup) (n int) {
	for i := range groups {
		n += groups[i].Count
	}
	return n
}

func TestTableHasARowForEachContext(t *testing.T) {
	calls := []gold.Conversation{{Context: "sales"}, {}}
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Run([]eval.Set{{Name: "a", Conversations: calls}, {Name: "b"}}, eval.Engine(e), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteTable(&b, false); err != nil {
		t.Fatal(err)
	}
	masks, risk, _ := strings.Cut(b.String(), "residual risk")
	for _, table := range []string{masks, risk} {
		if !strings.Contains(table, "\nall of sales ") {
			t.Errorf("no row for the context:\n%s", table)
		}
	}
}
