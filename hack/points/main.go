// Command points looks for the operating points of detection: the thresholds per kind that minimize what
// is missed and its risk, at a price for each word that is masked without need. It writes
// detectors/ner/points.txt.
//
//	go run ./hack/points -o detectors/ner/points.txt corpora/calls/train/*.txt ../shared/corpora/dev/calls_*.jsonl
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
	"sotto/corpus/calls"
	"sotto/detectors/ner"
	"sotto/detectors/ner/train"
	"sotto/eval"
	"sotto/internal/gold"
)

// prices are what a point of over-masking costs, in points of missed characters, by operating point.
var prices = map[ner.Sensitivity]float64{ner.Balanced: 5, ner.High: 1.3, ner.Maximum: 0.55}

// riskWeight is what a point of mean + std of the risk costs, in the same unit.
const riskWeight = 0.3

// steps are the factors by which a threshold is changed; least and most bound it.
var steps = []float32{0.7, 0.85, 1.2, 1.4}

const least, most = 0.012, 0.85

func main() {
	output := flag.String("o", "", "file to write the thresholds to")
	flag.Parse()
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
	found := map[ner.Sensitivity]ner.Thresholds{}
	for _, s := range ner.Sensitivities() {
		t, _ := ner.ThresholdsOf(s)
		if found[s], err = descend(sets, t, prices[s]); err != nil {
			return err
		}
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
			conversations = slices.DeleteFunc(conversations, func(c gold.Conversation) bool { return !train.HeldOut(c.ID) })
		}
		sets = append(sets, eval.Set{Name: file, Conversations: conversations}, eval.Set{Name: file + ", lower", Conversations: gold.Lower(conversations)})
	}
	return sets, nil
}

// descend changes thresholds for as long as the cost falls.
func descend(sets []eval.Set, t ner.Thresholds, price float64) (ner.Thresholds, error) {
	best, err := cost(sets, t, price)
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
				c, err := cost(sets, next, price)
				if err != nil {
					return t, err
				}
				if c < best-0.001 {
					best, t, better = c, next, true
				}
			}
		}
		fmt.Fprintf(os.Stderr, "price %.1f: cost %.3f\n", price, best)
	}
	return t, nil
}

// dials are the thresholds that descend changes.
func dials(t *ner.Thresholds) []*float32 {
	out := []*float32{&t.Veto, &t.Beside}
	for k := range t.Kinds {
		if t.Kinds[k] > 0 {
			out = append(out, &t.Kinds[k])
		}
	}
	return out
}

func cost(sets []eval.Set, t ner.Thresholds, price float64) (float64, error) {
	engine, err := anonymize.New(anonymize.Options{Thresholds: &t, RawOffsets: true})
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
