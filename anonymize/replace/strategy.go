// Package replace renders the replacements of personal information in a text, and measures how much
// privacy they give.
//
// The six strategies are those of Adelani et al., "Privacy guarantees for
// de-identifying text transformations" (Interspeech 2020), and numbered tags. A
// Plan holds one for each infoType. The surrogates of the strategies named, word
// and entity come from tables (source.go, learned.go) or are made by rule
// (code.go, date.go, mail.go); all of them keep the shape of what they replace.
package replace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Strategy is a way to replace what is personal.
type Strategy uint8

const (
	// TypedNumbered writes the infoType and the number of the entity in its
	// call: [PERSON_NAME_1].
	TypedNumbered Strategy = iota
	// Typed writes the infoType: [PERSON_NAME].
	Typed
	// Redact writes RedactMark.
	Redact
	// Named writes one exemplar for each infoType.
	Named
	// Word replaces each word by one of the same infoType, independently.
	Word
	// Entity replaces the whole by a value of the same infoType and shape.
	Entity

	strategies = iota
)

// RedactMark is what Redact writes.
const RedactMark = "[REDACTED]"

var strategyNames = [strategies]string{"typed-numbered", "typed", "redact", "named", "word", "entity"}

// String is the name of the strategy in events and settings.
func (s Strategy) String() string { return strategyNames[s] }

// Surrogates reports whether the strategy writes values instead of marks.
func (s Strategy) Surrogates() bool { return s >= Named }

func parseStrategy(name string) (Strategy, bool) {
	i := slices.Index(strategyNames[:], name)
	return Strategy(max(i, 0)), i >= 0
}

// Choice is the strategy of each infoType. The zero value is TypedNumbered
// for all.
type Choice struct {
	Default Strategy
	ByType  map[string]Strategy
}

// errChoice does not repeat the value, as no error of a setting does.
var errChoice = errors.New("must be a strategy or a list such as default=typed,PERSON_NAME=entity; the strategies are " +
	strings.Join(strategyNames[:], ", "))

// ParseChoice reads one strategy's name, or "default=typed,PERSON_NAME=entity".
// Without a default the other infoTypes are TypedNumbered.
func ParseChoice(text string) (Choice, error) {
	if s, ok := parseStrategy(strings.TrimSpace(text)); ok {
		return Choice{Default: s}, nil
	}
	var c Choice
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		s, known := parseStrategy(strings.TrimSpace(value))
		if !ok || !known || seen[name] {
			return Choice{}, errChoice
		}
		seen[name] = true
		switch {
		case name == "default":
			c.Default = s
		case isInfoType(name):
			if c.ByType == nil {
				c.ByType = map[string]Strategy{}
			}
			c.ByType[name] = s
		default:
			return Choice{}, errChoice
		}
	}
	return c, nil
}

func isInfoType(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// Of is the strategy of an infoType.
func (c Choice) Of(infoType string) Strategy {
	if s, ok := c.ByType[infoType]; ok {
		return s
	}
	return c.Default
}

func (c Choice) surrogates() bool {
	return c.Default.Surrogates() || slices.ContainsFunc(slices.Collect(maps.Values(c.ByType)), Strategy.Surrogates)
}

// String is the form that ParseChoice reads; equal choices have equal strings.
func (c Choice) String() string {
	var parts []string
	for _, t := range slices.Sorted(maps.Keys(c.ByType)) {
		if s := c.ByType[t]; s != c.Default {
			parts = append(parts, fmt.Sprintf("%s=%s", t, s))
		}
	}
	if len(parts) == 0 {
		return c.Default.String()
	}
	return fmt.Sprintf("default=%s,%s", c.Default, strings.Join(parts, ","))
}
