package train

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"sotto/detectors/ner/internal/crf"
)

// WriteCard writes the model card: what the model was trained on and how, and
// how it does on what was held out. licences are by set.
func (r *Report) WriteCard(w io.Writer, o Options, licences map[string]string, model []byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Model card\n\nA linear-chain conditional random field over hashed features. %d bytes, SHA-256 %x.\n\n", len(model), sha256.Sum256(model))
	fmt.Fprintf(&b, "Settings: seed %d, %d passes, at most %d turns of a set in each.\n\n", o.Seed, o.Passes, o.Limit)
	fmt.Fprint(&b, "| set | licence | turns | held out |\n|---|---|---|---|\n")
	for _, s := range r.Sets {
		licence := licences[s.Name]
		if licence == "" {
			licence = "not stated"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", s.Name, licence, s.Turns, s.Held)
	}
	fmt.Fprint(&b, "\nWords held out, by the most likely label of each:\n\n| infoType | precision | recall | lower case: precision | recall |\n|---|---|---|---|---|\n")
	for k, t := range crf.Kinds {
		fmt.Fprintf(&b, "| %s |", t)
		for v := range r.Words {
			c := r.Words[v][k]
			fmt.Fprintf(&b, " %s | %s |", share(c.right, c.found), share(c.right, c.labelled))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, "\nExpected calibration error of the scores of names (half of what was held out fits the curve, the other half measures):\n\n| infoType | names | before | after |\n|---|---|---|---|\n")
	for k, t := range crf.Kinds {
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f |\n", t, r.Names[k], r.ErrorBefore[k], r.ErrorAfter[k])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
