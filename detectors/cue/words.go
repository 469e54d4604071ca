package cue

import (
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// wordSet is a set of words by their hashes: an open-addressing table of which
// at least half is free. 0 marks what is free.
type wordSet []uint64

func setOf(text string) wordSet {
	words := strings.Fields(text)
	size := 4
	for size < 4*len(words) {
		size *= 2
	}
	s := make(wordSet, size)
	for _, w := range words {
		h := lexicon.Hash(w)
		i := h & uint64(size-1)
		for s[i] != 0 && s[i] != h {
			i = (i + 1) & uint64(size-1)
		}
		s[i] = h
	}
	return s
}

// has tells whether the word with this hash is in the set; 0 is not.
func (s wordSet) has(h uint64) bool {
	for i := h & uint64(len(s)-1); s[i] != 0; i = (i + 1) & uint64(len(s)-1) {
		if s[i] == h {
			return true
		}
	}
	return false
}

var (
	// orgEnds are words that end the name of an organization and do not belong
	// to it.
	orgEnds = setOf("customer customers support service speaking how my this your you i i'm today tonight tech technical help " +
		"helpdesk desk helpline hotline billing sales claims department dept line recorded calls please may can where who what when for calling " +
		"good hi hello hey thanks thank have great team office's and we it's it there regarding about because since website site app " +
		"account accounts store's number home work again up down so if that which nice chat live tomorrow yesterday roadside incorporated's " +
		"right again front technical phone phones plan plans order orders member members team's representative agent tell let press just here")
	// unsure are words that may stand between "the name is" and the name.
	unsure = setOf("probably actually still maybe likely possibly perhaps also just")
	// orgNever are words that are in no organization's name, however written.
	orgNever = setOf("goodbye bye hello hi hey thanks thank welcome")
	// orgSuffixes end the name of an organization and belong to it.
	orgSuffixes = setOf("inc incorporated llc ltd limited corp corporation plc gmbh")
	// orgNouns are what organizations are called after their proper name.
	orgNouns = setOf("bank insurance university college hospital clinic union trust fund airlines airways hotel hotels motors systems technologies " +
		"solutions group holdings partners associates foundation institute bancorp financial energy foods media health healthcare " +
		"pharmacy pharmaceuticals electronics communications telecom wireless mobile networks software laboratories labs realty " +
		"properties mortgage capital investments securities consulting logistics airlines railways resort resorts restaurant " +
		"academy agency school lawyer lawyers law firm dental industries enterprises brands stores market markets company co " +
		"international cruises line's credit mutual assurance cargo freight shipping delivery motors auto automotive paper media studios")
	// particles stand within surnames.
	particles = setOf("van von der den de del della di da la le el al bin ibn abu st saint mac mc o ter ten dos das du")
	// notNames are words that the lexicon has as names and that are hardly ever
	// one in lower case where a cue could make them so.
	notNames = setOf("hi hai hello hey an see so my in do love sir madam maam ma'am miss sorry best van guy guys boss buddy honey dear " +
		"darling baby unknown unique male infant ma pa la de era god christmas easter major ally loyal sincere precious honesty " +
		"passion promise essence trace forest ocean smart sharp wise young golden rocky rusty sunny dusty sunshine " +
		"victory liberty legend symphony star echo delta alpha gal sweetie dude bro bud champ earnest demon mahogany")
	// neverNames are no names of people however they are written.
	neverNames = setOf("wi wait ok okay u ur plz pls lol btw iphone wifi internet english american indian chinese canadian french spanish german irish " +
		"okey anytime asap hmm mhm ah eh oh ha haha yup yep nope nah gonna wanna gotta kinda dunno thx ty np pin id vip vin faq api usa uk us eta fyi " +
		"android google facebook amazon apple microsoft samsung verizon skype netflix youtube instagram whatsapp twitter yahoo gmail " +
		"outlook windows linux mac ios bluetooth visa paypal zelle venmo bitcoin covid mr mrs ms")
	// abbreviations end in a dot that ends no sentence.
	abbreviations = setOf("bros assoc st ins wm mass jr sr dr mr mrs ms prof co corp inc mfg natl intl grp svcs comm dept ave blvd rd mt ft ltd hon rev")
)

// plain tells whether the token's word alone carries no sign of a name: grammar,
// numbers, days, and words on the list of everyday ones.
func plain(t *detectors.Token) bool {
	return t.Is(detectors.Function|detectors.Backchannel|detectors.Filler|detectors.Weekday|detectors.Clock|detectors.Correct|
		detectors.NumWord|detectors.Teen|detectors.Tens|detectors.Scale|detectors.Currency|detectors.Title) ||
		t.Class == detectors.Clitic
}
