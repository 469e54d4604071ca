package pattern

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"slices"
	"sync"

	d "sotto/detectors"
)

//go:embed icd.bin
var icdPacked []byte

// icdTable is the sorted codes of both classifications, each packed into a number.
type icdTable struct{ nine, ten []uint32 }

var icdCodes = sync.OnceValue(loadICD)

// loadICD unpacks the embedded codes. They are part of the program: if they do not
// unpack, the build is broken.
func loadICD() *icdTable {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(icdPacked)))
	if err != nil {
		panic("pattern: embedded diagnosis codes: " + err.Error())
	}
	t := &icdTable{}
	for i, list := range []*[]uint32{&t.nine, &t.ten} {
		part, rest, _ := bytes.Cut(raw, []byte("\n\n"))
		if i == 1 {
			part = bytes.TrimSuffix(raw, []byte("\n\n"))
		}
		var code []byte
		for line := range bytes.SplitSeq(part, []byte{'\n'}) {
			if len(line) == 0 {
				continue
			}
			code = append(code[:line[0]-'0'], bytes.ToLower(line[1:])...)
			*list = append(*list, packCode(code))
		}
		slices.Sort(*list)
		raw = rest
	}
	return t
}

// packCode packs up to five letters and digits into a number.
func packCode(code []byte) uint32 {
	n := uint32(0)
	for _, c := range code {
		v := uint32(c-'0') + 1
		if isLetter(c) {
			v = uint32(c-'a') + 11
		}
		n = n*37 + v
	}
	return n
}

// isICD9 tells whether a code without its dot is one of ICD-9-CM.
func isICD9(code []byte) bool {
	if len(code) < 3 || len(code) > 5 {
		return false
	}
	_, ok := slices.BinarySearch(icdCodes().nine, packCode(code))
	return ok
}

// isICD10 tells whether a code without its dot is one of ICD-10-CM: its category
// and first subdivision are in the list, and the rest has the right form.
func isICD10(code []byte) bool {
	if len(code) < 3 || len(code) > 7 || !isLetter(code[0]) || !isDigit(code[1]) {
		return false
	}
	n := min(len(code), 4)
	if _, ok := slices.BinarySearch(icdCodes().ten, packCode(code[:n])); ok {
		return true
	}
	if len(code) < 4 {
		return false
	}
	// X holds the place of a subdivision that the category does not have.
	_, ok := slices.BinarySearch(icdCodes().ten, packCode(code[:3]))
	return ok && code[3] == 'x'
}

// diagnosis types a run as a diagnosis code: by the list, and either the dot of the
// written form or a hotword. A code of digits only needs the hotword.
func (t *typer) diagnosis() candidate {
	n := len(t.code)
	if n < 3 || n > 7 {
		return candidate{}
	}
	hot := t.near[d.HotDiagnosis] < d.Far
	expected9, expected10 := t.doc.Expected(d.ICD9Code) > 0, t.doc.Expected(d.ICD10Code) > 0
	dot := t.dotAt(3) || t.dotAt(4) && t.code[0] == 'e'
	letters := isLetter(t.code[0])
	c := candidate{fit: fitExact, evidence: d.ByShape | d.ByList, score: 0.8}
	if hot {
		c.evidence |= d.ByHotword
		c.score = 0.95
	}
	if expected9 || expected10 {
		c.evidence |= d.ByExpectation
		hot = true
	}
	switch {
	case letters && (hot || dot && n >= 4) && isICD10(t.code):
		c.kind = d.ICD10Code
	case (hot || letters && dot) && isICD9(t.code):
		c.kind = d.ICD9Code
	default:
		return candidate{}
	}
	return c
}

// dotAt tells whether the only connector of the run is a dot after k symbols.
func (t *typer) dotAt(k int) bool {
	symbols := t.doc.Symbols(t.run)
	return t.run.Joints == 1 && k < len(symbols) && symbols[k].Kind == d.Joint && symbols[k].Ch == '.'
}
