package files

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/files/formats"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// said is a call of one turn, and what became of it.
func said(ctx context.Context, j *Job, text string) (clean string, result CallResult, err error) {
	clean = text
	turn := &transcript.Turn{Text: text, Set: func(s string) { clean = s }}
	results, err := j.Document(ctx, &transcript.Document{Calls: []*transcript.Call{{Turns: []*transcript.Turn{turn}}}})
	if err != nil {
		return "", CallResult{}, err
	}
	return clean, results[0], nil
}

// A long text is read in parts. Whatever stands where it is divided is masked, and the positions are those in the whole text.
func TestALongTextIsReadInParts(t *testing.T) {
	j := fileJob(t)
	values := []string{"my card number is 4111 1111 1111 1111", "my name is Ines Quimby", "it is ines.quimby@example.com", "call me at 604 555 0134"}
	filler := []string{"and so on, ", "well we were there. ", "then it rained a lot and ", "ja é ", "\n"}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		fill := filler[seed%uint64(len(filler))]
		for before := r.IntN(200); b.Len() < maxText-cutWindow-before; {
			b.WriteString(fill)
		}
		for b.Len() < maxText+cutWindow {
			b.WriteString(values[r.IntN(len(values))] + ". " + strings.Repeat(fill, r.IntN(40)))
		}
		text := b.String()
		clean, result, err := said(t.Context(), j, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{"4111", "1111", "Quimby", "quimby", "0134", "example.com"} {
			if strings.Contains(clean, v) {
				t.Fatalf("seed %d: a part of a value is in the output of a long text", seed)
			}
		}
		checkPositions(t, text, clean, &result.Turns[0].Clean)
	}
}

// checkPositions compares the text outside of the entities.
func checkPositions(t interface{ Fatalf(string, ...any) }, raw, clean string, event *schemas.CleanEvent) {
	if event.Text != clean {
		t.Fatalf("the event has another text than the file")
	}
	from, to := []rune(raw), []rune(clean)
	at, out := 0, 0
	for i, e := range event.Entities {
		if !slices.Equal(from[at:*e.RawStart], to[out:e.Start]) {
			t.Fatalf("the text before entity %d changed", i)
		}
		at, out = *e.RawEnd, e.End
	}
	if !slices.Equal(from[at:], to[out:]) {
		t.Fatalf("the text after the last entity changed")
	}
}

// Also a text without a space is divided, and never within a character.
func TestALongWordIsDividedBetweenCharacters(t *testing.T) {
	j := fileJob(t)
	for _, letter := range []string{"é", "中", "e\u0301", "x"} {
		text := strings.Repeat(letter, 3*maxText/len(letter))
		var b strings.Builder
		pieces, err := j.cut(t.Context(), &schemas.RawEvent{Type: schemas.Utterance, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range pieces {
			if len(piece.Text) > maxText || len(piece.Text)%len(letter) != 0 {
				t.Errorf("a piece of %d bytes", len(piece.Text))
			}
			b.WriteString(piece.Text)
		}
		if b.String() != text {
			t.Errorf("the pieces are not the text")
		}
	}
}

// Who gives up waiting stops the search for where a long text can be cut, which reads much of it.
func TestCuttingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fileJob(t).cut(ctx, &schemas.RawEvent{Type: schemas.Utterance, Text: strings.Repeat("a.", maxText)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What looks like a tag is marked wherever a text is divided.
func TestALongTextForgesNoTag(t *testing.T) {
	j := fileJob(t)
	for _, forged := range []string{"[PERSON_NAME_1]", "(MISSED SSN)"} {
		for _, fill := range []string{"a", "so "} {
			text := strings.Repeat(forged, 100) + strings.Repeat(fill, (maxText-2*cutWindow)/len(fill)) + strings.Repeat(forged, 4*cutWindow/len(forged))
			clean, _, err := said(t.Context(), j, text)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(clean, forged) {
				t.Error("a forged tag is in the output")
			}
		}
	}
}

// The work on a call ends soon after its time, wherever it is.
func TestTheWorkOnACallEnds(t *testing.T) {
	j := fileJob(t)
	for name, text := range map[string]string{
		"one word": strings.Repeat("my ", 2<<20), "addresses": strings.Repeat("a@b.co ", 1<<20), "letters": strings.Repeat("a.", 2<<20),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		began := time.Now()
		_, _, err := said(ctx, j, text)
		cancel()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 20*time.Second {
			t.Errorf("%s: %v after %s", name, err, took)
		}
	}
}

// Values that many texts repeat are looked for in all of them at once.
func TestManyValuesInManyOtherTexts(t *testing.T) {
	j := fileJob(t)
	var b strings.Builder
	b.WriteString(`{"results":{"transcripts":[{"transcript":"hello"}]},"more":[`)
	for i := range 3000 {
		fmt.Fprintf(&b, `"write to a%d@example.com or look at /records/a%d@example.com.wav",`, i, i)
	}
	b.WriteString(`"end"]}`)
	f, err := formats.Read(t.Context(), []byte(b.String()), formats.Options{Format: "json"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = j.Document(t.Context(), f.Document); err != nil {
		t.Fatal(err)
	}
}
