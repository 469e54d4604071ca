package remote

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sotto/detectors"
	"sotto/internal/ruledata"
)

//go:embed presidio.txt
var presidioFile string

//go:embed dlp.txt
var dlpFile string

//go:embed llm.txt
var promptFile string

// The tables of Presidio's own recognizers and of Google's infoTypes, and the prompt for language models.
var (
	presidioTypes = ruledata.Text("detectors/remote/presidio.txt", presidioFile)
	dlpTypes      = ruledata.Text("detectors/remote/dlp.txt", dlpFile)
	prompt        = ruledata.Text("detectors/remote/llm.txt", promptFile)
)

// Types say which infoType each of a service's own types is. It is immutable.
type Types struct {
	rows   map[string]typeRow
	digest [sha256.Size]byte
}

type typeRow struct {
	infoType detectors.InfoType // "" for a type that is ignored
	least    float32
}

// anyType names the row for the types that no other row names.
const anyType = "*"

// PresidioTypes returns the built-in table for Presidio.
func PresidioTypes() *Types { return builtin("presidio.txt", presidioTypes) }

// DLPTypes returns the built-in table for Google Sensitive Data Protection.
func DLPTypes() *Types { return builtin("dlp.txt", dlpTypes) }

// Prompt is the built-in prompt for language models.
func Prompt() string { return prompt }

// LLMTypes returns the built-in table for language models: the infoTypes by their own names.
func LLMTypes() *Types {
	var table strings.Builder
	for _, t := range detectors.InfoTypes() {
		fmt.Fprintf(&table, "%s %s\n", t, t)
	}
	table.WriteString(anyType + " " + string(detectors.GenericID))
	return builtin("infoTypes", table.String())
}

func builtin(file, text string) *Types {
	t, err := ParseTypes(file, text)
	if err != nil {
		panic(err) // cannot happen: a test reads it
	}
	return t
}

// ParseTypes reads a table. Each line has the service's type, the infoType or "-" to ignore it, and
// perhaps the least score that counts. The service's type "*" is all that no other line names, and
// it must be there: a type that nobody thought of must not go out unmasked by a slip. Blank lines
// and lines that begin with # are skipped. An error names file and line.
func ParseTypes(file, text string) (*Types, error) {
	t := &Types{rows: map[string]typeRow{}, digest: sha256.Sum256([]byte(text))}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) < 2 || len(f) > 3 {
			return nil, fmt.Errorf("%s:%d: a line is TYPE INFOTYPE, or TYPE INFOTYPE SCORE", file, n)
		}
		if _, twice := t.rows[f[0]]; twice {
			return nil, fmt.Errorf("%s:%d: %s has a line already", file, n, f[0])
		}
		var row typeRow
		if f[1] != "-" {
			if row.infoType = detectors.InfoType(f[1]); row.infoType.Row() == nil {
				return nil, fmt.Errorf("%s:%d: %s is not an infoType; see docs/infotypes.md", file, n, f[1])
			}
		}
		if len(f) == 3 {
			least, err := strconv.ParseFloat(f[2], 32)
			if err != nil || least < 0 || least > 1 {
				return nil, fmt.Errorf("%s:%d: the score must be a number from 0 to 1", file, n)
			}
			row.least = float32(least)
		}
		t.rows[f[0]] = row
	}
	if _, ok := t.rows[anyType]; !ok {
		return nil, fmt.Errorf("%s: no line for *, the types that have no line of their own", file)
	}
	return t, nil
}

// Names lists the service's types that are not ignored, in alphabetical order.
func (t *Types) Names() []string {
	var names []string
	for name, row := range t.rows {
		if name != anyType && row.infoType != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Is returns the infoType of a service's type, "" if it is ignored.
func (t *Types) Is(name string) detectors.InfoType { return t.row(name).infoType }

func (t *Types) row(name string) typeRow {
	if row, ok := t.rows[name]; ok {
		return row
	}
	return t.rows[anyType]
}

// Digest is a hash of the table.
func (t *Types) Digest() []byte { return t.digest[:] }

// of returns the infoType of a span, and whether the span counts.
func (t *Types) of(s Span) (detectors.InfoType, bool) {
	row := t.row(s.Type)
	return row.infoType, row.infoType != "" && s.Score >= row.least
}
