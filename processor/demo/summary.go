package demo

import (
	"fmt"
	"strings"

	"sotto/risk"
)

// maskedSentence says what was masked. verified means that each event came out exactly once.
func (s *stage) maskedSentence(verified bool) string {
	l := s.ledger
	var b strings.Builder
	if s.ended {
		b.WriteString("before you stopped the demo, ")
	}
	masked := 0
	var most []string
	for _, t := range l.byFrequency() {
		masked += t.masked
		if t.masked > 0 && len(most) < 3 {
			most = append(most, fmt.Sprintf("%s (%d)", t.infoType, t.masked))
		}
	}
	over := 0
	for _, ended := range l.over {
		if ended {
			over++
		}
	}
	fmt.Fprintf(&b, "Sotto masked %s of personal information in ", count(masked, "passage"))
	if begun := len(l.over) - over; s.ended && begun > 0 {
		fmt.Fprintf(&b, "%s and in the beginning of %d more", count(over, "whole call"), begun)
	} else {
		b.WriteString(count(len(l.over), "call"))
	}
	if len(most) > 0 {
		b.WriteString(", most often " + list(most))
	}
	if l.dead > 0 {
		fmt.Fprintf(&b, "; %s became a dead letter", count(l.dead, "record"))
	}
	if verified {
		fmt.Fprintf(&b, "; each of the %s came out exactly once, in the order of its call", count(l.due, "event"))
	}
	return b.String() + "."
}

func (l *ledger) missedSentence() string {
	said, inPart, none := 0, 0, 0
	var partly, not []string
	for _, t := range l.byFrequency() {
		missed := t.said - t.whole - t.partly
		said, inPart, none = said+t.said, inPart+t.partly, none+missed
		if t.partly > 0 {
			partly = append(partly, fmt.Sprintf("%s (%d)", t.infoType, t.partly))
		}
		if missed > 0 {
			not = append(not, fmt.Sprintf("%s (%d)", t.infoType, missed))
		}
	}
	switch {
	case len(l.missed) == 0:
		return "that is not known, because these calls are not labelled with what is personal."
	case said == 0:
		return "nothing, but nothing personal was said either."
	case inPart+none == 0:
		return fmt.Sprintf("nothing of the %s that these calls are labelled with.", count(said, "piece of information"))
	}
	var parts []string
	if len(not) > 0 {
		parts = append(parts, fmt.Sprintf("%d stayed readable: %s", none, list(not)))
	}
	if len(partly) > 0 {
		parts = append(parts, fmt.Sprintf("%d stayed readable in part: %s", inPart, list(partly)))
	}
	return fmt.Sprintf("of the %s that these calls are labelled with, %s.",
		count(said, "piece of information"), strings.Join(parts, ", and "))
}

func (s *stage) meaningSentence() string {
	risks, estimated := s.ledger.risks(), ", as Sotto estimates it from the clean text,"
	if len(s.ledger.missed) > 0 {
		estimated = ""
	}
	if risks.Count == 0 {
		return "no call came to its end, so there is no risk to judge."
	}
	verdict := fmt.Sprintf("which is under the limit of %d for training data", risk.MaxScore)
	if !risks.Passes {
		verdict = fmt.Sprintf("and training data must stay under %d", risk.MaxScore)
	}
	if s.generated {
		verdict += "; real calls are harder than these generated ones"
	}
	return fmt.Sprintf("the residual risk of the %s that ended%s is %.1f (mean + standard deviation), %s.",
		count(risks.Count, "call"), estimated, risks.MeanPlusStd, verdict)
}

func count(n int, noun string) string {
	if n != 1 {
		first, rest, _ := strings.Cut(noun, " of ")
		if noun = first + "s"; rest != "" {
			noun += " of " + rest
		}
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
