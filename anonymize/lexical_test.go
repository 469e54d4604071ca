package anonymize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/internal/testkit/heap"
	"sotto/schemas"
	"sotto/state"
)

func withLexical(seq int64, text, form string) *schemas.RawEvent {
	ev := utterance(seq, "Agent", text)
	ev.Lexical = &form
	return ev
}

// What is found in the unformatted form is masked in the text, wherever it is there and however it
// was formatted.
func TestTheUnformattedFormIsRead(t *testing.T) {
	for _, c := range []struct{ name, text, lexical, want string }{
		{"the same", "My name is Ann Lee.", "my name is ann lee", "My name is [PERSON_NAME_1]."},
		{"no form of use", "My name is Ann Lee.", "", "My name is [PERSON_NAME_1]."},
		{"digits formatted as a time and a quantity", "You can reach me at 6:04 555 0,134, thanks.",
			"you can reach me at six oh four five five five oh one three four thanks", "You can reach me at [PHONE_NUMBER_1], thanks."},
		{"symbols for what was said", "it is Em Kay 21 @ example.com okay", "it is m k two one at example dot com okay",
			"it is [EMAIL_ADDRESS_1] okay"},
		{"an expletive that was none", "my name is **** Dickens", "my name is ann dickens", "my name is **** [PERSON_NAME_1]"},
		{"nothing in common", "Well okay then.", "my card is four one one one one one one one one one one one one one one one", "[CREDIT_CARD_NUMBER_1]."},
		{"words that the text leaves out", "Call 604 555 0134.", "um call uh six oh four you know five five five oh one three four", "Call [PHONE_NUMBER_1]."},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t, Options{RawOffsets: true})
			clean, _ := e.Apply(state.NewCall(), e.Prepare(withLexical(1, c.text, c.lexical)))
			if clean.Text != c.want {
				t.Errorf("got  %q\nwant %q", clean.Text, c.want)
			}
			checkClean(t, c.text, &clean)
		})
	}
}

// A value that only the unformatted form shows is the same entity as if it were in the text,
// answers the question that was asked, and is not masked where the user excludes it.
func TestTheUnformattedFormIsPartOfTheConversation(t *testing.T) {
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"PERSON_NAME.exclude.txt": "Paige\n"})})
	c := state.NewCall()
	var got []string
	ask := utterance(1, "Agent", "What is your phone number?")
	for _, ev := range []*schemas.RawEvent{ask, withLexical(2, "It's 6:04 5, 550134", "it's six oh four five five five oh one three four"),
		utterance(3, "Agent", "604-555-0134, and who is that?"), withLexical(4, "**** is.", "paige is")} {
		clean, _ := e.Apply(c, e.Prepare(ev))
		got = append(got, clean.Text)
	}
	if want := []string{"What is your phone number?", "It's [PHONE_NUMBER_1]", "[PHONE_NUMBER_1], and who is that?", "**** is."}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// The unformatted form adds masks and never removes one.
func TestTheUnformattedFormNeverUncovers(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(turns).Draw(t, "text")
		form := rapid.SampledFrom(append(turns, strings.ToLower(text))).Draw(t, "lexical")
		without, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		with, _ := e.Apply(state.NewCall(), e.Prepare(withLexical(1, text, form)))
		checkClean(t, text, &with)
		for _, x := range without.Entities {
			for at := *x.RawStart; at < *x.RawEnd; at++ {
				r := []rune(text)[at]
				covered := slices.ContainsFunc(with.Entities, func(y schemas.Entity) bool { return *y.RawStart <= at && at < *y.RawEnd })
				if !covered && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
					t.Fatalf("%q is masked in %q without %q and not with it", r, text, form)
				}
			}
		}
	})
}

func TestAlign(t *testing.T) {
	var a, b detectors.Document
	a.Reset("so i paid five hundred dollars for it on may first at the bank")
	b.Reset("So I paid $500 for it on 5/1 at the bank.")
	places := align(&a, &b)
	var got []string
	for i := range a.Tokens {
		first, last := places.of(i, i)
		got = append(got, b.Text[b.Tokens[first].Start:b.Tokens[last].End])
	}
	if want := "[So I paid 500 500 500 for it on 5/1 5/1 at the bank]"; fmt.Sprint(got) != want {
		t.Errorf("got %v", got)
	}
}

// Two forms that have little in common cost no more than their lengths.
func TestHostileForms(t *testing.T) {
	if testing.Short() {
		t.Skip("measures allocations, which the race detector changes")
	}
	t.Run("fast", func(t *testing.T) { hostileForms(t, newEngine(t, Options{RawOffsets: true, Fast: true}), 60_000) })
	t.Run("encoder", func(t *testing.T) { hostileForms(t, newEngine(t, Options{RawOffsets: true}), 4_000) })
}

func hostileForms(t *testing.T, e *Engine, size int) {
	t.Helper()
	for _, piece := range [][2]string{{"a b ", "b c "}, {"five ", "5 "}, {"x ", "x x y "}, {"Ann ", "Bob "}, {"one two ", "12 "}} {
		apply := func(size int) float64 {
			text, form := strings.Repeat(piece[0], size/len(piece[0])), strings.Repeat(piece[1], size/len(piece[1]))
			var clean schemas.CleanEvent
			took := heap.Allocated(func() { clean, _ = e.Apply(state.NewCall(), e.Prepare(withLexical(1, text, form))) })
			checkClean(t, text, &clean)
			return took
		}
		if short, long := apply(size/4), apply(size); long > 7*short+1<<20 {
			t.Errorf("%d bytes of %q allocated %.0f bytes, %d allocated %.0f", size/4, piece, short, size, long)
		}
	}
}
