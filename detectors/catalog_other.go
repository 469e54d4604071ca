package detectors

import "sotto/detectors/ids"

// otherRows are the infoTypes that Table 6 does not have. NUMERIC and SPELLED_WORD are pieces of
// something whose type nobody could tell, so they score half of a GENERIC_ID and of a PERSON_NAME;
// gender and ethnic group score as the other demographic facts; a date or time of day alone says
// nothing of a person.
var otherRows = []Row{
	{
		Type: SpelledWord, About: "word that was spelled and is no known name",
		Group: GroupOther, Score: 3, RoundUp: true,
		Written: []string{"the promo word is {K-W-L-I}"},
		Spoken:  []string{"the word is spelled {l a n t e r n}"},
		Not:     []string{"the U-S-A, an A-P-I, I-I-I think"},
	},
	{
		Type: Numeric, About: "number of three digits or more without a known infoType",
		Group: GroupOther, Score: 2,
		NamedBy: []Hotwords{{"card code", `
			cvv, cvc, cvv2, cid, security code, verification code, card verification, code on the back,
			digits on the back, on the back, back says, numbers on the back, number on the back, three digit code, four digit code`}, {"card expiry", `
			expires, expiry, expiration, exp, expiration date, expiry date, valid through, valid thru,
			good through`}},
		Window: 40, MaxLength: 6,
		Match:   ids.Generic,
		Written: []string{"the security code is {397}", "the one ending in {2900}"},
		Spoken:  []string{"and the security code is {three hundred ninety seven}", "it's {nine three zero}"},
		Not:     []string{"it costs $450", "300 people came in 2019", "at 11:30"},
	},
	{
		Type: Date, About: "date that is none of birth",
		Group: GroupOther, Score: 0, Off: true, Compare: CompareValue,
		Written: []string{"the appointment is on {03/14/2025}"},
		Spoken:  []string{"come on {march fourteenth}"},
		Not:     []string{"we may march on"},
	},
	{
		Type: Time, About: "time of day",
		Group: GroupOther, Score: 0, Off: true, Compare: CompareValue,
		Written: []string{"the visit is at {9:45 am}"},
		Spoken:  []string{"come at {half past nine}"},
		Not:     []string{"two to three days"},
	},
	{
		Type: Gender, About: "gender that somebody names, by a list of terms",
		Group: GroupDemographic, Score: 1, Off: true, Compare: CompareText,
		Not: []string{"she is a woman"},
	},
	{
		Type: EthnicGroup, About: "ethnic group, by a list of names",
		Group: GroupDemographic, Score: 1, Off: true, Compare: CompareText,
		Not: []string{"a Canadian recipe"},
	},
}
