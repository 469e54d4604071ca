// Package captions reads and writes captions: WebVTT, SRT, SBV and TTML. Zoom and Teams export WebVTT.
package captions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// cue is one caption: the runs of its text, between tags and line breaks.
type cue struct {
	speaker  schemas.Speaker
	setLabel func(string)
	runs     []transcript.Slot
	// start and end are in milliseconds, nil if they are not known.
	start, end *int64
}

// addTurns adds the cues to a call. Cues of one speaker are one turn up to the end of a sentence,
// since captions break a sentence wherever a line is full.
func addTurns(c *transcript.Call, cues []cue) {
	for begin := 0; begin < len(cues); {
		end := begin + 1
		for end < len(cues) && end-begin < 8 && continues(&cues[end-1], &cues[end]) {
			end++
		}
		addTurn(c, cues[begin:end])
		begin = end
	}
}

// continues reports whether a cue may continue the sentence of the one before.
func continues(before, next *cue) bool {
	if len(before.runs) == 0 || before.speaker.ID != next.speaker.ID || next.setLabel != nil && next.speaker.Label != before.speaker.Label {
		return false
	}
	last := strings.TrimSpace(before.runs[len(before.runs)-1].Text)
	return last != "" && !strings.ContainsAny(last[len(last)-1:], ".?!")
}

func addTurn(c *transcript.Call, cues []cue) {
	t := &transcript.Turn{Speaker: cues[0].speaker, StartMS: cues[0].start, EndMS: cues[len(cues)-1].end}
	var runs []transcript.Slot
	var texts []string
	for i := range cues {
		for _, r := range cues[i].runs {
			r.StartMS, r.EndMS = cues[i].start, cues[i].end
			runs = append(runs, r)
			texts = append(texts, strings.TrimSpace(r.Text))
		}
		if i > 0 && cues[i].setLabel != nil {
			c.Labels = append(c.Labels, transcript.Label{Speaker: cues[i].speaker, Set: cues[i].setLabel})
		}
	}
	t.SetLabel = cues[0].setLabel
	t.Text = strings.Join(texts, " ")
	if len(runs) == 1 {
		t.Text, t.Set = runs[0].Text, runs[0].Set
	} else {
		t.Repeats = []transcript.Repeat{transcript.TextsRepeat(runs)}
	}
	c.Turns = append(c.Turns, t)
}

// cutLabel separates the label of a line, "Name: words": one word, or words that begin with a capital
// or a digit. Captions have more colons within sentences than transcripts.
func cutLabel(line string) (label string, words int, ok bool) {
	label, rest, ok := strings.Cut(line, ":")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", 0, false
	}
	names := strings.Fields(strings.TrimPrefix(strings.TrimSpace(label), "-"))
	isLower := func(name string) bool { r, _ := utf8.DecodeRuneInString(name); return unicode.IsLower(r) }
	if n := len(names); n == 0 || n > 5 || len(label) > 60 || n > 1 && slices.ContainsFunc(names, isLower) {
		return "", 0, false
	}
	return label, len(label) + 1, true
}
