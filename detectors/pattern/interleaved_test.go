package pattern

import "testing"

func TestCodesInGroups(t *testing.T) {
	checkTypes(t, []typeCase{
		{"its b 2 cs 51", "GENERIC_ID=b2cs51<b 2 cs 51>"},
		{"my name is Ella and the booking confirmation number is a 7 he 9 v", "GENERIC_ID=a7he9v<a 7 he 9 v>"},
		{"gb 67 b 6", "GENERIC_ID=gb67b6<gb 67 b 6>"},
		{"fg 5 er 7", "GENERIC_ID=fg57<fg 5 er 7>"},
		{"hu 78 uh", "GENERIC_ID=hu78uh<hu 78 uh>"},
		{"axe 458", "GENERIC_ID=axe458<axe 458>"},
		{"sorry it is a 8634432", "GENERIC_ID=a8634432<a 8634432>"},
		// A recognizer writes a capital and a full stop.
		{"Kfr 782.", "GENERIC_ID=kfr782<Kfr 782>"},
		{"The number is pl 4471", "GENERIC_ID=pl4471<pl 4471>"},
		{"and the number io 5520.", "GENERIC_ID=io5520<io 5520>"},
		{"booking number an 1970", "GENERIC_ID=an1970<an 1970>"},
		{"the second is av 5120008", "GENERIC_ID=av5120008<av 5120008>"},
		{"sure it's QF dash double four nine one B", "GENERIC_ID=qf4491b<QF dash double four nine one B>"},
		{"dwnsk 300", "GENERIC_ID=dwnsk300<dwnsk 300>"},
		{"at 558120", "GENERIC_ID=at558120<at 558120>"},
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
