package files

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// redaction is a stretch of a recording in which something was masked, in seconds.
type redaction struct {
	Start float64  `json:"start"`
	End   float64  `json:"end"`
	Tags  []string `json:"tags"`
}

const (
	// margin is how many milliseconds before and after a word are redacted, since recognizers are not more exact.
	margin = 200
	// never is later than any call ends, in milliseconds.
	never = 24 * 3600 * 1000
)

type redactor struct {
	tags map[string]string // by what replaces a value
	said []stretch
	// timed are the turns of which the words with their times were found.
	timed map[*transcript.Turn]bool
	// untimed is how many turns have masks and no time.
	untimed int
}

// stretch is when something was said, in milliseconds, and the text that replaces it.
type stretch struct {
	start, end int64
	text       string
}

func tagOf(e *schemas.Entity) string {
	if e.ID == 0 {
		return "[" + e.Type + "]"
	}
	return fmt.Sprintf("[%s_%d]", e.Type, e.ID)
}

func (r *redactor) know(m maskedText) {
	for i, mask := range m.masks {
		r.tags[mask.With] = m.tags[i]
	}
}

func (r *redactor) tagsIn(text string) []string {
	tags := []string{}
	for with, tag := range r.tags {
		if with != "" && strings.Contains(text, with) {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// repeat adds the spans of a repeat that has the times of its pieces. A piece without times lasts from the piece before
// it to the one after it. complete means that the spans cover everything that is masked in the turns.
func (r *redactor) repeat(repeat transcript.Repeat, spans []transcript.Span, of []*transcript.Turn, complete bool) {
	times := make([][2]*int64, len(repeat.Pieces))
	found := false
	for i := range times {
		if repeat.Times != nil {
			times[i][0], times[i][1] = repeat.Times(i)
			found = found || times[i][0] != nil
		}
	}
	if !found {
		return
	}
	for _, s := range spans {
		start, end := int64(0), int64(never)
		if len(of) == 1 {
			start, end = *cmp.Or(of[0].StartMS, &start), *cmp.Or(of[0].EndMS, &end)
		}
		for i, t := range slices.Backward(times[:s.First+1]) {
			if begins := t[0]; begins != nil {
				start = *begins
				if i < s.First {
					start = *cmp.Or(t[1], begins)
				}
				break
			}
		}
		for i, t := range times[s.Last:] {
			ends := t[0] // the piece after it begins
			if i == 0 {
				ends = t[1]
			}
			if ends != nil {
				end = *ends
				break
			}
		}
		r.said = append(r.said, stretch{start, end, s.Text})
	}
	if !complete {
		return
	}
	for _, t := range of {
		r.timed[t] = true
	}
}

// turns adds the turns and other texts whose words have no times. A turn without an end lasts until the next one.
func (r *redactor) turns(c *transcript.Call, texts map[*transcript.Turn]maskedText) {
	last := int64(never)
	starts := []int64{last}
	for _, t := range c.Turns {
		starts = append(starts, *cmp.Or(t.StartMS, &last))
	}
	slices.Sort(starts)
	for i, t := range slices.Concat(c.Turns, c.Others) {
		m := texts[t]
		switch {
		case len(m.masks) == 0 || r.timed[t] || t.Plain:
		case t.StartMS != nil:
			next, _ := slices.BinarySearch(starts, *t.StartMS+1)
			r.said = append(r.said, stretch{*t.StartMS, *cmp.Or(t.EndMS, &starts[min(next, len(starts)-1)]), m.clean})
		case i < len(c.Turns):
			r.untimed++
		}
	}
}

// redactions returns the redactions in order, with their margins. Those that touch are one.
func (r *redactor) redactions() []redaction {
	slices.SortStableFunc(r.said, func(a, b stretch) int { return cmp.Compare(a.start, b.start) })
	all := []redaction{}
	for _, s := range r.said {
		x := redaction{float64(max(s.start-margin, 0)) / 1000, float64(s.end+margin) / 1000, r.tagsIn(s.text)}
		if n := len(all); n > 0 && x.Start <= all[n-1].End {
			last := &all[n-1]
			last.End = max(last.End, x.End)
			last.Tags = slices.Compact(slices.Sorted(slices.Values(append(last.Tags, x.Tags...))))
			continue
		}
		all = append(all, x)
	}
	return all
}

// writeRedactions writes the redactions of the calls of a file: as JSON, as labels of Audacity, and as filter of ffmpeg. The
// files of a further call have its number.
func writeRedactions(path string, calls []CallResult) error {
	for i := range calls {
		cuts := calls[i].cuts
		if cuts.untimed > 0 {
			return fmt.Errorf("the file does not say when %d masked turns were said, so there are no redactions", cuts.untimed)
		}
		redactions, name := cuts.redactions(), path+".redactions"
		if len(calls) > 1 {
			name = fmt.Sprintf("%s.%d.redactions", path, i+1)
		}
		data, err := json.MarshalIndent(map[string]any{"redactions": redactions}, "", "  ")
		if err != nil {
			return err
		}
		var labels strings.Builder
		filter := "anull"
		for k, x := range redactions {
			fmt.Fprintf(&labels, "%.3f\t%.3f\t%s\n", x.Start, x.End, strings.Join(x.Tags, " "))
			if k == 0 {
				filter = "asetnsamples=n=64:p=0,volume=0:enable='"
			} else {
				filter += "+"
			}
			// ffmpeg switches at the beginning of a block of samples, 8 ms at most.
			filter += fmt.Sprintf("between(t,%.3f,%.3f)", max(x.Start-0.01, 0), x.End)
		}
		if len(redactions) > 0 {
			filter += "'"
		}
		for extension, text := range map[string]string{".json": string(data) + "\n", ".txt": labels.String(), ".ffmpeg": filter + "\n"} {
			if err := WriteAtomically(name+extension, []byte(text), OutputMode); err != nil {
				return fmt.Errorf("the redactions: %w", err)
			}
		}
	}
	return nil
}
