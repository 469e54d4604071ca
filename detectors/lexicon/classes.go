package lexicon

import (
	_ "embed"

	"sotto/internal/ruledata"
)

//go:embed classes.bin
var classesFile []byte

var packedClasses = ruledata.Bytes("detectors/lexicon/classes.bin", classesFile)

// Class is a distributional class of words: words that occur among the same words share it. The zero
// Class is that of a word without one. Classes are numbered from 1 to NumClasses; those whose numbers
// less one agree in the high bits are similar.
type Class uint16

// NumClasses is the number of classes.
const NumClasses = 64 * 16 * 4

// Coarse returns the one of 64 groups, numbered from 1, that the class is part of; 0 for no class.
func (c Class) Coarse() uint16 { return c.group(6) }

// Middle returns the one of 1,024 groups, numbered from 1, that the class is part of; 0 for no class.
func (c Class) Middle() uint16 { return c.group(2) }

func (c Class) group(shift int) uint16 {
	if c == 0 {
		return 0
	}
	return uint16(c-1)>>shift + 1
}
