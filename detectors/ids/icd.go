package ids

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"slices"
	"sync"

	"sotto/internal/ruledata"
)

//go:embed icd.bin
var icdFile []byte

var icdPacked = ruledata.Bytes("detectors/ids/icd.bin", icdFile)

// icdTable is the sorted codes of both classifications, each packed into a number.
type icdTable struct{ nine, ten []uint32 }

var icdCodes = sync.OnceValue(loadICD)

// loadICD unpacks the embedded codes. They are part of the program: if they do not
// unpack, the build is broken.
func loadICD() *icdTable {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(icdPacked)))
	if err != nil {
		panic("ids: embedded diagnosis codes: " + err.Error())
	}
	nine, ten, _ := bytes.Cut(raw, []byte("\n\n"))
	return &icdTable{unpackICD(nine), unpackICD(bytes.TrimSpace(ten))}
}

// unpackICD reads sorted codes: on each line how many characters the code has in common with the one
// before it, and the others.
func unpackICD(lines []byte) (codes []uint32) {
	var code []byte
	for line := range bytes.SplitSeq(lines, []byte{'\n'}) {
		code = append(code[:line[0]-'0'], bytes.ToLower(line[1:])...)
		codes = append(codes, packCode(code))
	}
	slices.Sort(codes)
	return codes
}

// packCode packs up to five letters and digits into a number.
func packCode(code []byte) uint32 {
	n := uint32(0)
	for _, c := range code {
		v := uint32(c-'0') + 1
		if IsLetter(c) {
			v = uint32(c-'a') + 11
		}
		n = n*37 + v
	}
	return n
}

// IsICD9 reports whether a code without its dot is one of ICD-9-CM (CMS).
func IsICD9(code []byte) bool {
	return len(code) >= 3 && len(code) <= 5 && hasCode(icdCodes().nine, code)
}

func hasCode(codes []uint32, code []byte) bool {
	_, ok := slices.BinarySearch(codes, packCode(code))
	return ok
}

// IsICD10 reports whether a code without its dot is one of ICD-10-CM (CMS): its
// category and first subdivision are in the list, and the rest has the right form.
func IsICD10(code []byte) bool {
	if len(code) < 3 || len(code) > 7 || !IsLetter(code[0]) || !IsDigit(code[1]) {
		return false
	}
	// X holds the place of a subdivision that the category does not have.
	ten := icdCodes().ten
	return hasCode(ten, code[:min(len(code), 4)]) || len(code) > 3 && code[3] == 'x' && hasCode(ten, code[:3])
}
