package tagger

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"

	"sotto/detectors/ner/sequence"
)

// WriteCard writes the model card: what the model was trained on and how, and
// how it does on what was held out. licences are by set.
func (r *Report) WriteCard(w io.Writer, o Options, licences map[string]string, model []byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Model card\n\nA linear-chain conditional random field over the words of a turn, with a question model. %d bytes, SHA-256 %x.\n\n", len(model), sha256.Sum256(model))
	fmt.Fprintf(&b, "Settings: seed %d, %d passes, at most %d turns of a set in each.\n\n", o.Seed, o.Passes, o.Limit)
	fmt.Fprint(&b, "| set | licence | turns | held out |\n|---|---|---|---|\n")
	for _, s := range r.Sets {
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", s.Name, cmp.Or(licences[s.Name], "not stated"), s.Turns, s.Held)
	}
	fmt.Fprint(&b, "\nWords held out (masked: as any infoType):\n\n| infoType | precision | recall | masked | lower case: precision | recall | masked |\n|---|---|---|---|---|---|---|\n")
	for k := sequence.Person; k < sequence.Quantity; k++ {
		fmt.Fprintf(&b, "| %s |", sequence.Types[k])
		for _, words := range [...]*[sequence.NumKinds]count{&r.Written, &r.Lower} {
			c := words[k]
			fmt.Fprintf(&b, " %s | %s | %s |", share(c.right, c.found), share(c.right, c.labelled), share(c.covered, c.labelled))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, "\nExpected calibration error of the scores of values (one half of the held-out values fits the curve, the other half measures):\n\n| infoType | values | before | after |\n|---|---|---|---|\n")
	for k := sequence.Person; k < sequence.Quantity; k++ {
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f |\n", sequence.Types[k], r.Values[k], r.ErrorBefore[k], r.ErrorAfter[k])
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
