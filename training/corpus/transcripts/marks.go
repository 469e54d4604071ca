package transcripts

import (
	"slices"
	"unicode/utf8"

	"sotto/schemas"
)

// marks are the stream's marks of the indirect identifiers of a call (SOTTO_TOPIC_INDIRECT). In the
// final topic, each utterance has its own, as marks or masked. In the clean topic, the first END
// lists those of all utterances before it.
type marks struct {
	judged bool
	own    bool // utterances have their own
	count  int64
	listed []schemas.MarkedWord
	late   []*schemas.CleanEvent // after the END
}

// maskedIndirect is the detector of the words that the stream has masked.
const maskedIndirect = "indirect"

func (m *marks) addUtterance(e *schemas.CleanEvent, late bool) {
	m.own = m.own || len(e.Indirect) > 0 || slices.ContainsFunc(e.Entities, func(x schemas.Entity) bool { return x.Detector == maskedIndirect })
	if late {
		m.late = append(m.late, e)
	}
}

func (m *marks) addEnd(e *schemas.CleanEvent) {
	if e.Call == nil || e.Call.Indirect == nil || !e.Call.Indirect.Judged {
		return
	}
	m.judged = true
	m.count += e.Call.Indirect.Count
	m.listed = append(m.listed, e.Call.Indirect.Words...)
}

// apply marks the utterances, which must be in order. An END lists only the first words if there are
// many, and none of later utterances. An utterance whose marks are not known is marked as a whole: a
// model must not learn words that nobody has judged.
func (m *marks) apply(events []*schemas.CleanEvent) {
	if !m.judged || m.own {
		return
	}
	bySeq := map[int64][]schemas.Span{}
	last := int64(-1) // seq of the last word in the list
	for _, w := range m.listed {
		bySeq[w.Seq] = append(bySeq[w.Seq], schemas.Span{Start: w.Start, End: w.End})
		last = max(last, w.Seq)
	}
	complete := int64(len(m.listed)) >= m.count
	for _, e := range events {
		e.Indirect = bySeq[e.Seq]
		if slices.Contains(m.late, e) || !complete && e.Seq >= last {
			e.Indirect = []schemas.Span{{Start: 0, End: utf8.RuneCountInString(e.Text)}}
		}
	}
}
