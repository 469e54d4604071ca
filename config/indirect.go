package config

import "fmt"

// Values of SOTTO_INDIRECT and SOTTO_INDIRECT_BY.
const (
	MarkIndirect = "mark"
	MaskIndirect = "mask"

	ByCall    = "call"
	BySpeaker = "speaker"
)

// Limits of the graph of indirect identifiers.
const (
	maxIndirectK = 16
	maxNGram     = 3
)

func (s *Settings) validateIndirect(p *problems) {
	p.require(s.TopicIndirect == "" || s.TopicFinal != "", "TOPIC_INDIRECT", "needs SOTTO_TOPIC_FINAL: the words of a call are known when its final version is written")
	p.require(s.Indirect == MarkIndirect || s.Indirect == MaskIndirect, "INDIRECT", "must be mark or mask")
	p.require(s.IndirectK >= 2 && s.IndirectK <= maxIndirectK, "INDIRECT_K", "must be 2 to %d", maxIndirectK)
	p.require(s.IndirectNGram >= 1 && s.IndirectNGram <= maxNGram, "INDIRECT_NGRAM", "must be 1 to %d", maxNGram)
	p.require(s.IndirectBy == ByCall || s.IndirectBy == BySpeaker, "INDIRECT_BY", "must be call or speaker")
	p.require(s.IndirectMinCalls >= 0, "INDIRECT_MIN_CALLS", "must not be negative")
	p.require(s.IndirectMaxWords >= 1, "INDIRECT_MAX_WORDS", "must be at least 1")
}

// maskedWords says by which rules the stream masks words beside the engine, for the policy hash; ""
// if it does not.
func (s *Settings) maskedWords() string {
	if s.TopicIndirect == "" {
		return ""
	}
	return fmt.Sprintf("%s k=%d n=%d by=%s min=%d max=%d", s.Indirect, s.IndirectK, s.IndirectNGram, s.IndirectBy, s.IndirectMinCalls, s.IndirectMaxWords)
}
