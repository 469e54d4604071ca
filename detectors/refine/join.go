package refine

import "sotto/detectors"

// joinAddresses joins what was found of a spoken e-mail address or user name with the words "at",
// "dot", "underscore" and "dash" that stand between the parts, "«hope» at «sandoval drywall dot com»",
// or at the beginning or the end of an answer, "at «shaw dot ca»": the connectors that are left would
// show where the parts belong. A word beside a "dot" is part of the address, too.
func joinAddresses(d *detectors.Document) {
	if !d.Has(detectors.Connect) || len(d.Findings) == 0 || !namesAddress(d) {
		return
	}
	var room [128]int32 // for most texts
	j := newJoiner(d, room[:])
	for i := range d.Tokens {
		if t := &d.Tokens[i]; t.Is(detectors.Connect) {
			j.connector(i)
		}
	}
}

// namesAddress reports whether a part of an address was found, or one is expected.
func namesAddress(d *detectors.Document) bool {
	if d.Expected(detectors.EmailAddress) > 0 || d.Expected(detectors.UserName) > 0 {
		return true
	}
	for i := range d.Findings {
		if isOnline(d.Findings[i].Type) {
			return true
		}
	}
	return false
}

func isOnline(t detectors.InfoType) bool {
	return t == detectors.EmailAddress || t == detectors.DomainName || t == detectors.UserName
}

// joiner knows where findings begin and end.
type joiner struct {
	*detectors.Document
	// begins and ends have, by token, 1 plus the index of the longest finding that begins with
	// the token or ends before it.
	begins, ends []int32
	// own is the number of findings that were there before any was joined.
	own int
}

// newJoiner makes a joiner, in room if that is enough, which is all 0.
func newJoiner(d *detectors.Document, room []int32) joiner {
	n := len(d.Tokens) + 1
	if len(room) < 2*n {
		room = make([]int32, 2*n)
	}
	j := joiner{d, room[:n], room[n : 2*n], len(d.Findings)}
	for i := range d.Findings {
		j.note(int32(i))
	}
	return j
}

func (j *joiner) note(i int32) {
	f := &j.Findings[i]
	first, end := j.TokenAt(f.Start), j.TokenAt(f.End-1)+1
	j.keep(&j.begins[first], i)
	j.keep(&j.ends[end], i)
}

// keep stores finding i in a place if it is longer than the one there.
func (j *joiner) keep(place *int32, i int32) {
	if *place == 0 || j.Findings[*place-1].End-j.Findings[*place-1].Start < j.Findings[i].End-j.Findings[i].Start {
		*place = i + 1
	}
}

// connector joins the findings on both sides of the connector at token i.
func (j *joiner) connector(i int) {
	left, right := j.finding(j.ends[i]), j.finding(j.begins[i+1])
	if left == nil && right == nil || left != nil && left.Type == detectors.URL {
		return
	}
	joined := detectors.Finding{Type: j.typeOf(left, right)}
	if joined.Type == "" {
		return
	}
	switch j.Tokens[i].Ch {
	case '@':
		if !j.hasSides(i, left, right) {
			return
		}
		joined.Type = detectors.EmailAddress
		joined.Start, joined.End = int(j.Tokens[i].Start), int(j.Tokens[i].End)
	case '.', '-', '_':
		if j.Tokens[i].Class == detectors.Punct {
			return
		}
		joined.Start, joined.End = int(j.Tokens[j.word(i, -1)].Start), int(j.Tokens[j.word(i, 1)].End)
	default:
		return
	}
	if left != nil {
		joined.Start = left.Start
	}
	if right != nil {
		joined.End = right.End
	}
	j.add(&joined, int(j.ends[i])-1)
}

// finding returns the finding with a number from begins or ends, nil for 0.
func (j *joiner) finding(n int32) *detectors.Finding {
	if n == 0 {
		return nil
	}
	return &j.Findings[n-1]
}

// typeOf is the infoType of the address that the findings beside a connector belong to, "" for none.
func (j *joiner) typeOf(left, right *detectors.Finding) detectors.InfoType {
	switch {
	case left != nil && isOnline(left.Type) && left.Type != detectors.DomainName:
		return left.Type
	case right != nil && isOnline(right.Type):
		return right.Type
	}
	if left != nil && isOnline(left.Type) {
		return left.Type
	}
	return j.expected()
}

// hasSides reports whether the "at" at token i stands between the two parts of an address, or at the
// end of the turn that has one of them.
func (j *joiner) hasSides(i int, left, right *detectors.Finding) bool {
	switch {
	case right != nil && isOnline(right.Type):
		return left != nil || j.begun(i)
	case left == nil:
		return false
	}
	return right != nil || j.only(i+1, len(j.Tokens), detectors.Filler)
}

// word returns the token beside token i in a direction if it is a word or a number, otherwise i.
func (j *joiner) word(i, direction int) int {
	k := i + direction
	if k < 0 || k >= len(j.Tokens) || j.Tokens[k].Class == detectors.Punct || j.Tokens[k].Class == detectors.Other {
		return i
	}
	return k
}

// add adds a finding, or extends the one with index i if that was joined before.
func (j *joiner) add(f *detectors.Finding, i int) {
	if i >= j.own {
		j.Findings[i].End, j.Findings[i].Type = f.End, f.Type
		j.note(int32(i))
		return
	}
	const score = 0.7
	f.Likelihood, f.Score = detectors.LikelihoodOf(score), score
	f.Detector, f.Evidence = "address", detectors.ByStructure
	j.Add(*f)
	j.note(int32(len(j.Findings) - 1))
}

// begun reports whether the turn begins with token i, but for fillers.
func (j *joiner) begun(i int) bool { return j.only(0, i, detectors.Filler|detectors.Backchannel) }

// only reports whether the tokens from first to end are punctuation and words with these bits.
func (j *joiner) only(first, end int, bits detectors.Bits) bool {
	for i := first; i < end; i++ {
		if t := &j.Tokens[i]; t.Class != detectors.Punct && !t.Is(bits) {
			return false
		}
	}
	return true
}

// expected is the infoType of the address that the turn is expected to give, "" for none.
func (j *joiner) expected() detectors.InfoType {
	email, user := j.Expected(detectors.EmailAddress), j.Expected(detectors.UserName)
	switch {
	case email == 0 && user == 0:
		return ""
	case email >= user:
		return detectors.EmailAddress
	}
	return detectors.UserName
}
