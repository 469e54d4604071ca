package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	// measured is a figure that was measured: a share, or a number with decimals.
	measured = regexp.MustCompile(`\d[\d,]*(\.\d+)?( (and|to|of|instead of) \d[\d,]*(\.\d+)?)* (%|per cent)|\d+\.\d+`)
	// age is what says how old figures are; before rules had versions, a day.
	age = regexp.MustCompile(`(?i)rule versions? \d+|\b\d{1,2} (january|november|december) 20\d\d`)
)

// ages returns the texts of a document with measured figures of which nobody can tell the age: they have no source, and their section
// has not said before of which version of the rules its figures are. A text with a mark needs it for all of them, and
// says of which version its results are.
func (c *checker) ages(document string) []string {
	var wrong []string
	said := false
	for _, b := range blocks(document) {
		said = age.MatchString(b.text) || said && !strings.HasPrefix(b.text, "#")
		unknown, err := c.unknown(b.text, numbers{})
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("line %d: %v", b.line, err))
		}
		for _, problem := range c.undated(b.text, c.inMarks(b.text), false) {
			wrong = append(wrong, fmt.Sprintf("line %d: %s", b.line, problem))
		}
		if said && !sourceMark.MatchString(b.text) {
			continue
		}
		for _, figure := range measured.FindAllString(withoutNames(b.text), -1) {
			if n := plain(number.FindString(figure)); slices.Contains(unknown, n) {
				wrong = append(wrong, fmt.Sprintf("line %d: %s has no source, or nothing before it in this section names the version of the rules", b.line, n))
				break
			}
		}
	}
	return wrong
}
