package ner

import "testing"

// A more sensitive operating point asks for no more certainty than one that is less so.
func TestMoreSensitivePointsAskForLess(t *testing.T) {
	for _, encoded := range []bool{false, true} {
		for i, s := range Sensitivities()[1:] {
			less, _ := ThresholdsOf(Sensitivities()[i], encoded)
			more, _ := ThresholdsOf(s, encoded)
			check := func(name string, less, more float32) {
				if more > less {
					t.Errorf("%s, encoder %t: %s masks %s from %v on, and the point before from %v", s, encoded, s, name, more, less)
				}
			}
			for k, name := range kindNames {
				check(name, less.Kinds[k], more.Kinds[k])
			}
			check("beside", less.Beside, more.Beside)
			check("date", less.Date, more.Date)
			check("finished", less.Finished, more.Finished)
		}
	}
}

// What is set by hand replaces what is found, and stays when that is written again.
func TestThresholdsSetByHand(t *testing.T) {
	values := map[string]*[3]float32{}
	readPoints(values, "a 0.4 0.2 0.1\nb 0.6 0.3 0.2\n")
	readPoints(values, "# by hand\nb 0.5 - 0.1\nc 0.9 0.8 0.7\n")
	if *values["a"] != [3]float32{0.4, 0.2, 0.1} || *values["b"] != [3]float32{0.5, 0.3, 0.1} || *values["c"] != [3]float32{0.9, 0.8, 0.7} {
		t.Errorf("%v %v %v", *values["a"], *values["b"], *values["c"])
	}
	for _, encoded := range []bool{false, true} {
		found := pointsOf(encoded)
		again := mustParsePoints(WritePoints(found), encoded)
		for s := range found {
			if again[s] != found[s] {
				t.Errorf("%s, encoder %t: %+v became %+v", s, encoded, found[s], again[s])
			}
		}
	}
}
