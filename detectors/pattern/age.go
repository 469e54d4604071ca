package pattern

import d "sotto/detectors"

// maxAge is the greatest age that is read as one.
const maxAge = 120

// ages finds ages: "45 years old", "a six-month-old", "aged 45", "I'm forty five".
func ages(doc *d.Document) {
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.Claimed || !r.Quantity || r.Value < 0 || r.Value > maxAge || r.Connectors > 0 || isCurrencyBefore(doc, r.First) {
			continue
		}
		e, score := ageEvidence(doc, r)
		if e == 0 {
			continue
		}
		doc.Add(d.Finding{Start: r.Start, End: r.End, Type: d.Age, Value: plainCode(doc, r.First, r.Last+1), Likelihood: d.LikelihoodOf(score), Score: score,
			Detector: "age", Evidence: e})
		r.Claimed = true
	}
	if doc.Has(d.Decade) {
		decades(doc)
	}
}

// ageEvidence returns the evidence that a small number is an age, 0 when there is none.
func ageEvidence(doc *d.Document, r *d.Run) (e d.Evidence, score float32) {
	expected := doc.Expected(d.Age)
	switch {
	case oldFollows(doc, r.Last+1):
		return d.ByStructure, 0.95
	case unitFollows(doc, r.Last+1):
	case ageBefore(doc, r.First):
		return d.ByHotword | d.ByShape, 0.9
	case expected > 0 && (r.Opens || r.Closes || len(doc.Runs) == 1) && r.Value > 0:
		return d.ByExpectation, 0.6 + float32(0.3*expected)
	case r.Value >= 16 && r.Value <= 99 && selfBefore(doc, r.First) && endsClause(doc, r.Last+1):
		return d.ByCue, 0.65
	}
	return 0, 0
}

// oldFollows reports whether "years old", "-year-old", "yo" begins at token k.
func oldFollows(doc *d.Document, k int) bool {
	k = skipHyphen(doc, k)
	switch {
	case doc.WordIs(k, "yo"):
		return true
	case doc.WordIs(k, "y"):
		j := k + 1
		for j < len(doc.Tokens) && doc.Tokens[j].Class == d.Punct && j < k+3 {
			j++
		}
		return j < len(doc.Tokens) && doc.Tokens[j].Class == d.Letter && doc.Tokens[j].Ch == 'o'
	case doc.WordIn(k, ageUnits):
		k = skipHyphen(doc, k+1)
		for k < len(doc.Tokens) && doc.Tokens[k].Is(d.Filler) {
			k++
		}
		return doc.WordIn(k, oldWords) || doc.WordIs(k, "of") && doc.WordIs(k+1, "age")
	}
	return false
}

func skipHyphen(doc *d.Document, k int) int {
	if k < len(doc.Tokens) && doc.Tokens[k].Class == d.Punct && doc.Tokens[k].Ch == '-' {
		k++
	}
	return k
}

// unitFollows reports whether a unit, currency or sign is at token k.
func unitFollows(doc *d.Document, k int) bool {
	k = skipHyphen(doc, k)
	if k >= len(doc.Tokens) {
		return false
	}
	t := &doc.Tokens[k]
	return t.Is(d.Measure|d.Currency|d.Clock|d.Scale) || t.Class == d.Punct && t.Ch == '%'
}

func isCurrencyBefore(doc *d.Document, k int) bool { return k > 0 && isCurrencySign(doc, k-1) }

// ageBefore reports whether "age", "aged", "turned", "age is" comes before token k.
func ageBefore(doc *d.Document, k int) bool {
	for n := 0; n < 4 && k > 0; n++ {
		k--
		t := &doc.Tokens[k]
		switch {
		case beforeAge.Has(t.Hash):
			return true
		case t.Is(d.Copula | d.Filler), t.Class == d.Punct && (t.Ch == ':' || t.Ch == ','), t.Class == d.Clitic:
		default:
			return false
		}
	}
	return false
}

// selfBefore reports whether "I'm", "he is", "she's" comes right before token k.
func selfBefore(doc *d.Document, k int) bool {
	if k < 2 {
		return false
	}
	t, p := &doc.Tokens[k-1], &doc.Tokens[k-2]
	return (t.Class == d.Clitic || beingVerbs.Has(t.Hash)) && persons.Has(p.Hash) || doc.WordIs(k-1, "im")
}

// endsClause reports whether the clause ends before token k, so that no thing that is
// counted follows.
func endsClause(doc *d.Document, k int) bool {
	if k >= len(doc.Tokens) {
		return true
	}
	t := &doc.Tokens[k]
	return t.Class == d.Punct && (t.Ch == '.' || t.Ch == ',' || t.Ch == '!' || t.Ch == '?') || doc.WordIs(k, "and")
}

// decades finds "in my fifties".
func decades(doc *d.Document) {
	for i := 1; i < len(doc.Tokens); i++ {
		if !doc.Tokens[i].Is(d.Decade) {
			continue
		}
		p := i - 1
		if doc.WordIn(p, partsOfDecade) {
			p = max(p-1, 0)
		}
		if t := &doc.Tokens[i]; doc.WordIn(p, possessives) {
			doc.Add(d.Finding{Start: int(t.Start), End: int(t.End), Type: d.Age, Value: string(doc.Word(i)), Likelihood: d.Likely, Score: 0.75,
				Detector: "age", Evidence: d.ByCue | d.ByShape})
		}
	}
}
