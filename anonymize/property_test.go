package anonymize

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/detectors/ner"
	"sotto/internal/testkit/heap"
	"sotto/schemas"
	"sotto/state"
)

// turns are pieces of conversation that introduce, ask, answer and repeat.
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

// At any point the state may be encoded and decoded, and the call continues byte for byte as it
// would have.
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

// checkClean checks what holds for every clean event: outside of the entities the text is the raw
// text, each entity is its tag, and no masked value with three digits or more is left elsewhere in
// the clean text.
func checkClean(t interface{ Fatalf(string, ...any) }, raw string, clean *schemas.CleanEvent) {
	text, entities := unescaped(clean)
	rawRunes, cleanRunes := []rune(raw), []rune(text)
	r, c := 0, 0
	for i, x := range entities {
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
	for _, x := range clean.Entities {
		value := string(rawRunes[*x.RawStart:*x.RawEnd])
		if digits(value) >= 3 && containsValue(clean.Text, value) {
			t.Fatalf("a masked value with %d digits is left in the text", digits(value))
		}
	}
}

// containsValue reports whether a value is in a text, but not as part of a longer number or code,
// which is a different one: 0000 in "00000%", 000 in "A000".
func containsValue(text, value string) bool {
	for {
		i := strings.Index(text, value)
		if i < 0 {
			return false
		}
		end := i + len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsLetter(after) && !unicode.IsDigit(after) {
			return true
		}
		text = text[end:]
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
	e, err := New(Options{Sensitivity: ner.Balanced, RawOffsets: true, MaxEntities: 20})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range turns {
		f.Add([]byte{}, s, "Mark", s)
	}
	f.Add([]byte{0xa0}, "a 5\u200b55 01\u200b34", "Agent", strings.Repeat(".", 300))
	f.Add([]byte{}, "my phone number is six oh four five five five", "Ann", "oh one three four and what's her name")
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
		data, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := state.NewCall().UnmarshalBinary(data); err != nil {
			t.Fatal("the memory does not decode")
		}
	})
}

// dialogueParts are what one turn may contribute to a dictation and to the open questions.
var dialogueParts = []string{
	"my phone number is", "six oh four", "five five five", "oh one three four", "six oh four five five five oh one three four",
	"what's your phone number?", "what's her name?", "can you repeat that?", "what is your date of birth?", "okay", "my name is Ann",
	"it's K-O-W", "how do you spell that?", "5 5 5", "at example dot com",
}

// A turn may continue a dictation, ask a question and answer another one at once. Whatever it does,
// nothing panics, and the state can be encoded and decoded.
func TestTurnsThatDoSeveralThings(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	rapid.Check(t, func(t *rapid.T) {
		c, seq := NewConversation(e), int64(0)
		for range rapid.IntRange(4, 20).Draw(t, "turns") {
			said := rapid.SliceOfN(rapid.SampledFrom(dialogueParts), 1, 3).Draw(t, "said")
			seq += rapid.Int64Range(1, 2).Draw(t, "gap")
			ev := utterance(seq, rapid.SampledFrom([]string{"Ann", "Bob"}).Draw(t, "speaker"), strings.Join(said, " and "))
			clean := c.Add(ev).Clean
			checkClean(t, ev.Text, &clean)
			data, err := c.Call().MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			c = NewConversation(e)
			if err := c.Call().UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A hostile text allocates in proportion to its length, and none of it is missed. Allocations are
// counted, because times depend on what else the machine does.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures allocations, which the race detector changes")
	}
	dictionaries := policyOf(map[string]string{
		"PERSON_NAME.exclude.txt": "Paige\nPaige Turner\n",
		"policy.yaml":             "hotword_rules: [{info_types: [NUMERIC, PERSON_NAME], hotwords: [jim, x], adjust: +1}]",
	})
	t.Run("fast", func(t *testing.T) {
		hostileTexts(t, newEngine(t, Options{RawOffsets: true, Policy: dictionaries, Fast: true}), 100_000)
	})
	t.Run("encoder", func(t *testing.T) {
		hostileTexts(t, newEngine(t, Options{RawOffsets: true, Policy: dictionaries}), 2_000)
	})
}

func hostileTexts(t *testing.T, e *Engine, most int) {
	t.Helper()
	for _, piece := range []string{
		"5", "5 ", ".", "a.", "Jim ", "Jim, ", "Paige Turner ", "1 Main Street, Springfield, Ohio 45501 ", "my name is Jim ", "x@y.com ",
		"four one one one ", "A-B-", "é", "日本", "\u200b", "5\u200b5", "\u202e", "jim x 123 ", "K O W ", "(", "[PERSON_NAME_1] ", "phone ", "'s ",
		"5, ", "5*", "1, 2, ", "e\u0301\u0302\u0303", "\u0301", "𝟔", "ѕіх ", "👍", "5👍", "\u202e5\u202c", "٦", "34 Toronto ", "Jim-", "J-I-M, ",
	} {
		apply := func(size int) float64 {
			c := state.NewCall()
			e.Apply(c, e.Prepare(utterance(1, "Jim", "What is your phone number? My name is Jim Springfield from Ohio.")))
			text := strings.Repeat(piece, size/len(piece))
			var clean schemas.CleanEvent
			took := heap.Allocated(func() { clean, _ = e.Apply(c, e.Prepare(utterance(2, "Agent", text))) })
			checkClean(t, text, &clean)
			return took
		}
		size := most
		if piece == "." || piece == "5" {
			size *= 10
		}
		// Four times the text may allocate four times as much, and a little more where slices grow.
		if short, long := apply(size/4), apply(size); long > 7*short+1<<20 {
			t.Errorf("%d bytes of %q allocated %.0f bytes, %d allocated %.0f", size/4, piece, short, size, long)
		}
	}
}

// Look-alike letters, digits of other scripts, invisible characters, direction marks and odd
// separators do not hide a value.
func TestDisguisedValuesAreFound(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	check := func(text, kind string) {
		t.Helper()
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		checkClean(t, text, &clean)
		if kind == "" {
			kind = "a number"
		} else if len(clean.Entities) != 1 || clean.Entities[0].Type != kind {
			t.Errorf("%+q became %+q, want one %s", text, clean.Text, kind)
		}
		rest := []rune(clean.Text)
		for i := len(clean.Entities) - 1; i >= 0; i-- {
			rest = slices.Delete(rest, clean.Entities[i].Start, clean.Entities[i].End)
		}
		if strings.ContainsFunc(string(rest), unicode.IsNumber) {
			t.Errorf("of %+q, %s, %+q is left", text, kind, string(rest))
		}
	}
	for _, text := range []string{
		"604\u200b555\u200b0134", "6\u200b0\u200b4\u200b5\u200b5\u200b5\u200b0\u200b1\u200b3\u200b4", "604\u00ad555\u00ad0134", "604\u2060555\ufeff0134",
		"６０４ ５５５ ０１３４", "٦٠٤٥٥٥٠١٣٤", "𝟔𝟎𝟒𝟓𝟓𝟓𝟎𝟏𝟑𝟒", "⑥⓪④⑤⑤⑤⓪①③④", "⁶⁰⁴⁵⁵⁵⁰¹³⁴", "₆₀₄₅₅₅₀₁₃₄",
		"6\u03010\u03014 5\u030155 0134", "6\u20e304 555 0134", "604\u3000555\u30000134", "604\u00a0555\u00a00134", "604\u2009555\u20090134",
		"6\n0\n4\n5\n5\n5\n0\n1\n3\n4", "s\u200bix oh fo\u200bur five five five oh one three four", "ѕіх оh four five five five oh one three four",
		"604\u202a555\u202c0134", "604\u200f555\u200f0134", "604\ufe0f555\ufe000134",
		"6\U000E00200\U000E00414\U000E007F5\U000E00015\U000E004150134", "604\uffa0555\u3164\u115f0134", "604\u0084555\u009f0134",
		"604\U0001D173555\U0001BCA00134", "604" + strings.Repeat("\U000E0041", 100) + "555" + strings.Repeat("\u200b", 300) + "0134",
		"6०٤٥５𝟓٥᠐໑๓4", "❻⓿❹❺❺❺⓿❶❸❹", "➅0➃➄➄➄0➀➂➃", "⓺⓿⓸⓹⓹⓹⓿⓵⓷⓸", "⒍🄀⒋⒌⒌⒌🄀⒈⒊⒋", "⑹0⑷⑸⑸⑸0⑴⑶⑷", "六〇四五五五〇一三四", "⑥⓪④⑤⑤⑤⓪⑬④",
	} {
		check("call me at "+text, "PHONE_NUMBER")
	}
	for _, text := range []string{
		"my e-mail is p\u0430m@example.com", "my e-mail is pam＠example．com", "my e-mail is pam@ex\u200bample.com", "my e-mail is pam\u202e@example.com",
	} {
		check(text, "EMAIL_ADDRESS")
	}
	for _, text := range []string{
		"my n\u0430me is P\u0430m B\u0435esly", "my name is P\u200bam", "My name is Ｐａｍ Ｂｅｅｓｌｙ", "my name is 𝐏𝐚𝐦", "my name is P\u0301am Beesly",
		"my name is \u202ePam",
	} {
		check(text, "PERSON_NAME")
	}
	check("card \u202e4111 1111 1111 1111\u202c", "CREDIT_CARD_NUMBER")
	check("ssn 078\u202e-05-\u202c1120", "SSN")
	check("ssn 078−05‐1120", "SSN")
	for _, mark := range []string{",", ";", "·", "•", "…", "'", "\"", "—", "\\", "/", ":", "*", "|", "~", "=", "+", "^", "#", "&", "!", "?", "(", "]", "{", "<", "$",
		"@", "_", ".", ", ", "; ", " | ", " * ", " · ", " … ", " & ", "、", "👍", "\u2063", "\u061c"} {
		check("so it is "+strings.Join(strings.Split("6045550134", ""), mark), "")
	}
}

// A list that counts up is not a personal number.
func TestCountingIsLeft(t *testing.T) {
	e := RulesAlone(newEngine(t, Options{}))
	for _, text := range []string{"1, 2, 3, 4, 5, 6", "on a scale of 1, 2, 3 or 4", "rows 2, 4, 6, 8", "1 + 1 = 2"} {
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		if clean.Text != text {
			t.Errorf("%q became %q", text, clean.Text)
		}
	}
}
