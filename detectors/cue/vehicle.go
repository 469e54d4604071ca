package cue

import "sotto/detectors"

// vehicles adds makes and models of cars, which reveal a lot about who drives
// them.
func (d text) vehicles() {
	asked, cars := false, false // whether the text speaks of cars, once it was asked
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if !t.Class.IsWord() || clueOf(t)&vehicleClue == 0 {
			continue
		}
		sure := makes.Has(t.Hash)
		if !sure && !wordMakes.Has(t.Hash) {
			continue
		}
		if !asked {
			asked, cars = true, d.speaksOf(carWords)
		}
		end := d.modelEnd(i + 1)
		if !sure && (end == i+1 || !cars && !d.midCapital(i)) {
			continue
		}
		d.addAs("vehicles", detectors.ByDictionary, detectors.Product, i, end, detectors.Likely, 0)
		i = end - 1
	}
}

// modelEnd returns the end of the model's name that may begin at token i.
func (d text) modelEnd(i int) int {
	for n := 0; n < 3 && i < len(d.Tokens); n++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			if t.Ch != '-' || !t.Glued() || i+1 == len(d.Tokens) {
				break
			}
			i++
			continue
		}
		model := models.Has(t.Hash) || t.Class == detectors.Alnum ||
			t.Class.IsWord() && !plain(t) && (d.midCapital(i) || d.entry(i).Common() == 0 && t.Class != detectors.Letter)
		if !model || carWords.Has(t.Hash) && !d.midCapital(i) && n > 0 {
			break
		}
		i++
	}
	return i
}
