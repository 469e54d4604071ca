package anonymize

import (
	"strings"
	"testing"
)

// A chat that comes from a web page may have its marks as character references. What only looks like one is masked.
func TestCharacterReferencesStay(t *testing.T) {
	e := newEngine(t, Options{})
	for raw, want := range map[string]string{
		"Customer: Danica Holloway &lt;theo@northfold.ca&gt;": "Customer: [PERSON_NAME_1] &lt;[EMAIL_ADDRESS_1]&gt;",
		"Customer: my number &#8211; 604 555 0134":            "Customer: my number &#8211; [PHONE_NUMBER_1]",
		"Customer: my number is &#6045550134;":                "Customer: my number is &#[PHONE_NUMBER_1];",
		"Customer: the card is &#4111111111111111;":           "Customer: the card is &[CREDIT_CARD_NUMBER_1];",
		"Customer: the social is &#219099998;":                "Customer: the social is &[SSN_1];",
	} {
		if got := converse(t, e, raw); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Within an address, a reference is a part of it.
func TestReferencesWithinAValueAreMasked(t *testing.T) {
	got := converse(t, newEngine(t, Options{}), "Agent: Your e-mail address?\nCustomer: ida&#64;northfold.ca")
	if strings.Contains(got, "64") || strings.Contains(got, "northfold") {
		t.Errorf("got %s", got)
	}
}
