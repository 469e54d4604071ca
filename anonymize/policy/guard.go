package policy

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits of policy.yaml beyond its size. The parser needs memory out of proportion for deep nesting
// and for many keys, so the tokens are checked before.
const (
	maxTokens  = 20_000
	maxNesting = 16
	// maxColumn bounds the indentation, and so the nesting of blocks.
	maxColumn = 100
)

// guard fails on a policy.yaml that is nested too deeply, has too many keys, or uses what can make a
// small file large. The error names file and line.
func guard(path string, data []byte) error {
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > maxTokens {
		return fmt.Errorf("%s: more than %d keys, values and marks", path, maxTokens)
	}
	depth, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
			if t.Position.Column > maxColumn {
				return fmt.Errorf("%s:%d: indented by more than %d columns", path, line, maxColumn)
			}
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType:
			return fmt.Errorf("%s:%d: anchors, aliases, tags and directives are not supported", path, line)
		}
		if depth > maxNesting || entries > maxNesting {
			return fmt.Errorf("%s:%d: nested more than %d levels deep", path, line, maxNesting)
		}
	}
	return nil
}
