package pattern

import d "sotto/detectors"

// layout is how the digits of a run are grouped, such as "3-2-4".
type layout struct {
	// text has the sizes of the groups; n is its length, 0 for no grouping, and
	// known says that it has been read.
	text  [8]byte
	n     int
	known bool
}

// of returns the layout of the run, which it reads the first time. Digits that were said
// one by one have none.
func (l *layout) of(t *classifier) *layout {
	if !l.known {
		l.known = true
		if !l.read(t.doc.Symbols(t.run)) {
			l.n = 0
		}
	}
	return l
}

func (l *layout) isIn(layouts []string) bool {
	for _, x := range layouts {
		if x == string(l.text[:l.n]) {
			return true
		}
	}
	return false
}

// read reads the sizes of the groups. It reports false for one that has none.
func (l *layout) read(symbols []d.Symbol) bool {
	size, group := 0, -1
	for i := range symbols {
		y := &symbols[i]
		if y.Kind == d.Connector {
			continue
		}
		if y.Kind != d.Written || y.Ch > '9' {
			return false
		}
		if int(y.First) != group && i > 0 {
			if !l.add(size) {
				return false
			}
			size = 0
		}
		group = int(y.First)
		size++
	}
	return l.add(size)
}

// add adds a group: one of up to 9 digits, or of 16, which is a card written in one.
func (l *layout) add(size int) bool {
	if size == 0 {
		return true
	}
	if size > 9 && size != 16 || l.n+3 > len(l.text) {
		return false
	}
	if l.n > 0 {
		l.text[l.n] = '-'
		l.n++
	}
	if size == 16 {
		l.text[l.n] = '1'
		l.n++
		size = 6
	}
	l.text[l.n] = byte('0' + size)
	l.n++
	return true
}
