package detectors

import "sotto/detectors/ids"

// demographicRows are the demographic infoTypes of Table 6.
var demographicRows = []Row{
	{
		Type: Age, About: "age of a person",
		Group: GroupDemographic, Score: 1, Compare: CompareValue,
		AnnouncedBy: []Hotwords{{"age", "age, aged, old, turning, turned, how old, years old, year old"}},
		Written:     []string{"she is {45} years old"},
		Spoken:      []string{"I'm {forty five} years old", "my mother is {eighty one}"},
		Not:         []string{"I'm 20 minutes away with 30 years of experience"},
	},
	{
		Type: DateOfBirth, About: "date of birth, or a part of it",
		Group: GroupDemographic, Score: 3, Compare: CompareValue,
		AnnouncedBy: []Hotwords{{"birth", `
			birth, dob, birthday, birthdate, born, date of birth, birth date, birthdays, d o b, birth day,
			year of birth`}},
		Written: []string{"I was born on {03/14/1985}", "My date of birth is {March 14th, 1985}"},
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
		SupportedBy: []Hotwords{diagnosisHotwords},
		Written:     []string{"ICD {250.00}"},
		Spoken:      []string{"the diagnosis code is {two five zero point zero zero}"},
		Not:         []string{"it was 250.00"},
	},
	{
		Type: ICD10Code, About: "diagnosis code of ICD-10-CM",
		Group: GroupHealth, Score: 2,
		SupportedBy: []Hotwords{diagnosisHotwords},
		Written:     []string{"diagnosis code is {E11.9}", "code {S72.001A} on the claim"},
		Spoken:      []string{"the diagnosis code is {e one one point nine}"},
		Not:         []string{"I need B12 and vitamin D3 against H1N1"},
	},
	{
		Type: MedicalRecordNumber, About: "number of a patient, a medical record or a health plan",
		Group: GroupHealth, Score: 5, HasForm: true,
		NamedBy: []Hotwords{{"medical record", `
			mrn, chart, medical record, medical record number, chart number, patient id, patient number,
			health card, phn, ohip, medicare, medicaid, health number, health card number, hospital number,
			patient record, health insurance number, medical id, nhs, nhs number, record number`}},
		Match:   ids.MedicalRecord,
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

// diagnosisHotwords are those of two infoTypes.
var diagnosisHotwords = Hotwords{"diagnosis", `
	diagnosis, icd, icd9, icd10, diagnosed, diagnostic, icd code, billing code, diagnosis code,
	procedure code, icd 10, icd 9`}
