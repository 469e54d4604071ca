package anonymize

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/schemas"
	"sotto/state"
)

// turns are pieces of conversation that teach, ask, answer and repeat.
var turns = []string{
	"This is Pam calling from Dunder Mifflin, may I speak to Jim?", "hi this is mark kowalski", "thanks marc", "okay", "go ahead",
	"What's the phone number?", "six oh four five five five", "oh one three four", "604-555-0134", "It's 604 555 0134.",
	"Can you spell your last name?", "K-O-W-A-L-S-K-I", "What is your date of birth?", "march fourteenth nineteen eighty five",
	"my e-mail is mk21@example.com", "What's the e-mail on that order?", "m k two one at example dot com", "mark my words",
	"I don't know", "no", "Mr. Kowalski", "the order number is B. 231 C. for A. two", "What is your postcode?", "n 6 v p",
	"Jim Halpert or Jim Hawkins?", "Jim", "4111 1111 1111 1111", "I live at 42 Maple Street", "", "日本 é 👍", "last four are 0134",
}

func events() *rapid.Generator[*schemas.RawEvent] {
	return rapid.Custom(func(t *rapid.T) *schemas.RawEvent {
		ev := &schemas.RawEvent{CallID: "c", Type: schemas.Utterance, Text: rapid.SampledFrom(turns).Draw(t, "text")}
		if rapid.IntRange(0, 9).Draw(t, "any") == 0 {
			ev.Text = rapid.String().Draw(t, "string")
		}
		switch rapid.IntRange(0, 3).Draw(t, "speaker") {
		case 0:
		case 1:
			ev.Speaker = &schemas.Speaker{ID: "a", Label: "Agent", Role: schemas.RoleAgent}
		case 2:
			ev.Speaker = &schemas.Speaker{ID: "b", Label: "Mark", Role: schemas.RoleCustomer}
		default:
			ev.Speaker = &schemas.Speaker{ID: "c"}
		}
		if rapid.IntRange(0, 19).Draw(t, "start") == 0 {
			ev.Type = schemas.Start
			ev.Participants = []schemas.Participant{{SpeakerID: "b", Names: []string{"Mark Kowalski"}, Phones: []string{"6045550134"}}}
		}
		return ev
	})
}

// At any point the memory may be encoded and decoded, and the call goes on byte
// for byte as it would have.
func TestAFailoverChangesNothing(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true, MaxEntities: 12})
	rapid.Check(t, func(t *rapid.T) {
		kept, restored := state.NewCall(), state.NewCall()
		seq := int64(0)
		for range rapid.IntRange(1, 25).Draw(t, "events") {
			ev := events().Draw(t, "event")
			seq += rapid.Int64Range(1, 3).Draw(t, "gap")
			ev.Seq = seq
			before, _ := kept.MarshalBinary()
			if rapid.Bool().Draw(t, "failover") {
				restored = state.NewCall()
				if err := restored.UnmarshalBinary(before); err != nil {
					t.Fatal(err)
				}
			}
			a, changed := e.Apply(kept, e.Prepare(ev))
			b, _ := e.Apply(restored, e.Prepare(ev))
			ja, _ := json.Marshal(a)
			jb, _ := json.Marshal(b)
			if string(ja) != string(jb) {
				t.Fatalf("event %d differs after a failover", seq)
			}
			after, _ := kept.MarshalBinary()
			if changed != (string(before) != string(after)) {
				t.Fatalf("event %d: changed is %v", seq, changed)
			}
		}
	})
}

// checkClean checks what holds for every clean event: outside of the entities
// the text is the raw one, each entity is its tag, and no masked value with
// three digits or more stands elsewhere in the clean text.
func checkClean(t interface{ Fatalf(string, ...any) }, raw string, clean *schemas.CleanEvent) {
	rawRunes, cleanRunes := []rune(raw), []rune(clean.Text)
	r, c := 0, 0
	for i, x := range clean.Entities {
		if x.Start < c || x.End <= x.Start || x.End > len(cleanRunes) || *x.RawStart < r || *x.RawEnd <= *x.RawStart || *x.RawEnd > len(rawRunes) {
			t.Fatalf("entity %d of %d is out of place", i, len(clean.Entities))
		}
		if string(cleanRunes[c:x.Start]) != string(rawRunes[r:*x.RawStart]) {
			t.Fatalf("the text before entity %d was changed", i)
		}
		tag := string(cleanRunes[x.Start:x.End])
		if !strings.HasPrefix(tag, "["+x.Type) || !strings.HasSuffix(tag, "]") {
			t.Fatalf("entity %d is not its tag", i)
		}
		r, c = *x.RawEnd, x.End
	}
	if string(cleanRunes[c:]) != string(rawRunes[r:]) {
		t.Fatalf("the text after the last entity was changed")
	}
	rest := clean.Text
	for _, x := range clean.Entities {
		value := string(rawRunes[*x.RawStart:*x.RawEnd])
		if digits(value) >= 3 && strings.Contains(rest, value) {
			t.Fatalf("a masked value with %d digits is left in the text", digits(value))
		}
	}
}

func digits(s string) int {
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

func FuzzEngine(f *testing.F) {
	e, err := New(Options{RawOffsets: true, MaxEntities: 20})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range turns {
		f.Add([]byte{}, s, "Mark", s)
	}
	f.Add([]byte{0xa0}, "a 5\u200b55 01\u200b34", "Agent", strings.Repeat(".", 300))
	f.Fuzz(func(t *testing.T, memory []byte, first, label, second string) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) || !utf8.ValidString(label) {
			t.Skip() // such records become dead letters
		}
		c := state.NewCall()
		if c.UnmarshalBinary(memory) != nil {
			c = state.NewCall()
		}
		for i, text := range []string{first, second, first} {
			clean, _ := e.Apply(c, e.Prepare(utterance(int64(i), label, text)))
			checkClean(t, text, &clean)
		}
		late := e.ApplyLate(e.Prepare(utterance(9, label, first)))
		checkClean(t, first, &late)
		data, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := state.NewCall().UnmarshalBinary(data); err != nil {
			t.Fatal("the memory does not decode")
		}
	})
}

// A hostile text takes time in proportion to its length and does not slip
// through.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time, which the race detector bends")
	}
	e := newEngine(t, Options{RawOffsets: true, DictionaryDir: policyDir(t, map[string]string{
		"PERSON_NAME.exclude.txt": "Paige\nPaige Turner\n",
		"policy.yaml":             "hotword_rules: [{info_types: [NUMERIC, PERSON_NAME], hotwords: [jim, x], adjust: +1}]",
	})})
	for _, piece := range []string{
		"5", "5 ", ".", "a.", "Jim ", "Jim, ", "Paige Turner ", "1 Main Street, Springfield, Ohio 45501 ", "my name is Jim ", "x@y.com ",
		"four one one one ", "A-B-", "é", "日本", "\u200b", "5\u200b5", "\u202e", "jim x 123 ", "K O W ", "(", "[PERSON_NAME_1] ", "phone ", "'s ",
	} {
		apply := func(size int) time.Duration {
			c := state.NewCall()
			e.Apply(c, e.Prepare(utterance(1, "Jim", "What is your phone number? My name is Jim Springfield from Ohio.")))
			text := strings.Repeat(piece, size/len(piece))
			start := time.Now()
			clean, _ := e.Apply(c, e.Prepare(utterance(2, "Agent", text)))
			took := time.Since(start)
			checkClean(t, text, &clean)
			return took
		}
		// Four times the text may take four times as long, and twice that where
		// other work disturbs; if it takes sixteen times, the cost is quadratic.
		if long := apply(100_000); long > time.Second {
			long = min(long, apply(100_000))
			if short := min(apply(25_000), apply(25_000)); long > 10*short {
				t.Errorf("25,000 bytes of %q took %v, 100,000 took %v", piece, short, long)
			}
		}
	}
}

// Look-alike letters, other scripts' digits and invisible characters do not
// hide a value.
func TestDisguisedValuesAreFound(t *testing.T) {
	e := newEngine(t, Options{})
	for _, text := range []string{
		"call me at 604\u200b555\u200b0134", "call me at ６０４ ５５５ ０１３４", "my n\u0430me is P\u0430m", "my name is \u202ePam", "my e-mail is p\u200bam@example.com",
	} {
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		if len(clean.Entities) == 0 {
			t.Errorf("nothing found in %q", text)
		}
	}
}
