package detectors

import (
	"hash/fnv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// tokensOf lists tokens as "raw:folded:class".
func tokensOf(text string) string {
	var d Document
	d.Reset(text)
	names := [...]string{"punct", "lower", "cap", "upper", "mixed", "letter", "digits", "alnum", "clitic", "other"}
	var out []string
	for i := range d.Tokens {
		out = append(out, d.Raw(i)+":"+string(d.Word(i))+":"+names[d.Tokens[i].Class])
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hello, Bob", "Hello:hello:cap ,:,:punct Bob:bob:cap"},
		{"I'm McDonald's NASA iPhone x", "I:i:letter 'm:'m:clitic McDonald:mcdonald:mixed 's:'s:clitic NASA:nasa:upper iPhone:iphone:mixed x:x:letter"},
		{"304's QX-44's", "304:304:digits 's:'s:clitic QX:qx:upper -:-:punct 44:44:digits 's:'s:clitic"},
		{"don't O’Brien’s", "don't:don't:lower O’Brien:o'brien:mixed ’s:'s:clitic"},
		{"B231C4 42nd 007", "B231C4:b231c4:alnum 42nd:42nd:alnum 007:007:digits"},
		{"a-b...c", "a:a:letter -:-:punct b:b:letter ...:.:punct c:c:letter"},
		{"Café naïve ＡＢＣ", "Café:cafe:cap naïve:naive:lower ＡＢＣ:abc:upper"},
		{"мary Οscar", "мary:mary:lower Οscar:oscar:cap"},
		{"５5٥৫", "５5٥৫:5555:digits"},
		{"5\u200b5\u00ad5", "5\u200b5\u00ad5:555:digits"},
		{"e\u0301a", "e\u0301a:ea:lower"},
		{"a\u00a0b\u3000c", "a:a:letter b:b:letter c:c:letter"},
		{"👍 ok", "👍:\x00:other ok:ok:lower"},
		{"—“x”", "—:-:punct “:\":punct x:x:letter ”:\":punct"},
		{"你好", "你好:你好:lower"},
		{"", ""},
		{" \n\t", ""},
	} {
		if got := tokensOf(c.text); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestTokenHash(t *testing.T) {
	var d Document
	h := fnv.New64a()
	h.Write([]byte("smith"))
	for _, w := range []string{"smith", "SMITH", "Smíth", "ｓｍｉｔｈ"} {
		d.Reset(w)
		if d.Tokens[0].Hash != h.Sum64() {
			t.Errorf("%q has another hash", w)
		}
	}
}

func TestTokenFlags(t *testing.T) {
	var d Document
	d.Reset("a b-c")
	for i, want := range []bool{false, false, true, true} {
		if got := d.Tokens[i].Glued(); got != want {
			t.Errorf("token %d: glued %v", i, got)
		}
	}
	d.Reset("!!! ．")
	if d.Tokens[0].Times() != 3 || d.Tokens[1].Times() != 1 {
		t.Error("repeated punctuation")
	}
}

// Whatever the text is: tokens are in order, do not overlap, are on rune boundaries, and nothing
// visible is left out.
func checkTokens(t interface{ Fatalf(string, ...any) }, d *Document) {
	end, valid := 0, utf8.ValidString(d.Text)
	for i := range d.Tokens {
		k := &d.Tokens[i]
		if int(k.Start) < end || k.End <= k.Start || int(k.End) > len(d.Text) {
			t.Fatalf("token %d from %d to %d after %d", i, k.Start, k.End, end)
		}
		for b := end; b < int(k.Start); b++ {
			if c := d.Text[b]; c > ' ' && c < 127 {
				t.Fatalf("byte %d lies in no token", b)
			}
		}
		if valid && (!utf8.RuneStart(d.Text[k.Start]) || int(k.End) < len(d.Text) && !utf8.RuneStart(d.Text[k.End])) {
			t.Fatalf("token %d cuts a rune", i)
		}
		end = int(k.End)
	}
}

func TestTokensCoverTheText(t *testing.T) {
	var d Document
	rapid.Check(t, func(t *rapid.T) {
		d.Reset(rapid.String().Draw(t, "text"))
		checkTokens(t, &d)
	})
}

func TestRuneOffset(t *testing.T) {
	var d Document
	texts := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("A1 \U000E0020\u00ad"))))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(texts.Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "times"))
		d.Reset(text)
		for range 5 {
			b := rapid.IntRange(0, len(text)).Draw(t, "at")
			for b < len(text) && !utf8.RuneStart(text[b]) {
				b++
			}
			if got, want := d.RuneOffset(b), utf8.RuneCountInString(text[:b]); got != want {
				t.Fatalf("byte %d: rune %d, want %d", b, got, want)
			}
		}
	})
}

func FuzzReset(f *testing.F) {
	for _, s := range []string{"Hello, Bob", "I'm", "'''s", "\xff\xfe", "e\u0301", "\u200b", "５", "a’s"} {
		f.Add(s)
	}
	var d Document
	f.Fuzz(func(t *testing.T, text string) {
		d.Reset(text)
		checkTokens(t, &d)
	})
}

// No two words of the dictionary may have the same key bits of the hash. Lookups compare the whole
// hash, so every word must be found as itself.
func TestDictionary(t *testing.T) {
	var d Document
	for _, c := range []struct {
		word string
		bits Bits
		num  uint8
		ch   byte
	}{
		{"five", NumWord, 5, 0}, {"oh", NumWord, 0, 0}, {"nineteen", Teen, 19, 0}, {"forty", Tens, 40, 0}, {"hundred", Scale, 2, 0}, {"triple", Mult, 3, 0},
		{"november", Month | Spelling, 11, 'n'}, {"bravo", Spelling, 0, 'b'}, {"kay", LetterName, 0, 'k'}, {"see", LetterSound | Function, 0, 'c'},
		{"for", Homophone | Function, 4, 0}, {"dot", Connect, 0, '.'}, {"underscore", Connect, 0, '_'}, {"uh", Filler, 0, 0}, {"twentieth", Ordinal, 20, 0},
		{"3rd", Ordinal, 3, 0}, {"avenue", StreetType, 0, 0}, {"drive", StreetType | Ambiguous, 0, 0}, {"ontario", Province, 0, 0}, {"ohio", State, 0, 0},
		{"dollars", Currency, 0, 0}, {"minutes", Measure, 0, 0}, {"gmail", MailHost, 0, 0}, {"email", IsHotword, 0, 0},
	} {
		d.Reset(c.word)
		k := &d.Tokens[0]
		if k.Bits&c.bits != c.bits || k.Num != c.num || k.Ch != c.ch {
			t.Errorf("%s: bits %x, number %d, character %q", c.word, k.Bits, k.Num, k.Ch)
		}
	}
}

func TestHotwords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Hotword
	}{
		{"what's your date of birth?", []Hotword{HotBirth}},
		{"the e-mail address and zip code", []Hotword{HotEmail, hotwordOf("postal code")}},
		{"card number, security code", []Hotword{CreditCardNumber.Hotword(), hotwordOf("card code")}},
		{"your driver's license number", []Hotword{hotwordOf("account")}},
		{"last 4 of your social", []Hotword{HotLast, SSN.Hotword()}},
		{"nothing here", nil},
		{"IP address, MAC address", []Hotword{HotIP, HotMAC}},
	} {
		var d Document
		d.Reset(c.text)
		var got []Hotword
		for _, h := range d.Hotwords {
			got = append(got, h.Hotword)
		}
		if len(got) != len(c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: %v, want %v", c.text, got, c.want)
			}
		}
	}
}

func TestNear(t *testing.T) {
	var d Document
	d.Reset("phone 555 and 12 card")
	n := d.Near(6, 9, 100, 40)
	if n[PhoneNumber.Hotword()] != 1 || n[CreditCardNumber.Hotword()] != 8+afterPenalty || n[HotEmail] != Far {
		t.Errorf("phone %d, card %d, e-mail %d", n[PhoneNumber.Hotword()], n[CreditCardNumber.Hotword()], n[HotEmail])
	}
	n = d.Near(14, 16, 5, 0)
	if n[PhoneNumber.Hotword()] != Far || n[CreditCardNumber.Hotword()] != Far {
		t.Error("hotwords outside of the window count")
	}
	if !d.HotBefore(PhoneNumber.Hotword(), 1, 1) || d.HotBefore(PhoneNumber.Hotword(), 3, 5) || d.HotBefore(CreditCardNumber.Hotword(), 1, 100) {
		t.Error("HotBefore")
	}
}

func TestResetForgets(t *testing.T) {
	var d Document
	d.Reset("my phone is five")
	d.Role = RoleAgent
	d.Add(Finding{Start: 0, End: 2, Type: Numeric})
	d.Reset("x")
	if len(d.Tokens) != 1 || len(d.Hotwords)+len(d.Findings) != 0 || d.Role != RoleUnknown || d.Has(IsHotword) {
		t.Error("something of the previous text is left")
	}
}

func TestAddIgnoresWhatIsOutside(t *testing.T) {
	var d Document
	d.Reset("abc")
	for _, f := range []Finding{{Start: -1, End: 2}, {Start: 2, End: 2}, {Start: 0, End: 4}, {Start: 3, End: 2}} {
		d.Add(f)
	}
	if len(d.Findings) != 0 {
		t.Errorf("%d findings", len(d.Findings))
	}
}

func BenchmarkReset(b *testing.B) {
	var d Document
	text := "Thank you for calling, my name is Example, how may I help you with your account today?"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d.Reset(text)
	}
}
