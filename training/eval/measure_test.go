package eval_test

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"sotto/internal/gold"
	"sotto/training/eval"
)

// anonymizer is a function that implements Anonymizer.
type anonymizer func(*gold.Conversation) ([][]eval.Mask, error)

func (f anonymizer) Anonymize(c *gold.Conversation) ([][]eval.Mask, error) { return f(c) }

// perfect masks exactly the labelled spans and gives each value of a call its own number.
var perfect = anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
	out := make([][]eval.Mask, len(c.Utterances))
	ids := make(map[string]int)
	for i, u := range c.Utterances {
		text := []rune(u.Text)
		for _, s := range u.Entities {
			key := s.Type + strings.ToLower(string(text[s.Start:s.End]))
			if ids[key] == 0 {
				ids[key] = len(ids) + 1
			}
			out[i] = append(out[i], eval.Mask{Start: s.Start, End: s.End, Type: s.Type, ID: ids[key]})
		}
	}
	return out, nil
})

var null = anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
	return make([][]eval.Mask, len(c.Utterances)), nil
})

// everything masks each utterance as one name.
var everything = anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
	out := make([][]eval.Mask, len(c.Utterances))
	for i, u := range c.Utterances {
		out[i] = []eval.Mask{{Start: 0, End: len([]rune(u.Text)), Type: "PERSON_NAME", ID: 1}}
	}
	return out, nil
})

// marked makes a conversation from utterances in which labelled spans are written as <TYPE|words>.
func marked(utterances ...string) gold.Conversation {
	c := gold.Conversation{ID: "made-up", Line: 1}
	for _, text := range utterances {
		u := gold.Utterance{Speaker: "agent"}
		plain, spans := unmark(text)
		u.Text = plain
		for _, s := range spans {
			u.Entities = append(u.Entities, gold.Span{Start: s.Start, End: s.End, Type: s.Type})
		}
		c.Utterances = append(c.Utterances, u)
	}
	return c
}

// masking is an Anonymizer that masks the spans that are marked as <TYPE#id|words> in the given
// utterances.
func masking(utterances ...string) anonymizer {
	return func(c *gold.Conversation) ([][]eval.Mask, error) {
		out := make([][]eval.Mask, len(c.Utterances))
		for i, text := range utterances {
			plain, spans := unmark(text)
			if plain != c.Utterances[i].Text {
				panic("the marked text is not that of the conversation")
			}
			out[i] = spans
		}
		return out, nil
	}
}

func unmark(text string) (string, []eval.Mask) {
	var plain []rune
	var spans []eval.Mask
	for text != "" {
		open := strings.IndexByte(text, '<')
		if open < 0 {
			plain = append(plain, []rune(text)...)
			break
		}
		plain = append(plain, []rune(text[:open])...)
		body, rest, _ := strings.Cut(text[open+1:], ">")
		tag, words, _ := strings.Cut(body, "|")
		infoType, number, _ := strings.Cut(tag, "#")
		id := 0
		for _, r := range number {
			id = 10*id + int(r-'0')
		}
		start := len(plain)
		plain = append(plain, []rune(words)...)
		spans = append(spans, eval.Mask{Start: start, End: len(plain), Type: infoType, ID: id})
		text = rest
	}
	return string(plain), spans
}

func run(t *testing.T, a eval.Anonymizer, o eval.Options, conversations ...gold.Conversation) *eval.Result {
	t.Helper()
	r, err := eval.Run([]eval.Set{{Name: "set", Conversations: conversations}}, a, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantShare(t *testing.T, what string, got eval.Share, part, whole int) {
	t.Helper()
	if got != (eval.Share{Part: part, Whole: whole}) {
		t.Errorf("%s is %d of %d, want %d of %d", what, got.Part, got.Whole, part, whole)
	}
}

func TestSpansAndCharacters(t *testing.T) {
	// Zoë is three code points and four bytes.
	c := marked(
		"Hi <PERSON_NAME|Zoë Kray>, it's <PERSON_NAME|Bo>.",
		"Mail <EMAIL_ADDRESS|zoe@abc.example> or call <PHONE_NUMBER|555-0134>.",
	)
	r := run(t, masking(
		"Hi <PERSON_NAME#1|Zoë> Kray, it's <LOCATION#1|Bo>.",
		"Mail <USER_NAME#1|zoe>@<DOMAIN_NAME#1|abc.example> or call 555-0134.",
	), eval.Options{}, c)
	name, mail, phone := r.ByType["PERSON_NAME"], r.ByType["EMAIL_ADDRESS"], r.ByType["PHONE_NUMBER"]
	if name.Gold != 2 || name.Masked != 1 || name.Partial != 1 {
		t.Errorf("names: %+v", name)
	}
	wantShare(t, "recall of names", name.Recall, 1, 2)
	wantShare(t, "recall of name characters", name.RecallChars, 3+2, 8+2)
	wantShare(t, "typed recall of names", name.TypedRecall, 0, 2)
	// Two masks cover all but the @ between them: nothing readable is left.
	wantShare(t, "recall of e-mail addresses", mail.Recall, 1, 1)
	wantShare(t, "recall of e-mail characters", mail.RecallChars, 14, 15)
	if mail.Cut != 1 || name.Cut != 0 || r.Cut != 1 {
		t.Errorf("cut into several tags: %d e-mail addresses, %d names, %d in all; want 1, 0 and 1", mail.Cut, name.Cut, r.Cut)
	}
	wantShare(t, "recall of phone numbers", phone.Recall, 0, 1)
	wantShare(t, "recall", r.Recall, 2, 4)
	wantShare(t, "recall by characters", r.RecallChars, 3+2+14, 10+15+8)
	wantShare(t, "precision", r.Precision, 4, 4)
	wantShare(t, "over-masked", r.OverMaskedTokens, 0, 5) // Hi, it's, Mail, or, call
	if got := r.Confusion["PERSON_NAME"]; got["PERSON_NAME"] != 1 || got["LOCATION"] != 1 {
		t.Errorf("confusion of names: %v", got)
	}
	if got := r.Confusion["EMAIL_ADDRESS"]; got["DOMAIN_NAME"] != 1 {
		t.Errorf("the longer mask counts: %v", got)
	}
	if got := r.Confusion["PHONE_NUMBER"]; got["(missed)"] != 1 {
		t.Errorf("confusion of phone numbers: %v", got)
	}
}

func TestOverMasking(t *testing.T) {
	c := marked("Well, <PERSON_NAME|Bo> said a well-known thing on <DATE|May 4> — 17 times!")
	r := run(t, masking("Well, <PERSON_NAME#1|Bo said> a <PERSON_NAME#2|well>-known thing on <DATE#1|May 4> — <NUMERIC#1|17 >times!"), eval.Options{}, c)
	// Well, said, a, well-known, thing, on, 17, times; not Bo, May, 4 and the dash.
	wantShare(t, "over-masked", r.OverMaskedTokens, 3, 8)
	name := r.ByType["PERSON_NAME"]
	wantShare(t, "precision of names", name.Precision, 1, 2)
	wantShare(t, "precision of name characters", name.PrecisionChars, 2, 2+4+4)
	wantShare(t, "precision of numbers", r.ByType["NUMERIC"].Precision, 0, 1)
	if n := r.ByType["PERSON_NAME"].OverMaskedTokens; n != 2 {
		t.Errorf("%d tokens masked as names without need, want 2", n)
	}
	if _, ok := r.ByType["DATE"]; ok {
		t.Error("a mask of nothing but a span that is not scored is counted")
	}
}

func TestWhatIsScored(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"on <DATE|May 4> at <TIME|noon> for <MONEY|ten dollars> and <OTHER|tea>", 0},
		{"a <GENDER|woman> of <ETHNIC_GROUP|some> group", 0},
		{"code <NUMERIC|808>", 1},
		{"code <NUMERIC|eight oh eight>", 1},
		{"code <NUMERIC|nine hundred fifty six>", 1},
		{"code <NUMERIC|8 0 8>", 1},
		{"call <NUMERIC|987-654-321>", 1},
		{"for <NUMERIC|two> people, <NUMERIC|24-48> hours, <NUMERIC|66> degrees", 0},
		{"over <NUMERIC|23,000> or <NUMERIC|15.25> or <NUMERIC|100%> or <NUMERIC|300 million>", 0},
		{"<PERSON_NAME|Bo> of <NEVER_HEARD_OF|it>", 2},
	} {
		if r := run(t, null, eval.Options{}, marked(c.text)); r.Gold != c.want {
			t.Errorf("%s: %d spans scored, want %d", c.text, r.Gold, c.want)
		}
	}
	o := eval.Options{Types: []string{"DATE", "PERSON_NAME"}}
	r := run(t, null, o, marked("<PERSON_NAME|Bo> on <DATE|May 4> in <LOCATION|Hamm>"))
	if r.Gold != 2 {
		t.Errorf("with --types: %d spans scored, want 2", r.Gold)
	}
	wantShare(t, "over-masked", r.OverMaskedTokens, 0, 2)
}

func TestFullyAnonymizedCalls(t *testing.T) {
	whole := marked("I am <PERSON_NAME|Bo Li> in <LOCATION|Hamm>")
	_, err := eval.Run([]eval.Set{{Name: "a", Conversations: []gold.Conversation{whole, marked("Nothing here")}}},
		masking("I am <PERSON_NAME#1|Bo Li> in Hamm"), eval.Options{})
	if err == nil {
		t.Fatal("masks for another conversation were accepted") // the second call has another text
	}
	if strings.Contains(err.Error(), "Nothing") || !strings.Contains(err.Error(), "a: line 1") {
		t.Errorf("error %q", err)
	}
	r := run(t, masking("I am <PERSON_NAME#1|Bo Li> in Hamm"), eval.Options{}, whole)
	wantShare(t, "fully anonymized", r.FullyAnonymizedCalls, 0, 1)
	wantShare(t, "fully anonymized of direct identifiers", r.FullyAnonymizedDirect, 1, 1)
	r = run(t, masking("I am <PERSON_NAME#1|Bo> Li in <LOCATION#1|Hamm>"), eval.Options{}, whole)
	wantShare(t, "fully anonymized of direct identifiers", r.FullyAnonymizedDirect, 0, 1)
	r = run(t, null, eval.Options{}, marked("Nothing here"))
	wantShare(t, "fully anonymized", r.FullyAnonymizedCalls, 1, 1)
}

func TestSameEntitySameNumber(t *testing.T) {
	c := marked(
		"<PERSON_NAME|Mark> here", "<PERSON_NAME|M-A-R-K>", "<PERSON_NAME|Bo>", "<PERSON_NAME|bo>",
		"<PHONE_NUMBER|555-0134>", "<PHONE_NUMBER|five five five oh one three four>", "<LOCATION|Hamm>",
		"<LOCATION|Hamm>", "<LOCATION|Hamm>",
	)
	for _, k := range []struct {
		what                           string
		a                              anonymizer
		one, repeated, shared, numbers int
	}{
		{"all agree", masking("<PERSON_NAME#1|Mark> here", "<PERSON_NAME#1|M-A-R-K>", "<PERSON_NAME#2|Bo>", "<PERSON_NAME#2|bo>",
			"<PHONE_NUMBER#1|555-0134>", "<PHONE_NUMBER#1|five five five oh one three four>", "<LOCATION#1|Hamm>", "Hamm", "<LOCATION#1|Hamm>"), 4, 4, 0, 4},
		{"one of three differs", masking("<PERSON_NAME#1|Mark> here", "<PERSON_NAME#1|M-A-R-K>", "<PERSON_NAME#2|Bo>", "<PERSON_NAME#2|bo>",
			"<PHONE_NUMBER#1|555-0134>", "<PHONE_NUMBER#1|five five five oh one three four>", "<LOCATION#1|Hamm>", "<LOCATION#1|Hamm>", "<LOCATION#2|Hamm>"), 3, 4, 0, 5},
		{"another type is another number", masking("<PERSON_NAME#1|Mark> here", "<SPELLED_WORD#1|M-A-R-K>", "Bo", "bo",
			"555-0134", "five five five oh one three four", "Hamm", "Hamm", "Hamm"), 0, 1, 0, 2},
		{"no number is no number", masking("<PERSON_NAME|Mark> here", "<PERSON_NAME|M-A-R-K>", "Bo", "bo",
			"555-0134", "five five five oh one three four", "Hamm", "Hamm", "Hamm"), 0, 1, 0, 0},
		{"cut in two is left out", masking("<PERSON_NAME#1|Mark> here", "<PERSON_NAME#2|M-A>-<PERSON_NAME#3|R-K>", "Bo", "bo",
			"555-0134", "five five five oh one three four", "Hamm", "Hamm", "Hamm"), 0, 0, 0, 1},
		{"merged wrongly", masking("<PERSON_NAME#1|Mark> here", "<PERSON_NAME#1|M-A-R-K>", "<PERSON_NAME#1|Bo>", "bo",
			"555-0134", "five five five oh one three four", "Hamm", "Hamm", "Hamm"), 1, 1, 1, 1},
	} {
		r := run(t, k.a, eval.Options{}, c)
		wantShare(t, k.what+": same number", r.SameEntitySameNumber, k.one, k.repeated)
		wantShare(t, k.what+": shared numbers", r.SharedNumbers, k.shared, k.numbers)
	}
	// Numbers have no meaning outside of their call.
	r := run(t, anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
		return [][]eval.Mask{{{Start: 0, End: 2, Type: "PERSON_NAME", ID: len(c.ID)}}}, nil
	}), eval.Options{}, gold.Conversation{ID: "1", Utterances: marked("<PERSON_NAME|Bo>").Utterances}, gold.Conversation{ID: "22", Utterances: marked("<PERSON_NAME|Bo>").Utterances})
	wantShare(t, "across calls", r.SameEntitySameNumber, 0, 0)
}

func TestResidualRisk(t *testing.T) {
	calls := []gold.Conversation{
		marked("<PERSON_NAME|Mark>", "it's <PERSON_NAME|Marc>, <PERSON_NAME|M-A-R-K>"), // 5, once
		marked("<PERSON_NAME|Rachel Green>", "<EMAIL_ADDRESS|mk@abc.example>"),         // 3 and 2 below
		marked("<ORGANIZATION_NAME|Dunder Mifflin>", "<DATE|May 4>"),                   // 0
	}
	some := anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
		masks, _ := null(c)
		for i, u := range c.Utterances {
			if strings.HasPrefix(u.Text, "Rachel") {
				masks[i] = []eval.Mask{{Start: 0, End: 6, Type: "PERSON_NAME", ID: 1}}
			}
			if strings.HasPrefix(u.Text, "mk@") {
				masks[i] = []eval.Mask{{Start: 2, End: 14, Type: "EMAIL_ADDRESS", ID: 1}}
			}
		}
		return masks, nil
	})
	risk := run(t, some, eval.Options{}, calls...).ResidualRisk
	// Scores 5, 5, 0: mean 10/3, sample variance 25/3; between the last two
	// scores the quantile stays at 5.
	if risk.Count != 3 || math.Abs(risk.Mean-10.0/3) > 1e-12 || math.Abs(risk.Std-math.Sqrt(25.0/3)) > 1e-12 || risk.P95 != 5 || risk.Max != 5 || risk.Passes {
		t.Errorf("residual risk %+v", risk)
	}
	own := marked("<ORGANIZATION_NAME|Dunder Mifflin>")
	own.Utterances[0].Entities[0].OfSpeaker = true
	if risk := run(t, null, eval.Options{}, own).ResidualRisk; risk.Max != 2 || !risk.Passes {
		t.Errorf("a speaker's own organization: %+v", risk)
	}
}

// invariant are conversations for the measures of extreme anonymizers.
func invariant() []gold.Conversation {
	return []gold.Conversation{
		marked("<PERSON_NAME|Bo Li> of <ORGANIZATION_NAME|Dunder Mifflin>, in <LOCATION|Hamm>.", "Yes, <PERSON_NAME|bo li>, on <DATE|May 4>."),
		marked("Nobody says anything."),
		marked("<GENERIC_ID|B. 231 C. for A. two>"),
	}
}

func TestAPerfectAnonymizer(t *testing.T) {
	r := run(t, perfect, eval.Options{Errors: true}, invariant()...)
	if r.Recall.Value() != 1 || r.RecallChars.Value() != 1 || r.Precision.Value() != 1 || r.PrecisionChars.Value() != 1 ||
		r.OverMaskedTokens.Part != 0 || r.FullyAnonymizedCalls.Value() != 1 || r.SameEntitySameNumber != (eval.Share{Part: 1, Whole: 1}) ||
		r.ResidualRisk.Max != 0 || !r.ResidualRisk.Passes || len(r.Errors) != 0 {
		t.Errorf("report %+v", r.Report)
	}
}

func TestAnAnonymizerThatDoesNothing(t *testing.T) {
	r := run(t, null, eval.Options{Errors: true}, invariant()...)
	if r.Recall.Part != 0 || r.RecallChars.Part != 0 || r.Precision.Whole != 0 || r.OverMaskedTokens.Part != 0 ||
		r.FullyAnonymizedCalls.Part != 1 || r.SameEntitySameNumber.Whole != 0 || r.ResidualRisk.Max != 7 || len(r.Errors) != 4 {
		t.Errorf("report %+v", r.Report)
	}
}

func TestAnAnonymizerThatMasksEverything(t *testing.T) {
	r := run(t, everything, eval.Options{}, invariant()...)
	if r.Recall.Value() != 1 || r.RecallChars.Value() != 1 || r.OverMaskedTokens.Value() != 1 || r.FullyAnonymizedCalls.Value() != 1 || r.ResidualRisk.Max != 0 {
		t.Errorf("report %+v", r.Report)
	}
}

func TestLowerAndUnpunct(t *testing.T) {
	c := []gold.Conversation{marked("“Hello,” İ am <PERSON_NAME|Zoë Kray>. Mail <EMAIL_ADDRESS|Zoe@abc.example>, (<PHONE_NUMBER|(604) 555-0134>)! <OTHER|...>")}
	low := gold.Lower(c)[0].Utterances[0]
	if low.Text != "“hello,” i am zoë kray. mail zoe@abc.example, ((604) 555-0134)! ..." {
		t.Errorf("lower-cased: %s", low.Text)
	}
	bare := gold.Unpunct(c)[0].Utterances[0]
	if bare.Text != "Hello İ am Zoë Kray Mail Zoe@abc.example 604 555-0134 " {
		t.Errorf("without punctuation: %q", bare.Text)
	}
	var got []string
	for _, s := range bare.Entities {
		got = append(got, string([]rune(bare.Text)[s.Start:s.End]))
	}
	if strings.Join(got, "|") != "Zoë Kray|Zoe@abc.example|604 555-0134" {
		t.Errorf("spans without punctuation: %q", got)
	}
	if strings.IndexFunc(c[0].Utterances[0].Text, unicode.IsUpper) < 0 || len(c[0].Utterances[0].Entities) != 4 {
		t.Error("the original was changed")
	}
}
