package anonymize

import "testing"

// What is one thing has one tag, and words around a value stay.
func TestOneThingHasOneTag(t *testing.T) {
	for text, want := range map[string]string{
		"Ann: It's 4111 1111 1111 1111, exp 09/27": "[PERSON_NAME_1]: It's [CREDIT_CARD_NUMBER_1], exp [NUMERIC_1]",
		"Ann: MRN 00482915.":                       "[PERSON_NAME_1]: MRN [MEDICAL_RECORD_NUMBER_1].",
		"Mom: Hello there, sweetie.":               "Mom: Hello there, sweetie.",
		"Mom Quimby: Hello there, sweetie.":        "Mom [PERSON_NAME_1]: Hello there, sweetie.",
		"Ann: I was at St. Anne's.\nAnn: St. Anne's is good, and so is Mt. Sinai.": "[PERSON_NAME_1]: I was at [ORGANIZATION_NAME_1].\n" +
			"[PERSON_NAME_1]: [ORGANIZATION_NAME_1] is good, and so is [ORGANIZATION_NAME_2].",
		"Agent: Is that W as in Whiskey, E as in Echo, N as in November, D-O-V-E-R?": "Agent: Is that [PERSON_NAME_1]?",
		"Agent: Am I speaking with May Halloran?\nAgent: May I call you May? We changed it in May. Did you move last May, or on May 3?": "Agent: Am I speaking with [PERSON_NAME_1]?\n" +
			"Agent: May I call you [PERSON_NAME_1]? We changed it in May. Did you move last May, or on May 3?",
		"Agent: This is the letter of April Quimby.\nAgent: I have the letter of April here.": "Agent: This is the letter of [PERSON_NAME_1].\n" +
			"Agent: I have the letter of [PERSON_NAME_1] here.",
		"Agent: He wants a phone call from Rosalind. I have a note from Rosalind.": "Agent: He wants a phone call from [PERSON_NAME_1]. I have a note from [PERSON_NAME_1].",
	} {
		if got := converse(t, newEngine(t, Options{RawOffsets: true}), text); got != want {
			t.Errorf("%s\nbecame\n%s\nwant\n%s", text, got, want)
		}
	}
}
