package anonymize

import "testing"

func TestKnownValues(t *testing.T) {
	e := newEngine(t, Options{Fast: true})
	for _, c := range []struct{ name, text, want string }{
		{
			"a name that somebody is not sure of",
			"A: the name on the account is probably still Delacroix",
			"A: the name on the account is probably still [PERSON_NAME_1]",
		},
		{
			"a month is not somebody of that name",
			"A: This is April speaking.\nA: You pay in April, not in May.\nA: Thanks, April.",
			"A: This is [PERSON_NAME_1] speaking.\nA: You pay in April, not in May.\nA: Thanks, [PERSON_NAME_1].",
		},
		{
			"a letter of a code is not somebody of that name",
			"A: This is Charlie speaking.\nA: the plate is 7 tango charlie four one eight",
			"A: This is [PERSON_NAME_1] speaking.\nA: the plate is [GENERIC_ID_1]",
		},
		{
			"a word that was part of a name once",
			"A: This is Tom Process speaking.\nB: We should look at the Process today.\nB: Thanks, Process.",
			"A: This is [PERSON_NAME_1] speaking.\nB: We should look at the Process today.\nB: Thanks, [PERSON_NAME_1].",
		},
		{
			"two people side by side",
			"A: my name is joan and my brother is marcus\nA: joan marcus said so",
			"A: my name is [PERSON_NAME_1] and my brother is [PERSON_NAME_2]\nA: [PERSON_NAME_1] [PERSON_NAME_2] said so",
		},
		{
			"tags that the raw text has already",
			"A: My name is [PERSON_NAME_1], maiden name [PERSON_NAME_2].\nB: Thanks [PERSON_NAME_1], your number is [PHONE_NUMBER_12]?",
			"A: My name is [\\PERSON_NAME_1], maiden name [\\PERSON_NAME_2].\nB: Thanks [\\PERSON_NAME_1], your number is [\\PHONE_NUMBER_12]?",
		},
		{
			"numbers that look like tags",
			"A: the codes are [GENERIC_ID_4471902] and [PASSPORT_4821] and [CREDIT_CARD_NUMBER_0134]",
			"A: the codes are [GENERIC_ID_[GENERIC_ID_1]] and [PASSPORT_[GENERIC_ID_2]] and [CREDIT_CARD_NUMBER_[CREDIT_CARD_NUMBER_1]]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := converse(t, e, c.text); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
