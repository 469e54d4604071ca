package anonymize

import (
	"strings"
	"testing"
)

// People explain a name that is a word, or spell it with words, and what they explain it by must not tell it.
func TestExplainedNames(t *testing.T) {
	e := newEngine(t, Options{Fast: true})
	for text, secret := range map[string]string{
		"Agent: And your last name?\nCustomer: Like the colour, Brown.":                               "Brown",
		"Agent: What is your last name?\nCustomer: it's like the color brown":                         "brown",
		"Agent: Can I get your surname please?\nCustomer: Green, as in the color.":                    "Green",
		"Agent: Your last name, sir?\nCustomer: King. Like king and queen.":                           "king",
		"Agent: Last name on the booking?\nCustomer: Like the bird, Swan.":                            "Swan",
		"Agent: Hi.\nCustomer: I just got married, so now I'm a Cook.":                                "Cook",
		"Agent: Hi.\nCustomer: my maiden name was Fisher but now i'm a cook":                          "cook",
		"Agent: Hi.\nCustomer: My husband. He's a Carpenter, that's our last name.":                   "Carpenter",
		"Agent: Hi.\nCustomer: it's white like the color for the last name":                           "white",
		"Agent: Hi.\nCustomer: My surname is Price, you know, like the price of something.":           "price",
		"Agent: Hi.\nCustomer: The surname on the account would be Love, as in I love you.":           "love",
		"Agent: Last name?\nCustomer: Last name's Field, as in a field of corn.":                      "field",
		"Agent: Hi.\nCustomer: My last name is Curt, that's see you are tea.":                         "see you are tea",
		"Agent: Hi.\nCustomer: The surname's Burke, spelled bee you are kay ee, and I need a refund.": "bee you are",
		"Agent: Can you spell your last name?\nCustomer: Sure, see you are are why":                   "see you",
		"Agent: How do you spell your last name?\nCustomer: Yes, it's see, you, are, oh, you, why.":   "oh, you",
	} {
		if clean := converse(t, e, text); strings.Contains(strings.ToLower(clean), strings.ToLower(secret)) {
			t.Errorf("%q is in %s", secret, clean)
		}
	}
	for text, word := range map[string]string{
		"Agent: Hi.\nCustomer: I'm a nurse and my last name is hard to spell.":         "nurse",
		"Agent: Hi.\nCustomer: I'm a long time customer, my surname is hard to spell.": "long time customer",
		"Agent: Hi.\nCustomer: I would like the brown one.":                            "brown one",
		"Agent: Your last name?\nCustomer: Sorry, it sounds like the line is bad.":     "line is bad",
		"Agent: Hi.\nCustomer: It's black, like the one before.":                       "black",
	} {
		if clean := converse(t, e, text); !strings.Contains(clean, word) {
			t.Errorf("%q is not in %s", word, clean)
		}
	}
}

// A whole date that words such as "born" call one of birth is one in a text that stands alone, too, whoever reads it.
func TestABirthThatIsNamedIsMasked(t *testing.T) {
	for _, e := range []*Engine{newEngine(t, Options{}), newEngine(t, Options{Fast: true})} {
		for _, text := range []string{"I was born on March 14 1980.", "My date of birth is July 14, 1980.", "my dob is march fourteenth nineteen eighty", "I was born on 03/14/1980"} {
			if clean := converse(t, e, "Customer: "+text); !strings.Contains(clean, "[DATE_OF_BIRTH_1]") {
				t.Errorf("%s stays: %s", text, clean)
			}
		}
	}
}
