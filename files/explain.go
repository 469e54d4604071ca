package files

import (
	"encoding/json"
	"fmt"
	"strings"

	"sotto/anonymize"
	"sotto/schemas"
)

func (j *Job) appendEvent(codec *schemas.Codec, dst []byte, clean *schemas.CleanEvent, why []anonymize.Explanation) ([]byte, error) {
	if !j.Explain {
		return codec.AppendClean(dst, clean)
	}
	dst, err := codec.AppendClean(append(dst, `{"event":`...), clean)
	if err != nil {
		return nil, err
	}
	reasons, err := json.Marshal(append([]anonymize.Explanation{}, why...)) // none are a list, too
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, `,"explanations":`...), reasons...)
	return append(dst, '}'), nil
}

// reasons returns the lines that Text writes below an anonymized line.
func reasons(why []anonymize.Explanation) string {
	var b strings.Builder
	for i := range why {
		w := &why[i]
		tag := strings.Trim(tagOf(&w.Entity), "[]")
		fmt.Fprintf(&b, "    %s at %d-%d: %s, %s (%.2f), on %s", tag, *w.Entity.RawStart, *w.Entity.RawEnd, w.Detector, w.Likelihood, w.Entity.Score, w.Evidence)
		if w.Known {
			b.WriteString("; known in this call")
		}
		if w.Left != "" {
			fmt.Fprintf(&b, "; left in the text by your rules: %s", w.Left)
		}
		b.WriteByte('\n')
		for _, l := range w.Lost {
			fmt.Fprintf(&b, "        not %s at %d-%d: %s, %s (%.2f), on %s; lost by %s", l.Type, l.RawStart, l.RawEnd, l.Detector, l.Likelihood, l.Score, l.Evidence, l.Rule)
			if l.Cut {
				b.WriteString(", the rest of it was kept")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
