// Command points looks for the operating points of detection: the thresholds per kind that minimize what
// is missed and its risk, at a price for each word that is masked without need. It writes
// detectors/ner/points.txt, or, for detection without the encoder, fast.txt.
//
//	go run ./hack/points -o detectors/ner/points.txt ../shared/corpora/dev/calls_*.jsonl
//	go run ./hack/points -fast -o detectors/ner/fast.txt training/corpora/calls/train/*.txt ../shared/corpora/dev/calls_*.jsonl
//
// Of the files of marked-up calls it takes only those that training holds out. It lowers or raises one
// threshold after the other for as long as that helps (coordinate descent), so that it finds a local
// minimum, and always the same one.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"sotto/anonymize"
	"sotto/detectors/encoder"
	"sotto/detectors/ner"
	"sotto/internal/gold"
	"sotto/training/corpus/calls"
	"sotto/training/eval"
	"sotto/training/tagger"
)

// price is what a point of over-masking costs, in points of missed characters.
const price = 1.5

// factors are what the thresholds of the other operating points are multiplied by: so a point that is more sensitive
// never asks for more certainty.
var factors = map[ner.Sensitivity]float32{ner.Balanced: 2, ner.Maximum: 0.5}

// scaled returns the thresholds of another operating point.
func scaled(high ner.Thresholds, s ner.Sensitivity, factor float32) ner.Thresholds {
	t, _ := ner.ThresholdsOf(s, high.Encoded)
	for k := range t.Kinds {
		t.Kinds[k] = min(high.Kinds[k]*factor, most)
	}
	t.Beside = min(high.Beside*factor, most)
	return t
}

// riskWeight is what a point of mean + std of the risk costs, in the same unit.
const riskWeight = 0.3

// steps are the factors by which a threshold is changed; least and most bound it: what asks for less certainty would fit these calls only.
var steps = []float32{0.65, 0.85, 1.2, 1.6}

const least, most = 0.05, 0.85

// reader reads the turns of all trials; nil for the thresholds without it.
var reader *encoder.Reader

func main() {
	output := flag.String("o", "", "file to write the thresholds to")
	fast := flag.Bool("fast", false, "look for those without the encoder")
	flag.Parse()
	if !*fast {
		reader = encoder.Builtin().NewReader()
		reader.Remember()
	}
	if err := run(*output, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "points:", err)
		os.Exit(1)
	}
}

func run(output string, files []string) error {
	sets, err := read(files)
	if err != nil {
		return err
	}
	high, _ := ner.ThresholdsOf(ner.High, reader != nil)
	if high, err = descend(sets, high); err != nil {
		return err
	}
	found := map[ner.Sensitivity]ner.Thresholds{ner.High: high}
	for s, factor := range factors {
		found[s] = scaled(high, s, factor)
	}
	text := ner.WritePoints(found)
	if output == "" {
		_, err = fmt.Print(text)
		return err
	}
	return os.WriteFile(output, []byte(text), 0o644)
}

// read reads the conversations that no training has seen, as written and in lower case, as recognizers write.
func read(files []string) ([]eval.Set, error) {
	var sets []eval.Set
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if calls.IsMarkup(file) {
			conversations = slices.DeleteFunc(conversations, func(c gold.Conversation) bool { return !tagger.HeldOut(c.ID) })
		}
		sets = append(sets, eval.Set{Name: file, Conversations: conversations}, eval.Set{Name: file + ", lower", Conversations: gold.Lower(conversations)})
	}
	return sets, nil
}

// descend changes thresholds for as long as the cost falls.
func descend(sets []eval.Set, t ner.Thresholds) (ner.Thresholds, error) {
	best, err := cost(sets, t)
	if err != nil {
		return t, err
	}
	for better := true; better; {
		better = false
		for k := range dials(&t) {
			for _, step := range steps {
				next := t
				x := dials(&next)[k]
				if *x *= step; *x < least || *x > most {
					continue
				}
				c, err := cost(sets, next)
				if err != nil {
					return t, err
				}
				if c < best-0.001 {
					best, t, better = c, next, true
				}
			}
		}
		fmt.Fprintf(os.Stderr, "cost %.3f with %+v\n", best, t)
	}
	return t, nil
}

// dials are the thresholds that descend changes.
func dials(t *ner.Thresholds) []*float32 {
	out := []*float32{&t.Beside}
	for k := range t.Kinds {
		if t.Kinds[k] > 0 {
			out = append(out, &t.Kinds[k])
		}
	}
	return out
}

func cost(sets []eval.Set, t ner.Thresholds) (float64, error) {
	engine, err := anonymize.New(anonymize.Options{Thresholds: &t, RawOffsets: true, Encoder: reader, Fast: reader == nil})
	if err != nil {
		return 0, err
	}
	r, err := eval.Run(sets, eval.Engine(engine), eval.Options{})
	if err != nil {
		return 0, err
	}
	missed := 100 * (1 - r.RecallChars.Value())
	return missed + float64(riskWeight*r.ResidualRisk.MeanPlusStd) + float64(price*100*r.OverMaskedTokens.Value()), nil
}
