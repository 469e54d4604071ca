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
			"two people side by side, one of whom the text itself has named before",
			"Lenore: that's Marcus\nLenore: tell Marcus Lenore says hi, and Joan. Thank Joan Marcus said.",
			"[PERSON_NAME_1]: that's [PERSON_NAME_2]\n[PERSON_NAME_1]: tell [PERSON_NAME_2] [PERSON_NAME_1] says hi, and [PERSON_NAME_3]. Thank [PERSON_NAME_3] [PERSON_NAME_2] said.",
		},
		{
			"who is greeted beside who calls",
			"A: hi you're through to joan at harwick mutual\nB: hi joan marcus brindlemere calling",
			"A: hi you're through to [PERSON_NAME_1] at [ORGANIZATION_NAME_1]\nB: hi [PERSON_NAME_1] [PERSON_NAME_2] calling",
		},
		{
			"who is greeted, by a name of three words",
			"A: my name is joan\nB: hi joan marcus brindlemere how are you",
			"A: my name is [PERSON_NAME_1]\nB: hi [PERSON_NAME_1] how are you",
		},
		{
			"a name of three words that begins with a known one",
			"A: hi I'm wanda\nB: my sister is ines\nA: my full name is wanda ines tarn",
			"A: hi I'm [PERSON_NAME_1]\nB: my sister is [PERSON_NAME_2]\nA: my full name is [PERSON_NAME_1]",
		},
		{
			"who says yes, and no greeting, and a last name behind the first one",
			"A: my name is jean\nB: yes jean claude van damme speaking",
			"A: my name is [PERSON_NAME_1]\nB: yes [PERSON_NAME_1] speaking",
		},
		{
			"whom one reaches at another time",
			"Joan: once you're through to Sandra she will help",
			"[PERSON_NAME_1]: once you're through to [PERSON_NAME_2] she will help",
		},
		{
			"whom somebody asks for, and not tells to ask for",
			"B: hello\nA: hi my name is Peter Hess can I ask for Peter in billing please",
			"B: hello\nA: hi my name is [PERSON_NAME_1] can I ask for [PERSON_NAME_2] in billing please",
		},
		{
			"speakers who say that one has reached them, and whom they put one through to",
			"Milan: you're through to Milan\nMilan: I'll put you through to Joan",
			"[PERSON_NAME_1]: you're through to [PERSON_NAME_1]\n[PERSON_NAME_1]: I'll put you through to [PERSON_NAME_2]",
		},
		{
			"speakers who tell whom to ask for, by a part of their name",
			"A: my name is Sandra Kirkenfall\nB: and if I have questions?\nA: call us and ask for Sandra",
			"A: my name is [PERSON_NAME_1]\nB: and if I have questions?\nA: call us and ask for [PERSON_NAME_1]",
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
