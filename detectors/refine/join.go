package refine

import "sotto/detectors"

// joinAddresses joins what was found of a spoken e-mail address or user name with the words "at",
// "dot", "underscore" and "dash" that stand between the parts, "«hope» at «sandoval drywall dot com»",
// or at the beginning of an answer, "at «shaw dot ca»": the connectors that are left would show where the
// parts belong.
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
	left, right := j.ends[i], j.begins[i+1]
	if right == 0 || left != 0 && j.Findings[left-1].Type == detectors.URL {
		return
	}
	r := &j.Findings[right-1]
	start := int(j.Tokens[i].Start)
	online := r.Type
	if left != 0 {
		l := &j.Findings[left-1]
		start = l.Start
		if isOnline(l.Type) && l.Type != detectors.DomainName {
			online = l.Type
		}
	}
	switch j.Tokens[i].Ch {
	case '@':
		if !isOnline(r.Type) || left == 0 && !j.begun(i) {
			return
		}
		online = detectors.EmailAddress
	case '.', '-', '_':
		if left == 0 || j.Tokens[i].Class == detectors.Punct {
			return
		}
		if !isOnline(online) {
			if online = j.expected(); online == "" {
				return
			}
		}
	default:
		return
	}
	if i := int(left) - 1; i >= j.own {
		j.Findings[i].End, j.Findings[i].Type = r.End, online
		j.note(int32(i))
		return
	}
	const score = 0.7
	j.Add(detectors.Finding{
		Start: start, End: r.End, Type: online, Likelihood: detectors.LikelihoodOf(score), Score: score, Detector: "address",
		Evidence: detectors.ByStructure,
	})
	j.note(int32(len(j.Findings) - 1))
}

// begun reports whether the turn begins with token i, but for fillers.
func (j *joiner) begun(i int) bool {
	for i--; i >= 0; i-- {
		if t := &j.Tokens[i]; t.Class != detectors.Punct && !t.Is(detectors.Filler|detectors.Backchannel) {
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
