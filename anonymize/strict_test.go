package anonymize

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/state"
)

func commonWords(t interface{ Fatal(...any) }) *allowlist.List {
	l, err := allowlist.Builtin(allowlist.Common)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestStrictMasking(t *testing.T) {
	e := newEngine(t, Options{Keep: commonWords(t)})
	for text, want := range map[string]string{
		"I would like to return the paper":    "I would like to return the paper",
		"the trombone is here":                "the [SPELLED_WORD] is here",
		"I have 3 of them":                    "I have [NUMERIC] of them",
		"quiero saber cuándo llega mi pedido": "quiero saber cuándo [SPELLED_WORD] mi [SPELLED_WORD]",
	} {
		if got := applyAll(t, e, state.NewCall(), text).Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if e.Policy() == newEngine(t, Options{}).Policy() {
		t.Error("the policy hash does not depend on strict masking")
	}
}

// Whatever is said, no number and no word that is not on the list is left.
func TestStrictMaskingKeepsOnlyTheList(t *testing.T) {
	list := commonWords(t)
	e := newEngine(t, Options{Keep: list})
	var d detectors.Document
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"the", "my", "name", "is", "Quimbolt", "zorblat", "5", "A", "B", "calle", "at", "dot", ","}),
			rapid.StringMatching(`[a-zA-Z0-9é]{1,8}`)), 1, 12).Draw(rt, "words"), " ")
		out := applyAll(t, e, state.NewCall(), text).Clean
		plain := []rune(out.Text)
		for i := len(out.Entities) - 1; i >= 0; i-- {
			plain = append(append(plain[:out.Entities[i].Start:out.Entities[i].Start], ' ', ',', ' '), plain[out.Entities[i].End:]...)
		}
		d.Reset(string(plain))
		for i := range d.Tokens {
			if !list.Keeps(d.Tokens[i].Class, d.Tokens[i].Hash) {
				rt.Fatalf("%q became %q", text, out.Text)
			}
		}
	})
}
