package dialogue

import (
	"strings"

	"sotto/detectors"
	"sotto/state"
)

// Joint is what several utterances of one speaker say, as one text.
type Joint struct {
	Text     string
	segments []segment
}

// segment is a part of a joint text and where it comes from.
type segment struct {
	// utterance is its position among the utterances.
	utterance int
	// at is where it begins in the joint text, from to to where it stands in its own.
	at, from, to int
}

// Join joins utterances, without what leads up to their content and what trails it at
// the joints. It leaves out those that are nil.
func Join(utterances []*detectors.Document) Joint {
	var j Joint
	var text strings.Builder
	for i, d := range utterances {
		if d == nil {
			continue
		}
		from, to := 0, len(d.Text)
		if i > 0 {
			from = contentStart(d)
		}
		if i < len(utterances)-1 {
			to = contentEnd(d)
		}
		if from >= to {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		j.segments = append(j.segments, segment{i, text.Len(), from, to})
		text.WriteString(d.Text[from:to])
	}
	j.Text = text.String()
	return j
}

// contentStart returns where the content of an utterance begins that continues another.
func contentStart(d *detectors.Document) int {
	if i := firstContent(d); i >= 0 {
		return int(d.Tokens[i].Start)
	}
	return len(d.Text)
}

// contentEnd returns where the content of an utterance ends that another continues.
func contentEnd(d *detectors.Document) int {
	if i := lastContent(d); i >= 0 {
		return int(d.Tokens[i].End)
	}
	return 0
}

// ReachesLast reports whether a finding in the joint text spans the last segment and an
// earlier one.
func (j *Joint) ReachesLast(found []detectors.Finding) bool {
	last := &j.segments[len(j.segments)-1]
	for i := range found {
		if f := &found[i]; f.Start < last.at && f.End > last.at {
			return true
		}
	}
	return false
}

// SpanPart is the part of a finding that one utterance contains, where other utterances
// contain the rest.
type SpanPart struct {
	// Utterance is its position among the utterances that were joined.
	Utterance int
	// Finding has the positions of the utterance.
	Finding detectors.Finding
	// Whole is the mention of the whole finding.
	Whole state.Mention
	// Last means that no later utterance contains a part.
	Last bool
}

// jointly names the findings of span parts.
const jointly = "hold-back"

// Split returns the parts of a finding in the joint text, if it spans several segments;
// nil otherwise. Their Whole is left to the caller.
func (j *Joint) Split(f *detectors.Finding) []SpanPart {
	var parts []SpanPart
	for _, s := range j.segments {
		length := s.to - s.from
		if f.Start >= s.at+length || s.at >= f.End {
			continue
		}
		part := *f
		part.Start = s.from + max(f.Start-s.at, 0)
		part.End = s.from + min(f.End-s.at, length)
		part.Value, part.Detector, part.Evidence = "", jointly, f.Evidence|detectors.ByMemory
		parts = append(parts, SpanPart{Utterance: s.utterance, Finding: part})
	}
	if len(parts) < 2 {
		return nil
	}
	parts[len(parts)-1].Last = true
	return parts
}

// PartOf returns the span part that a finding is, or is a rest of; nil for none.
func PartOf(parts []SpanPart, f *detectors.Finding) *SpanPart {
	if f.Detector != jointly {
		return nil
	}
	for i := range parts {
		if p := &parts[i]; p.Finding.Start <= f.Start && f.End <= p.Finding.End && p.Finding.Type == f.Type {
			return p
		}
	}
	return nil
}

// Unfinished reports whether a later utterance contains more of a finding.
func Unfinished(parts []SpanPart) bool {
	for i := range parts {
		if !parts[i].Last {
			return true
		}
	}
	return false
}
