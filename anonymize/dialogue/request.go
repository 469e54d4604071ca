package dialogue

import (
	_ "embed"
	"slices"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/state"
	"sotto/state/linking"
)

//go:embed requests.txt
var requestText string

var requestLists = wordlist.MustParse(ruledata.Text("anonymize/dialogue/requests.txt", requestText))

// askedFor are the lists of requests.txt that say what is asked for, and which part of a name.
var askedFor = []struct {
	list     string
	infoType detectors.InfoType
	part     linking.Part
}{
	{"asks for a name", detectors.PersonName, linking.PartAny},
	{"asks for a given name", detectors.PersonName, linking.PartGiven},
	{"asks for a surname", detectors.PersonName, linking.PartSurname},
	{"asks for an organization", detectors.OrganizationName, linking.PartAny},
	{"asks for a date of birth", detectors.DateOfBirth, linking.PartAny},
	{"asks for an id", detectors.GenericID, linking.PartAny},
	{"asks for a url", detectors.URL, linking.PartAny},
	{"asks for an address", detectors.StreetAddress, linking.PartAny},
	{"asks for an age", detectors.Age, linking.PartAny},
}

var (
	// targets are the phrases of askedFor. Their values are positions there.
	targets       = buildTargets()
	questionWords = requestLists.Set("question words")
	againPhrases  = detectors.PhrasesOf[uint8](requestLists, "asks again")
	asksOn        = detectors.PhrasesOf[uint8](requestLists, "asks on")
	asksForMore   = detectors.PhrasesOf[uint8](requestLists, "asks for more")
	askersOwn     = requestLists.Set("asker's own")
	numberWords   = requestLists.Set("asks for a number")
)

func buildTargets() *detectors.Phrases[uint8] {
	var lists []string
	for _, a := range askedFor {
		lists = append(lists, a.list)
	}
	return detectors.PhrasesOf[uint8](requestLists, lists...)
}

// questionsIn appends what the text asks for to dst. again says that it asks to
// hear or spell once more what was said last.
//
// It is a question when its sentence asks, or when the agent names what he
// wants, and the sentence itself does not give it: no value comes after. name is where the last name that it asks for
// would follow, in bytes.
func questionsIn(doc *detectors.Document, dst []state.Question) (q []state.Question, again bool, name int) {
	q = dst
	for start := 0; start < len(doc.Tokens); {
		end := start
		for end < len(doc.Tokens) && !endsSentence(&doc.Tokens[end]) {
			end++
		}
		mark := end < len(doc.Tokens) && doc.Tokens[end].Ch == '?'
		if mark || asks(doc, start, end) {
			var more bool
			var at int
			q, more, at = sentence(doc, q, start, end)
			again, name = again || more, max(name, at)
		}
		start = end + 1
	}
	return q, again, name
}

func endsSentence(t *detectors.Token) bool {
	return t.Class == detectors.Punct && (t.Ch == '?' || t.Ch == '!' || t.Ch == '.')
}

// asks reports whether the tokens of a sentence without a question mark ask for
// something.
func asks(doc *detectors.Document, start, end int) bool {
	for i := start; i < end; i++ {
		if doc.WordIn(i, questionWords) || stands(asksForMore, doc, i) {
			return true
		}
	}
	if end-start >= 3 && end-start <= 10 && stands(asksOn, doc, start) {
		return true
	}
	return doc.Role == detectors.RoleAgent && end-start <= 6
}

// stands reports whether a phrase begins at token i.
func stands(p *detectors.Phrases[uint8], doc *detectors.Document, i int) bool {
	_, n := p.Longest(doc, i, nil)
	return n > 0
}

// sentence appends what the tokens of one sentence ask for, and returns where the name that it asks for would follow.
func sentence(doc *detectors.Document, q []state.Question, start, end int) ([]state.Question, bool, int) {
	again, name := false, 0
	spell, number, first := false, false, len(q)
	for i := start; i < end; i++ {
		number = number || doc.WordIn(i, numberWords)
		again = again || stands(againPhrases, doc, i)
		if l, n := targets.Longest(doc, i, nil); n > 0 && !isAskersOwn(doc, start, i) {
			q = appendQuestion(q, askedFor[l].infoType, askedFor[l].part)
			if askedFor[l].infoType == detectors.PersonName {
				q[slices.IndexFunc(q, isForName)].Whose = whoseAt(doc, start, i, i+n)
				name = int(doc.Tokens[i+n-1].End)
			}
		}
	}
	from, to := 0, 0
	if start < end {
		from, to = int(doc.Tokens[start].Start), int(doc.Tokens[end-1].End)
	}
	for i := range doc.Hotwords {
		h := &doc.Hotwords[i]
		if h.Start < from || h.End > to {
			continue
		}
		spell = spell || h.Hotword == detectors.HotSpell
		if t := h.Hotword.InfoType(); t != "" && !isAskersOwn(doc, start, doc.TokenAt(h.Start)) {
			q = appendQuestion(q, t, linking.PartAny)
		}
	}
	for i := first; i < len(q); i++ {
		q[i].Spell = q[i].Spell || spell
		q[i].Number = q[i].Number || number
	}
	if spell && len(q) == first {
		again = true
		for i := range q { // "What's your name? Please spell it."
			q[i].Spell = true
		}
	}
	return q, again, name
}

func isForName(q state.Question) bool { return q.Type == string(detectors.PersonName) }

// whoseAt returns whose the value is that tokens i to end-1, in a sentence that begins at start, ask for.
func whoseAt(doc *detectors.Document, start, i, end int) state.Whose {
	for k := end - 1; k >= max(start, i-2); k-- {
		switch {
		case k > start && doc.Tokens[k].Class == detectors.Clitic && !doc.Tokens[k-1].Is(detectors.Function), // "your wife's"; not "what's the"
			doc.WordIs(k, "his"), doc.WordIs(k, "her"), doc.WordIs(k, "their"):
			return state.OfThird
		case doc.WordIs(k, "your"):
			return state.OfListener
		}
	}
	return state.OfAnybody
}

// isAskersOwn reports whether the word before token i, in a sentence that begins
// at start, makes it the asker's own: "what's my account balance".
func isAskersOwn(doc *detectors.Document, start, i int) bool {
	return i > start && doc.WordIn(i-1, askersOwn)
}

func appendQuestion(q []state.Question, t detectors.InfoType, part linking.Part) []state.Question {
	for i := range q {
		if q[i].Type == string(t) {
			if q[i].Part != part {
				q[i].Part = linking.PartAny // "your first name and your last name"
			}
			return q
		}
	}
	return append(q, state.Question{Type: string(t), Part: part})
}
