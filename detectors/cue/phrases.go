package cue

import (
	"strings"

	"sotto/detectors/lexicon"
)

// anchor is what a phrase introduces.
type anchor uint8

const (
	none anchor = iota
	// selfName: the speaker's own name, for sure ("my name is").
	selfName
	// selfSoft: the speaker's own name or anything else ("this is", "I'm").
	selfSoft
	// selfWeak: as selfSoft, and only with a word behind that goes with a name
	// ("it's Pam calling").
	selfWeak
	// otherName: the name of somebody else, for sure ("may I speak to").
	otherName
	// otherSoft: somebody else, or anything else ("spoke with").
	otherSoft
	// someName: somebody's name ("under the name").
	someName
	// nameSoft: a name, or a word about names ("name").
	nameSoft
	// givenName and surname: a part of somebody's name.
	givenName
	surname
	// vocative: words that are often said to somebody by name ("hi", "thanks").
	vocative
	// kin: a relative or friend, whose name may follow ("my wife").
	kin
	// orgOwn: the speaker's organization ("thank you for calling").
	orgOwn
	// orgSoft: an organization, or a place, or anything else ("calling from").
	orgSoft
	// orgName: an organization's name, for sure ("the company is called").
	orgName
)

// phraseText lists the phrases of each anchor, parted by commas. A "'s" or "'m"
// is a word of its own, as the tokens have it. The longest phrase wins.
var phraseText = map[anchor]string{
	selfName: "my name is, my name 's, my names, my full name is, my name here is, name here is, call me, people call me, " +
		"everyone calls me, they call me, i go by, i 'm called, you 're speaking with, you are speaking with, you 're speaking to, " +
		"you are speaking to, you 're talking to, you are talking to, you 're talking with, you are talking with, my name will be, " +
		"my name would be, your host is, i am called, you are chatting with, you 're chatting with, my is, my nam is, my name s",
	selfSoft: "this is, i 'm, i am, im, this here is, myself, it is me, this 's",
	selfWeak: "it 's, it is, its",
	otherName: "on the phone with, phone with, speak to, speak with, speaking to, speaking with, talking to, talking with, is this, looking for, trying to reach, " +
		"ask for, asking for, transfer you to, transferring you to, transfer to, connect you with, connect you to, connecting you with, " +
		"put you through to, through to, get ahold of, get hold of, am i speaking to, am i speaking with, your patient is, " +
		"message for, calling for, addressed to, made out to, behalf of, listed as, belongs to",
	otherSoft: "spoke with, spoke to, talked to, talked with, met with, talk to, talk with, chat with, with my colleague, colleague named, " +
		"contact, dealt with, signed by, written by, sold by, sent by, working with, worked with, deal with, helped by, forward to, " +
		"calls from, message from, email from, letter from, transfer, per, so that 's, that 's, that is, you said, you mean, " +
		"and you are, attn, attention, signed, regards, sincerely, cheers, yours, best, best regards, kind regards, warm regards, " +
		"bill to, ship to, pay to, payment to, payment from, transfer from, money to, dollars to, funds to",
	someName: "name of, named, under the name, under the name of, the name is, name is, name 's, the name 's, full name is, full name, " +
		"name on it is, name on the account is, account is under, it 's under, is under, are under, booked under, registered under, " +
		"reservation for, appointment for, might be under, may be under, be under, should be under, account holder is, account holder, cardholder is, card holder is, holder name is, name on the card is, " +
		"patient name is, patient is, patient name, contact name is, maiden name is, maiden name was, name should be, name would be, " +
		"name was, names are, who is called, customer name is, customer name, username is my name, name as, name to, name from, named after",
	nameSoft:  "name, my name, the name, your name, name and",
	givenName: "first name is, first name 's, first name, given name is, given name, first is, middle name is, middle name, forename is, forename",
	surname: "last name is, last name 's, last name, surname is, surname, surname 's, family name is, family name, last is, second name is, " +
		"second name",
	vocative: "hi, hello, hey, hi there, hello there, thanks, thank you, thank u, thankyou, thanks so much, thank you so much, thank you very much, " +
		"thanks very much, thanks a lot, thanks again, thank you again, bye, goodbye, bye bye, good bye, dear, sorry, morning, good morning, " +
		"afternoon, good afternoon, evening, good evening, good night, perfect, great, alright, all right, okay, ok, sure, yes, no, welcome, " +
		"you 're welcome, you are welcome, no problem, my pleasure, nice to meet you, pleasure, have a great day, have a good day, " +
		"have a nice day, have a wonderful day, good day, take care, great day, good one, well, absolutely, certainly, of course, no worries, " +
		"you 're all set, all set, excellent, wonderful, understood, so, greetings, hola, cheers, oh, got it, right, awesome, fantastic, " +
		"i appreciate it, much appreciated, i understand, appreciate your patience, for your patience, your help, your time, for helping, " +
		"been very helpful, very helpful, great job, great news, good job, see you, congratulations, please, listen, look, that 's great, " +
		"that 's right, that 's correct, sounds good, my apologies, i apologize, apologies, pardon me, excuse me, but, and, now, hai, hii, " +
		"meet you, so much, very much, a lot, yeah, yep, nope, correct, exactly, for holding, for waiting, hear from you, with that, " +
		"for that, about that, holding, hang on, hold on, bear with me, one moment, just a moment, one second",
	kin: "my husband, my wife, my son, my daughter, my brother, my sister, my mother, my father, my mom, my mum, my dad, my boss, " +
		"my manager, my friend, my colleague, my coworker, my partner, my fiance, my fiancee, my uncle, my aunt, my cousin, my neighbor, " +
		"my neighbour, my roommate, my assistant, my lawyer, my doctor, my grandmother, my grandfather, my grandson, my granddaughter, " +
		"my girlfriend, my boyfriend, my supervisor, my nephew, my niece, my spouse, my stepson, my stepdaughter, my landlord, my agent, " +
		"his wife, her husband, her son, his son, his daughter, her daughter, our manager, our technician, your agent, your technician, " +
		"your representative, your colleague, the manager, my child, my kid, my baby, my better half, representative, advisor, adviser, " +
		"technician, supervisor, detective, officer, sergeant, captain, nurse, uncle, aunt, agent, customer, author, president, ceo, director",
	orgOwn: "thank you for calling, thanks for calling, thanks calling, thank you calling, thank you for contacting, thanks for contacting, thank you for choosing, " +
		"thanks for choosing, thank you for reaching out to, thanks for reaching out to, thank you for reaching, thank you for calling in to, welcome to, " +
		"you 've reached, you have reached, thank you four calling, thank you four contacting, thanks four calling, thanks four contacting, " +
		"thank you for visiting, thank you for shopping at, thank you for shopping with, thank you for being with, " +
		"for calling, for contacting, youve reached, for choosing, your call to",
	orgSoft: "thank you for using, thanks for using, thank you for your interest in, thank you for your loyalty to, reached, on behalf of, " +
		"calling on behalf of, here at, for being a, for being an, for being a loyal, for being a valued, i 'm at, i am at, we 're at, calling from, calling back from, calling with, i 'm from, i am from, i 'm with, i am with, work for, works for, work at, works at, " +
		"working for, working at, worked for, worked at, employed by, employed at, speaking from, representative of, representing, " +
		"representative from, someone from, somebody from, customer of, customer with, account with, contacted, " +
		"agent from, agent with, technician from, we 're from, we are from, call from, joined, founded by, owner of, hired by, employee of, employee at",
	orgName: "company is, company is called, company name is, company name 's, company 's name is, company called, business is called, " +
		"business name is, business name to, organization is, organization name is, organisation is, organisation name is, employer is, " +
		"firm is called, firm called, store called, shop called, business called, company named, my company, my company is, my company name, company name, my company name is, my company name 's, my company 's name is, changed to, changing it to",
}

// phrase is a phrase without its first word.
type phrase struct {
	rest []uint64
	kind anchor
}

// slot is an entry of the table of first words; hash 0 is free.
type slot struct {
	hash    uint64
	phrases []phrase
	follow  bool
}

// phraseTable finds phrases by the hash of their first word.
type phraseTable struct {
	slots [1 << 10]slot
	seen  [1 << 8]uint64
}

// followText are the words that often come right after a name that the speaker
// gives of himself.
const followText = "calling speaking here from with again over at"

var phrases = buildPhrases()

func buildPhrases() *phraseTable {
	t := &phraseTable{}
	// In the order of the anchors, so that of a phrase listed twice the surer
	// reading wins, whatever the order of the map.
	for kind := selfName; kind <= orgName; kind++ {
		for _, text := range strings.Split(phraseText[kind], ",") {
			words := strings.Fields(text)
			p := phrase{kind: kind}
			for _, w := range words[1:] {
				p.rest = append(p.rest, lexicon.Hash(w))
			}
			s := t.add(lexicon.Hash(words[0]))
			s.phrases = append(s.phrases, p)
		}
	}
	for _, w := range strings.Fields(followText) {
		t.add(lexicon.Hash(w)).follow = true
	}
	return t
}

func (t *phraseTable) add(h uint64) *slot {
	b := h >> 50
	t.seen[b>>6] |= 1 << (b & 63)
	i := h & uint64(len(t.slots)-1)
	for t.slots[i].hash != 0 && t.slots[i].hash != h {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i].hash = h
	return &t.slots[i]
}

// find returns the entry of a first word, nil when there is none.
func (t *phraseTable) find(h uint64) *slot {
	if b := h >> 50; t.seen[b>>6]&(1<<(b&63)) == 0 {
		return nil
	}
	for i := h & uint64(len(t.slots)-1); ; i = (i + 1) & uint64(len(t.slots)-1) {
		switch t.slots[i].hash {
		case h:
			return &t.slots[i]
		case 0:
			return nil
		}
	}
}
