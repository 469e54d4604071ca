package cue

import (
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Question is something that a text asks for.
type Question struct {
	Type detectors.InfoType
	// Part is HintGiven or HintSurname when a part of a name is asked for.
	Part detectors.Hint
	// Spelled says that it is asked for letter by letter; Partial, that only a
	// part of it is, such as the last four digits.
	Spelled, Partial bool
}

// target is what a phrase in a question asks for.
type target struct {
	rest []uint64
	q    Question
}

// targetText lists, for what the hotwords do not tell, the phrases by which it
// is asked for.
var targetText = []struct {
	q    Question
	text string
}{
	{Question{Type: detectors.PersonName}, "your name, full name, first and last name, the name, what name, whose name, name is the account, " +
		"am i speaking, i 'm speaking, i am speaking, i have the pleasure, who is this, who 's this, who 's calling, who is calling, " +
		"whom am i, do i have, name on the account, name of the, name under, names, his name, her name, their name, name please, name again, " +
		"am i talking, i 'm talking, emergency contact, anyone else authorized, someone else authorized, name for the, cardholder 's name, " +
		"account holder 's name, a name, patient 's name, driver 's name, who am i, speaking with today, i address you, should i call you, " +
		"who should we list, name as it, name was, account under, are you called"},
	{Question{Type: detectors.PersonName, Part: detectors.HintGiven}, "first name, given name, forename, middle name"},
	{Question{Type: detectors.PersonName, Part: detectors.HintSurname}, "last name, surname, family name, maiden name, second name"},
	{Question{Type: detectors.OrganizationName}, "company name, name of your company, name of the company, business name, your employer, do you work, " +
		"which company, what company, your company 's name, name of your business, which organization, what organization, which bank"},
	{Question{Type: detectors.DateOfBirth}, "you born, year were you, your birthday, your dob"},
	{Question{Type: detectors.GenericID}, "sent you a code, verification code, the code, license plate, your id, registration, access code, " +
		"confirmation code, your pin, pass code, passcode, security answer, plate number"},
	{Question{Type: detectors.URL}, "which page, what page, which website, what website, which site, the url, address bar"},
	{Question{Type: detectors.StreetAddress}, "apartment number, unit number, suite number, house number, street number, apartment or unit, building number, what street, which street"},
	{Question{Type: detectors.Age}, "how old, your age, the age"},
}

// HotwordOf is the hotword that speaks of an infoType; HotNone when there is
// none.
func HotwordOf(t detectors.InfoType) detectors.Hotword {
	for h := detectors.HotEmail; h <= detectors.HotCookie; h++ {
		if x, ok := TypeOf(h); ok && x == t {
			return h
		}
	}
	return detectors.HotNone
}

// TypeOf is the infoType that a hotword speaks of; false for one that speaks of
// none.
func TypeOf(h detectors.Hotword) (detectors.InfoType, bool) {
	switch h {
	case detectors.HotEmail:
		return detectors.EmailAddress, true
	case detectors.HotPhone:
		return detectors.PhoneNumber, true
	case detectors.HotCard:
		return detectors.CreditCardNumber, true
	case detectors.HotCardCode, detectors.HotExpiry:
		return detectors.Numeric, true
	case detectors.HotSSN:
		return detectors.SSN, true
	case detectors.HotAccount, detectors.HotPlate, detectors.HotSecret:
		return detectors.GenericID, true
	case detectors.HotUserName:
		return detectors.UserName, true
	case detectors.HotAddress, detectors.HotPostal:
		return detectors.StreetAddress, true
	case detectors.HotBirth:
		return detectors.DateOfBirth, true
	case detectors.HotAge:
		return detectors.Age, true
	case detectors.HotMedicalRecord:
		return detectors.MedicalRecordNumber, true
	case detectors.HotIBAN:
		return detectors.IBAN, true
	case detectors.HotSwift:
		return detectors.SWIFTCode, true
	case detectors.HotRouting:
		return detectors.RoutingNumber, true
	case detectors.HotPassport:
		return detectors.Passport, true
	case detectors.HotVAT:
		return detectors.VATNumber, true
	case detectors.HotVIN:
		return detectors.VIN, true
	case detectors.HotIMEI:
		return detectors.IMEI, true
	case detectors.HotICCID:
		return detectors.ICCID, true
	case detectors.HotIMSI:
		return detectors.IMSI, true
	case detectors.HotIP:
		return detectors.IPAddress, true
	case detectors.HotMAC:
		return detectors.MACAddress, true
	case detectors.HotCoordinates:
		return detectors.LocationCoordinates, true
	}
	return "", false
}

var (
	targets   = buildTargets()
	hashAhead = lexicon.Hash("ahead")
	// askWords make a sentence a question or a request.
	askWords = setOf("what what's whats whos wheres whens hows which who whom who's whose when where how can could may would will please need verify confirm provide give " +
		"tell share spell repeat state read your again mind kindly do enter type say once")
	// againText are phrases that ask for the same once more.
	againText = buildTargetsOf("repeat that, say that again, say it again, come again, one more time, catch that, get that, once more, " +
		"repeat it, say again, spell that, spell it, read it back, didn't hear, that again, get all")
)

func buildTargets() map[uint64][]target {
	m := map[uint64][]target{}
	for _, l := range targetText {
		addTargets(m, l.q, l.text)
	}
	return m
}

func buildTargetsOf(text string) map[uint64][]target {
	m := map[uint64][]target{}
	addTargets(m, Question{}, text)
	return m
}

func addTargets(m map[uint64][]target, q Question, text string) {
	for _, p := range strings.Split(text, ",") {
		words := strings.Fields(p)
		t := target{q: q}
		for _, w := range words[1:] {
			t.rest = append(t.rest, lexicon.Hash(w))
		}
		h := lexicon.Hash(words[0])
		m[h] = append(m[h], t)
	}
}

// Questions appends what the text asks for to dst. again tells that it asks to
// hear or spell once more what was said last.
//
// It is a question when its sentence asks, or when the agent names what he
// wants, and the sentence itself does not give it: no value comes after.
func Questions(doc *detectors.Document, dst []Question) (q []Question, again bool) {
	q = dst
	for start := 0; start < len(doc.Tokens); {
		end := start
		for end < len(doc.Tokens) && !stop(&doc.Tokens[end]) {
			end++
		}
		mark := end < len(doc.Tokens) && doc.Tokens[end].Ch == '?'
		if mark || asks(doc, start, end) {
			var more bool
			q, more = sentence(doc, q, start, end)
			again = again || more
		}
		start = end + 1
	}
	return q, again
}

// stop tells whether a token ends a sentence.
func stop(t *detectors.Token) bool {
	return t.Class == detectors.Punct && (t.Ch == '?' || t.Ch == '!' || t.Ch == '.' && !t.Is(detectors.Connect))
}

func asks(doc *detectors.Document, start, end int) bool {
	for i := start; i < end; i++ {
		t := &doc.Tokens[i]
		if t.Hash != 0 && askWords.has(t.Hash) {
			return true
		}
		if t.Hash == hashAhead && i+1 < end && string(doc.Word(i+1)) == "with" {
			return true // "go ahead with the card number"
		}
	}
	if end-start >= 3 && end-start <= 10 && string(doc.Word(start)) == "and" {
		switch string(doc.Word(start + 1)) {
		case "the", "your":
			return true // "and the three digits on the back"
		}
	}
	return doc.Role == detectors.RoleAgent && end-start <= 6
}

// sentence appends what the tokens of one sentence ask for.
func sentence(doc *detectors.Document, q []Question, start, end int) ([]Question, bool) {
	again := false
	spell, partial, first := false, false, len(q)
	for i := start; i < end; i++ {
		t := &doc.Tokens[i]
		if t.Hash == 0 {
			continue
		}
		if n := matchTarget(doc, againText[t.Hash], i, end); n != nil {
			again = true
		}
		if x := matchTarget(doc, targets[t.Hash], i, end); x != nil && !mine(doc, start, i) {
			q = appendQuestion(q, x.q)
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
		switch h.Hotword {
		case detectors.HotSpell:
			spell = true
		case detectors.HotLast:
			partial = true
		}
		if t, ok := TypeOf(h.Hotword); ok && !mine(doc, start, doc.TokenFrom(h.Start)) {
			q = appendQuestion(q, Question{Type: t})
		}
	}
	for i := first; i < len(q); i++ {
		q[i].Spelled = q[i].Spelled || spell
		q[i].Partial = q[i].Partial || partial
	}
	if spell && len(q) == first {
		again = true
	}
	return q, again
}

// mine tells whether the word before token i makes it the asker's own: "what's
// my account balance".
func mine(doc *detectors.Document, start, i int) bool {
	if i <= start {
		return false
	}
	switch string(doc.Word(i - 1)) {
	case "my", "our":
		return true
	}
	return false
}

func appendQuestion(q []Question, x Question) []Question {
	for i := range q {
		if q[i].Type == x.Type {
			if q[i].Part != x.Part {
				q[i].Part = 0 // "your first name and your last name"
			}
			return q
		}
	}
	return append(q, x)
}

// matchTarget returns the first phrase that stands at token i and ends by end.
func matchTarget(doc *detectors.Document, list []target, i, end int) *target {
	for k := range list {
		t := &list[k]
		if i+len(t.rest) >= end {
			continue
		}
		ok := true
		for r, h := range t.rest {
			if doc.Tokens[i+1+r].Hash != h {
				ok = false
				break
			}
		}
		if ok {
			return t
		}
	}
	return nil
}
