package noise_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sotto/internal/gold"
	"sotto/training/corpus/calls"
	"sotto/training/corpus/noise"
)

var update = flag.Bool("update", false, "write the golden files")

// extreme has every kind of noise.
func extreme(form noise.Form) noise.Profile {
	return noise.Profile{
		Name: "extreme", Form: form, DigitsToWords: 0.5, WordsToDigits: 0.5, Addresses: 0.5, OhForZero: 0.5, Spelling: 0.5,
		Homophones: 0.4, Misheard: 0.5, Split: 0.3, Fused: 0.3, LostApostrophes: 0.5, Dropped: 0.3, Repeated: 0.2, Fillers: 0.2,
		Cut: 0.6, Interrupted: 0.5, Shifted: 0.4, WrongSpeaker: 0.3,
		StrayCapitals: 0.3, LostCapitals: 0.3, StrayMarks: 0.3, LostMarks: 0.5,
	}
}

// conversation draws labelled turns with all kinds of words and white space.
func conversation(t *rapid.T, words *rapid.Generator[string]) gold.Conversation {
	c := gold.Conversation{ID: rapid.StringN(0, 4, -1).Draw(t, "id"), Context: "sales", Source: "x", Vertical: "y", Line: 7}
	types := rapid.SampledFrom([]string{"PERSON_NAME", "GENERIC_ID", "EMAIL_ADDRESS", "DATE", "STREET_ADDRESS", "AGE", "MONEY", "TIME"})
	for range rapid.IntRange(0, 5).Draw(t, "turns") {
		u := gold.Utterance{Speaker: rapid.SampledFrom([]string{"agent", "customer", "speaker_3"}).Draw(t, "speaker")}
		var text []rune
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			start := len(text)
			for range rapid.IntRange(1, 4).Draw(t, "words") {
				text = append(text, []rune(words.Draw(t, "word"))...)
				text = append(text, []rune(rapid.SampledFrom([]string{" ", " ", " ", "  ", "\t", ""}).Draw(t, "space"))...)
			}
			if rapid.Bool().Draw(t, "label") && strings.TrimSpace(string(text[start:])) != "" {
				u.Entities = append(u.Entities, gold.Span{Start: start, End: len(text), Type: types.Draw(t, "type"), OfSpeaker: rapid.Bool().Draw(t, "own")})
			}
		}
		u.Text = string(text)
		c.Utterances = append(c.Utterances, u)
	}
	return c
}

var anyWord = rapid.OneOf(
	rapid.SampledFrom([]string{"the", "to", "four", "oh", "zero", "double", "hundred", "thousand", "twenty", "twenty-one", "first",
		"Quimby", "Quimby's", "a", "A-B-C", "b", "Q.", "12", "12th", "555-0134", "$4.50", "4/12/68", "H447", "t.larkin@mail.example",
		"at", "dot", "everyday", "every", "day", "--", "...", ",", "'", "“Zoë”", "élan", "İ", "ß", "AT&T", "5%", "²3", "it's", "'s"}),
	rapid.StringMatching(`[a-z]{1,9}`),
	rapid.StringMatching(`[A-Z0-9.,'@$%&_/:+-]{1,6}`),
	rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.M, unicode.S), 1, 4, -1),
)

func copyOf(t interface{ Fatal(...any) }, c gold.Conversation) (out gold.Conversation) {
	data, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	out.Line = c.Line
	return out
}

func labelsByType(c gold.Conversation) map[string]int {
	n := map[string]int{}
	for _, u := range c.Utterances {
		for _, s := range u.Entities {
			n[s.Type]++
		}
	}
	return n
}

func TestNoiseKeepsLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conversation(t, anyWord)
		before := copyOf(t, c)
		p := rapid.SampledFrom([]noise.Profile{noise.Typed, noise.Raw, noise.Commercial,
			extreme(noise.AsWritten), extreme(noise.Unformatted), extreme(noise.Formatted)}).Draw(t, "profile")
		seed := rapid.Uint64().Draw(t, "seed")
		got := noise.Apply(c, seed, p)
		if diff := cmp.Diff(copyOf(t, c), before); diff != "" {
			t.Fatalf("the original changed: %s", diff)
		}
		if diff := cmp.Diff(got, noise.Apply(c, seed, p)); diff != "" {
			t.Fatalf("the same seed gave another result: %s", diff)
		}
		if got.ID != c.ID || got.Context != c.Context || got.Source != c.Source || got.Vertical != c.Vertical || got.Line != c.Line {
			t.Fatalf("the conversation is another one: %+v", got)
		}
		after := labelsByType(got)
		for infoType, n := range labelsByType(before) {
			if after[infoType] < n {
				t.Fatalf("%d labels %s of %d are left in %+v", after[infoType], infoType, n, got.Utterances)
			}
		}
		for _, u := range got.Utterances {
			checkSpans(t, u)
		}
	})
}

func checkSpans(t *rapid.T, u gold.Utterance) {
	text := []rune(u.Text)
	at := 0
	for _, s := range u.Entities {
		if s.Start < at || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("span %+v in a text of %d code points", s, len(text))
		}
		if value := string(text[s.Start:s.End]); strings.TrimSpace(value) != value {
			t.Fatalf("a label covers white space around %q", value)
		}
		at = s.End
	}
}

// Kinds of noise that rewrite no words keep the letters and digits of labels in their order.
func TestNoiseKeepsTheWordsOfLabels(t *testing.T) {
	words := rapid.OneOf(rapid.StringMatching(`[a-z']{1,7}`), rapid.StringMatching(`[A-Z0-9.,?$/:-]{0,5}[a-zé0-9]`),
		rapid.SampledFrom([]string{"the", "to", "it's", "one"}))
	rapid.Check(t, func(t *rapid.T) {
		c := conversation(t, words)
		p := extreme(rapid.SampledFrom([]noise.Form{noise.AsWritten, noise.Unformatted, noise.Formatted}).Draw(t, "form"))
		p.DigitsToWords, p.WordsToDigits, p.Addresses, p.OhForZero, p.Spelling = 0, 0, 0, 0, 0
		p.Homophones, p.Misheard, p.Split, p.Fused, p.Repeated = 0, 0, 0, 0, 0
		got := noise.Apply(c, rapid.Uint64().Draw(t, "seed"), p)
		if before, after := labelledText(c), labelledText(got); before != after {
			t.Fatalf("the labelled text %q became %q", before, after)
		}
	})
}

// labelledText returns the letters and digits of all labels, with the infoType of each.
func labelledText(c gold.Conversation) string {
	var b strings.Builder
	last := ""
	for _, u := range c.Utterances {
		text := []rune(u.Text)
		for _, s := range u.Entities {
			// A label that was split continues.
			if s.Type != last {
				b.WriteString("|" + s.Type + " ")
			}
			last = s.Type
			for _, r := range strings.ToLower(string(text[s.Start:s.End])) {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					b.WriteRune(r)
				}
			}
		}
	}
	return b.String()
}

func TestNoNoiseChangesNothingButWhiteSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conversation(t, anyWord)
		got := noise.Apply(c, rapid.Uint64().Draw(t, "seed"), noise.Profile{})
		if len(got.Utterances) != len(c.Utterances) {
			t.Fatalf("%d turns became %d", len(c.Utterances), len(got.Utterances))
		}
		for i, u := range got.Utterances {
			if want := strings.Join(strings.Fields(c.Utterances[i].Text), " "); strings.Join(strings.Fields(u.Text), " ") != want ||
				u.Speaker != c.Utterances[i].Speaker || len(u.Entities) != len(c.Utterances[i].Entities) {
				t.Fatalf("%q became %q", want, u.Text)
			}
		}
	})
}

func TestRawIsLowerCaseWithoutMarksAndDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conversation(t, rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9.,?@$-]{0,6}`))
		for _, u := range noise.Apply(c, rapid.Uint64().Draw(t, "seed"), noise.Raw).Utterances {
			for _, r := range u.Text {
				if !unicode.IsLower(r) && r != ' ' && r != '\'' && strings.TrimSpace(u.Text) != "" {
					t.Fatalf("%q has %q", u.Text, r)
				}
			}
		}
	})
}

// Turns that words cannot express keep their text.
func TestOverlappingLabelsStay(t *testing.T) {
	c := gold.Conversation{Utterances: []gold.Utterance{
		{Speaker: "agent", Text: "Ada Quimby Park 4", Entities: []gold.Span{{Start: 0, End: 10, Type: "PERSON_NAME"}, {Start: 4, End: 15, Type: "LOCATION"}}},
		{Speaker: "agent", Text: "Ada  Quimby", Entities: []gold.Span{{Start: 3, End: 5, Type: "PERSON_NAME"}}},
		{Speaker: "agent", Text: "  "},
	}}
	for seed := range uint64(20) {
		if diff := cmp.Diff(c, noise.Apply(c, seed, extreme(noise.Unformatted))); diff != "" {
			t.Fatalf("it changed: %s", diff)
		}
	}
}

// Every kind of noise occurs.
func TestEachKindOfNoise(t *testing.T) {
	conversations, err := calls.ReadFile("testdata/sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]noise.Profile{
		"DigitsToWords": {DigitsToWords: 1}, "WordsToDigits": {WordsToDigits: 1}, "Addresses": {Addresses: 1},
		"OhForZero": {OhForZero: 1}, "Spelling": {Spelling: 1}, "Homophones": {Homophones: 1}, "Misheard": {Misheard: 1},
		"Split": {Split: 1}, "Fused": {Fused: 1}, "LostApostrophes": {LostApostrophes: 1}, "Dropped": {Dropped: 1},
		"Repeated": {Repeated: 1}, "Fillers": {Fillers: 1}, "Cut": {Cut: 1}, "Shifted": {Shifted: 1}, "WrongSpeaker": {WrongSpeaker: 1},
		"Unformatted": {Form: noise.Unformatted}, "Formatted": {Form: noise.Formatted},
		"StrayCapitals": {Form: noise.Formatted, StrayCapitals: 1}, "LostCapitals": {Form: noise.Formatted, LostCapitals: 1},
		"StrayMarks": {Form: noise.Formatted, StrayMarks: 1}, "LostMarks": {Form: noise.Formatted, LostMarks: 1},
	} {
		quiet := noise.Profile{Form: p.Form}
		if p == quiet {
			quiet.Form = noise.AsWritten
		}
		same := true
		for _, c := range conversations {
			same = same && cmp.Equal(noise.Apply(c, 1, quiet), noise.Apply(c, 1, p))
		}
		if same {
			t.Errorf("%s changes nothing", name)
		}
	}
	interrupted := noise.Apply(conversations[0], 1, noise.Profile{Cut: 1, Interrupted: 1})
	cut := noise.Apply(conversations[0], 1, noise.Profile{Cut: 1})
	if len(interrupted.Utterances) <= len(cut.Utterances) || len(cut.Utterances) <= len(conversations[0].Utterances) {
		t.Errorf("%d turns, %d when cut, %d when interrupted", len(conversations[0].Utterances), len(cut.Utterances), len(interrupted.Utterances))
	}
}

// The sample in each profile. A change of the noise shows here. It changes every model that is
// trained with it.
func TestSampleWithNoise(t *testing.T) {
	conversations, err := calls.ReadFile("testdata/sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range noise.Profiles() {
		var noisy []gold.Conversation
		for _, c := range conversations {
			noisy = append(noisy, noise.Apply(c, 5, p))
		}
		var got bytes.Buffer
		if err := calls.Write(&got, noisy); err != nil {
			t.Fatal(err)
		}
		golden := "testdata/" + p.Name + ".txt"
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", golden, diff)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	conversations, err := calls.ReadFile("testdata/sample.txt")
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		noise.Apply(conversations[i%len(conversations)], uint64(i), noise.Commercial)
	}
}
