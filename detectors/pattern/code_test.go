package pattern

import "testing"

func TestCodesInGroups(t *testing.T) {
	checkTypes(t, []typeCase{
		{"sure it's QF dash double four nine one B", "GENERIC_ID=qf4491b<QF dash double four nine one B>"},
		{"dwnsk 300", "GENERIC_ID=dwnsk300<dwnsk 300>"},
		{"Vera and kr 45 w 2", "GENERIC_ID=kr45w2<kr 45 w 2>"},
	})
}

// Quantities, times and sizes that look like a code in groups are not masked.
func TestQuantitiesAreNoCodesInGroups(t *testing.T) {
	checkTypes(t, []typeCase{
		{"2 to 4", ""},
		{"5 ft 7 in", ""},
		{"6 by 9", ""},
		{"buy 12", ""},
		{"ok 5 pm", ""},
		{"the 25 th", ""},
		{"get 30 gb", ""},
		{"2 hr 30 min", ""},
		{"table 300", "NUMERIC=300<300>"},
		{"crust 12 and cola 2", ""},
		{"at 2000", "NUMERIC=2000<2000>"},
	})
}
