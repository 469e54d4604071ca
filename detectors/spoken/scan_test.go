package spoken

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	d "sotto/detectors"
)

// runsOf lists the runs with at least n digits and letters, as "symbols<surface>".
func runsOf(text string, least int) string {
	var doc d.Document
	doc.Reset(text)
	Scan(&doc)
	var out []string
	for i := range doc.Runs {
		if r := &doc.Runs[i]; r.Len() >= least {
			var symbols []byte
			for _, s := range doc.Symbols(r) {
				symbols = append(symbols, s.Ch)
			}
			out = append(out, string(symbols)+"<"+text[r.Start:r.End]+">")
		}
	}
	return strings.Join(out, " ")
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Digits, one by one and in phrases.
		{"five five five oh one three four", "5550134<five five five oh one three four>"},
		{"eight hundred five five five oh one three four", "8005550134<eight hundred five five five oh one three four>"},
		{"seven hundred and forty two", "742<seven hundred and forty two>"},
		{"one thousand nine hundred thirty eight", "1938<one thousand nine hundred thirty eight>"},
		{"two thousand five", "2005<two thousand five>"},
		{"two hundred thousand", "200000<two hundred thousand>"},
		{"two hundred and seventeen thousand four hundred and five", "217405<two hundred and seventeen thousand four hundred and five>"},
		{"thirty two million four hundred and eleven thousand nine hundred and eighty seven", "32411987<thirty two million four hundred and eleven thousand nine hundred and eighty seven>"},
		{"a million two hundred thousand and seventeen", "1200017<million two hundred thousand and seventeen>"},
		{"eight hundred twenty thousand", "820000<eight hundred twenty thousand>"},
		{"forty two hundred seventeen thousand", "4217000<forty two hundred seventeen thousand>"},
		{"one thousand one thousand two hundred one hundred", "10001200100<one thousand one thousand two hundred one hundred>"},
		{"nineteen eighty five", "1985<nineteen eighty five>"},
		{"ten nineteen twenty oh four", "10192004<ten nineteen twenty oh four>"},
		{"one ninety two dot one sixty eight dot one dot one", "192.168.1.1<one ninety two dot one sixty eight dot one dot one>"},
		{"double seven triple oh 4", "770004<double seven triple oh 4>"},
		{"nine two double three two", "92332<nine two double three two>"},
		{"three forty-eight", "348<three forty-eight>"},
		{"O five O three", "0503<O five O three>"},
		{"one 8 one one nine 02 uh 5937", "18119025937<one 8 one one nine 02 uh 5937>"},
		{"five you know five I mean five well 0 1", "55501<five you know five I mean five well 0 1>"},
		// An order that is told in words.
		{"five followed by six followed by two followed by nine", "5629<five followed by six followed by two followed by nine>"},
		{"five. Followed by six. Followed by two. Then nine.", "5629<five. Followed by six. Followed by two. Then nine>"},
		{"it starts with four two and ends with nine one", "4291<four two and ends with nine one>"},
		{"a four a seven a nine and a two", "4792<four a seven a nine and a two>"},
		{"a four first, then comes a seven, then a 9, and finally a two", "4792<four first, then comes a seven, then a 9, and finally a two>"},
		{"five five five oh one three four and then five five five oh one three five", "5550134<five five five oh one three four> 5550135<five five five oh one three five>"},
		{"one and two and three", ""},
		{"from nine to five and then six", ""},
		{"two then three hundred then five", "300<three hundred>"},
		// Words that sound like letters.
		{"my last name is see you why are tea", "cuyrt<see you why are tea>"},
		{"it's Curt, see you are tea", "curt<see you are tea>"},
		{"surname Quy, queue you why", "quy<queue you why>"},
		{"see you at tea", ""},
		{"why are you here, be a dear", ""},
		{"it's pea are eye see ee", "price<pea are eye see ee>"},
		{"pea are eye see ee thank you", "price<pea are eye see ee>"},
		{"thank you pea are eye see ee", "price<pea are eye see ee>"},
		{"em ay pea el ee", "maple<em ay pea el ee>"},
		{"gee eye en ay", "gina<gee eye en ay>"},
		{"tea oh em", "tom<tea oh em>"},
		{"oh why are you here", ""},
		{"I see, are you in the tea room", ""},
		{"be a sea eel", ""},
		{"a pea or a bee", ""},
		// Spanish and French.
		{"it's cinco cinco cinco, cero uno dos tres", "5550123<cinco cinco cinco, cero uno dos tres>"},
		{"cinco seis siete ocho nueve uno tres cuatro", "56789134<cinco seis siete ocho nueve uno tres cuatro>"},
		{"seis zero cuatro five five five doble dos", "60455522<seis zero cuatro five five five doble dos>"},
		{"my pin is cuatro 7 dos 9", "4729<cuatro 7 dos 9>"},
		{"treinta y cinco veintidos catorce once doce", "3522141112<treinta y cinco veintidos catorce once doce>"},
		{"quatre un sept neuf dix-huit", "417910-8<quatre un sept neuf dix-huit>"},
		{"zéro six, douze, trente-quatre, vingt et un, soixante-dix", "0612342170<zéro six, douze, trente-quatre, vingt et un, soixante-dix>"},
		{"five five five dos", "5552<five five five dos>"},
		{"DOS 622 and uno", "622<622>"},
		{"Maria Dos Santos, unit 555 Dos Santos on Cinco de Mayo", "555<555>"},
		{"Sept 5 2020, once 555 came", "52020<5 2020> 555<555>"},
		{"the UN 1325 goals, seize 20 boxes", "1325<1325> 20<20>"},
		// A counted thing is not a letter.
		{"flight 300 hotel 120", "300<300> 120<120>"},
		{"42 hotel bravo 7", "42hb7<42 hotel bravo 7>"},
		// Written groups.
		{"(604) 555-0134", "604555-0134<(604) 555-0134>"},
		{"+1 604 555 0134", "16045550134<+1 604 555 0134>"},
		{"1,200.50", "1200.50<1,200.50>"},
		{"#096636", "096636<#096636>"},
		{"five five five, eight eight nine", "555889<five five five, eight eight nine>"},
		{"five five five dash three three", "555-33<five five five dash three three>"},
		// Letters, spelled in every way.
		{"A-L-P-H-A", "a-l-p-h-a<A-L-P-H-A>"},
		{"M as in Mary, A, R, K", "mark<M as in Mary, A, R, K>"},
		{"B as in um boy, K", "bk<B as in um boy, K>"},
		{"V for Victor, I for India", "vi<V for Victor, I for India>"},
		{"em ay are kay", "mark<em ay are kay>"},
		{"capital J o h n", "john<capital J o h n>"},
		{"Q U I L L A N. I'm the other one", "quillan<Q U I L L A N>"},
		{"it ends in T I. I've got two", "ti<T I>"},
		{"double L", "ll<double L>"},
		{"H A Y N E S", "haynes<H A Y N E S>"},
		{"m a r i a", "maria<m a r i a>"},
		{"bravo charlie", "bc<bravo charlie>"},
		{"five eight alpha zero nine bravo", "58a09b<five eight alpha zero nine bravo>"},
		{"J-O-H-N S-M-I-T-H", "j-o-h-n<J-O-H-N> s-m-i-t-h<S-M-I-T-H>"},
		{"s h a n e K-O-H-N-K-E nine 8", "shanek-o-h-n-k-e98<s h a n e K-O-H-N-K-E nine 8>"},
		// Letters and digits.
		{"It's B. 231 C. for A. two.", "b231c4a2<B. 231 C. for A. two>"},
		{"M-K two one @abc.com", "m-k21<M-K two one>"},
		{"a 4 g 4 f 3", "a4g4f3<a 4 g 4 f 3>"},
		{"A-09773", "a-09773<A-09773>"},
		{"D as in david 80 colon e four", "d80:e4<D as in david 80 colon e four>"},
		// Words that only sound like a digit or a letter.
		{"five five five for one two", "555412<five five five for one two>"},
		{"six oh four five owe five three", "6045053<six oh four five owe five three>"},
		{"what I owe five people, they owe 4 of us", ""},
		{"we open from nine to five", ""},
		{"for 2 to 4 people", ""},
		{"two for one", ""},
		{"thank you four contacting", ""},
		{"i see you are here", ""},
		{"I I I think", ""},
		{"november fourth", ""},
		{"Mike, 555 0134", "5550134<555 0134>"},
		{"hundreds of people", ""},
		{"double check that", ""},
		// Times and units are not codes.
		{"at 9 a m", ""},
		{"the 42nd of 7", ""},
		{"200GB of data", ""},
		// Other scripts and invisible characters.
		{"５５５０１３４", "5550134<５５５０１３４>"},
		{"٥٥٥ ٠١٣٤", "5550134<٥٥٥ ٠١٣٤>"},
		{"5\u200b5\u200d5\u20600134", "5550134<5\u200b5\u200d5\u20600134>"},
		{"4\u202e1\u202c1 1", "4111<4\u202e1\u202c1 1>"},
	} {
		if got := runsOf(c.text, 2); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestRunEdges(t *testing.T) {
	for _, c := range []struct {
		text          string
		opens, closes bool
	}{
		{"okay, it's five five five", true, true},
		{"five five five uh", true, true},
		{"my number begins with five five five", false, true},
		{"five five five is what I have", true, false},
		{"0134.", true, true},
	} {
		var doc d.Document
		doc.Reset(c.text)
		Scan(&doc)
		if len(doc.Runs) != 1 {
			t.Fatalf("%q: %d runs", c.text, len(doc.Runs))
		}
		if r := doc.Runs[0]; r.Opens != c.opens || r.Closes != c.closes {
			t.Errorf("%q: opens %v, closes %v", c.text, r.Opens, r.Closes)
		}
	}
}

func TestCorrectionsLink(t *testing.T) {
	for text, want := range map[string]bool{
		"five five no wait five five six":            true,
		"it is 44, sorry, 45 12":                     true,
		"five five and then I called five five six":  false,
		"the first is 12 and the other one is 13 14": false,
	} {
		var doc d.Document
		doc.Reset(text)
		Scan(&doc)
		if len(doc.Runs) < 2 {
			t.Fatalf("%q: %d runs", text, len(doc.Runs))
		}
		if got := doc.Runs[len(doc.Runs)-1].Fixes; got != want {
			t.Errorf("%q: fixes %v", text, got)
		}
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"450 things":                  "450",
		"1,200 things":                "1200",
		"two hundred fifty things":    "250",
		"a hundred things":            "100",
		"twenty five things":          "25",
		"three thousand and one dogs": "3001",
		"four hundred five 2 things":  "",
		"5 5 5 things":                "",
	} {
		var doc d.Document
		doc.Reset(text)
		Scan(&doc)
		if len(doc.Runs) == 0 {
			t.Fatalf("%q: no run", text)
		}
		got := ""
		if r := &doc.Runs[0]; r.Quantity {
			got = string(d.AppendDigits(nil, doc.Symbols(r)))
		}
		if got != want {
			t.Errorf("%q: quantity %q, want %q", text, got, want)
		}
	}
}

var digitWordsOf = [10][]string{
	{"zero", "oh", "0"}, {"one", "1"}, {"two", "2"}, {"three", "3"}, {"four", "4"}, {"five", "5"}, {"six", "6"}, {"seven", "7"}, {"eight", "8"}, {"nine", "9"},
}

// dictated renders digits as a person may dictate them and a recognizer may write them: words and
// figures mixed, doubles, hesitations, groups.
func dictated(t *rapid.T, digits string) string {
	var out []string
	for i := 0; i < len(digits); {
		n := int(digits[i] - '0')
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "filler") == 0 {
			out = append(out, rapid.SampledFrom([]string{"uh", "um", "you know"}).Draw(t, "which"))
		}
		if i+1 < len(digits) && digits[i] == digits[i+1] && rapid.Bool().Draw(t, "double") {
			out = append(out, "double", rapid.SampledFrom(digitWordsOf[n]).Draw(t, "digit"))
			i += 2
			continue
		}
		if size := rapid.IntRange(1, 4).Draw(t, "group"); size > 1 && i+size <= len(digits) {
			out = append(out, digits[i:i+size])
			i += size
			continue
		}
		out = append(out, rapid.SampledFrom(digitWordsOf[n]).Draw(t, "digit"))
		i++
	}
	return strings.Join(out, " ")
}

func TestDictatedDigitsAreOneRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{3,16}`).Draw(t, "digits")
		text := dictated(t, digits)
		var doc d.Document
		doc.Reset("it is " + text + " thanks")
		Scan(&doc)
		if len(doc.Runs) != 1 {
			t.Fatalf("%q: %d runs", text, len(doc.Runs))
		}
		r := &doc.Runs[0]
		if got := string(d.AppendDigits(nil, doc.Symbols(r))); got != digits {
			t.Fatalf("%q: got %s, want %s", text, got, digits)
		}
		if got := doc.Text[r.Start:r.End]; got != text {
			t.Fatalf("covers %q of %q", got, text)
		}
	})
}

func TestSpelledWordsAreOneRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[b-hj-z][a-z]{2,9}`).Draw(t, "word")
		letters := strings.Split(strings.ToUpper(word), "")
		text := strings.Join(letters, rapid.SampledFrom([]string{"-", " ", ", ", ". "}).Draw(t, "separator"))
		if rapid.Bool().Draw(t, "as in") {
			text = letters[0] + " as in something " + strings.Join(letters[1:], " ")
		}
		var doc d.Document
		doc.Reset(text)
		Scan(&doc)
		if len(doc.Runs) != 1 || string(d.AppendCode(nil, doc.Symbols(&doc.Runs[0]))) != word {
			t.Fatalf("%q is not read as %s: %s", text, word, runsOf(text, 1))
		}
	})
}

// The mapping to the words is exact: the tokens of every symbol are in its run, in order, and runs
// do not overlap.
func checkRuns(t interface{ Fatalf(string, ...any) }, doc *d.Document) {
	end := -1
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.First <= end || r.Last < r.First || r.Last >= len(doc.Tokens) || r.Start != int(doc.Tokens[r.First].Start) || r.End != int(doc.Tokens[r.Last].End) {
			t.Fatalf("run %d: tokens %d to %d, bytes %d to %d", i, r.First, r.Last, r.Start, r.End)
		}
		end = r.Last
		last := uint32(r.First)
		for _, y := range doc.Symbols(r) {
			if y.First < last || y.Last < y.First || int(y.Last) > r.Last {
				t.Fatalf("run %d: symbol of tokens %d to %d", i, y.First, y.Last)
			}
			last = y.First
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"five five five oh one", "B. 231 C. for A. two", "M as in Mary", "a b c 1 2", "double", "1,2,3", "x-ray", "(604) 555"} {
		f.Add(s)
	}
	var doc d.Document
	f.Fuzz(func(t *testing.T, text string) {
		doc.Reset(text)
		Scan(&doc)
		checkRuns(t, &doc)
	})
}
