package detectors

import "sotto/detectors/ids"

// demographicRows are the demographic infoTypes of Table 6.
var demographicRows = []Row{
	{
		Type: Age, About: "age of a person",
		Group: GroupDemographic, Score: 1, Compare: CompareValue,
		AnnouncedBy: []string{"age"},
		Written:     []string{"she is {45} years old"},
		Spoken:      []string{"I'm {forty five} years old", "in my {fifties}"},
		Not:         []string{"I'm 20 minutes away with 30 years of experience"},
	},
	{
		Type: DateOfBirth, About: "date of birth, or a part of it",
		Group: GroupDemographic, Score: 3, Compare: CompareValue,
		AnnouncedBy: []string{"birth"},
		Written:     []string{"I was born on {03/14/1985}", "My date of birth is {March 14th, 1985}"},
		Spoken: []string{"dob {oh three one four eighty five}",
			"my birthday is {may four one thousand nine hundred forty six}"},
		Not: []string{"the appointment is on 03/14/2025", "we may march on"},
	},
}

// healthRows are the infoTypes of medicine.
var healthRows = []Row{
	{
		Type: ICD9Code, About: "diagnosis code of ICD-9-CM",
		Group: GroupHealth, Score: 2,
		SupportedBy: []string{"diagnosis"},
		Written:     []string{"ICD {250.00}"},
		Spoken:      []string{"the diagnosis code is {two five zero point zero zero}"},
		Not:         []string{"it was 250.00"},
	},
	{
		Type: ICD10Code, About: "diagnosis code of ICD-10-CM",
		Group: GroupHealth, Score: 2,
		SupportedBy: []string{"diagnosis"},
		Written:     []string{"diagnosis code is {E11.9}", "code {S72.001A} on the claim"},
		Spoken:      []string{"the diagnosis code is {e one one point nine}"},
		Not:         []string{"I need B12 and vitamin D3 against H1N1"},
	},
	{
		Type: MedicalRecordNumber, About: "number of a patient, a medical record or a health plan",
		Group: GroupHealth, Score: 5, HasForm: true,
		NamedBy: []string{"medical record"},
		Match:   ids.MedicalRecord, Spelled: true,
		Forms:   []Form{{Letters: true, Min: ids.MBILength, Max: ids.MBILength, Match: ids.Exact, Score: 0.75}},
		Written: []string{"MRN {12345678}", "chart number is {A-10293}", "medicare number {1EG4-TE5-MK73}"},
		Spoken:  []string{"my chart number is {one two three four five six seven}"},
		Not:     []string{"put it on the chart, page 12"},
	},
	{
		Type: MedicalTerm, About: "disease, drug or treatment",
		Group: GroupHealth, Score: 1, Compare: CompareText,
		Written: []string{"I was diagnosed with {diabetes}"},
		Spoken:  []string{"i am taking {metformin}"},
		Not:     []string{"that is a pain point"},
	},
}

// otherRows are the infoTypes that Table 6 does not have. NUMERIC and SPELLED_WORD are pieces of
// something whose type nobody could tell, so they score half of a GENERIC_ID and of a PERSON_NAME;
// gender and ethnic group score as the other demographic facts; a date or time of day alone says
// nothing of a person.
var otherRows = []Row{
	{
		Type: SpelledWord, About: "word that was spelled and is no known name",
		Group: GroupOther, Score: 3, RoundUp: true, Spelled: true,
		Written: []string{"the promo word is {K-W-L-I}"},
		Spoken:  []string{"the word is spelled {l a n t e r n}"},
		Not:     []string{"the U-S-A, an A-P-I, I-I-I think"},
	},
	{
		Type: Numeric, About: "number of three digits or more without a known infoType",
		Group: GroupOther, Score: 2,
		NamedBy: []string{"card code", "card expiry"},
		Window:  40, MaxLength: 6,
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
		Type: Time, About: "time of day; only from the user's lists and rules",
		Group: GroupOther, Score: 0, Off: true, Compare: CompareValue,
		Not: []string{"at half past nine"},
	},
	{
		Type: Gender, About: "gender; only from the user's lists and rules",
		Group: GroupDemographic, Score: 1, Off: true, Compare: CompareText,
		Not: []string{"she is a woman"},
	},
	{
		Type: EthnicGroup, About: "ethnic group; only from the user's lists and rules",
		Group: GroupDemographic, Score: 1, Off: true, Compare: CompareText,
		Not: []string{"a Canadian recipe"},
	},
}
