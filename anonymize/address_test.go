package anonymize

import "testing"

func TestAnAddressIsOneValue(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ name, text, want string }{
		{
			"an address is one value, with its city and state",
			"Ann: I live at 42 Willow Street, Dayton, Ohio 45402.",
			"[PERSON_NAME_1]: I live at [STREET_ADDRESS_1].",
		},
		{
			"without them the address is one",
			"Ann: i live at 42 willow street dayton ohio 45402",
			"[PERSON_NAME_1]: i live at [STREET_ADDRESS_1]",
		},
		{
			"so is one in a city that the call knows",
			"Ann: my flight to dayton got cancelled\nAnn: i live at 42 willow street dayton ohio 45402",
			"[PERSON_NAME_1]: my flight to [LOCATION_1] got cancelled\n" +
				"[PERSON_NAME_1]: i live at [STREET_ADDRESS_1]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := converse(t, e, c.text); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
