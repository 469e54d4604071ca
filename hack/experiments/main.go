// Command experiments repeats, with the built-in language model and our own labelled calls, the
// experiments of the papers on masking and recovery and on indirect identifiers. It writes tables and
// a plot:
//
//	go run ./hack/experiments -out docs/training corpora/calls/train/*.txt
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/anonymize"
	"sotto/corpus/calls"
	"sotto/corpus/gold"
	"sotto/corpus/lm"
	"sotto/corpus/recovery"
	"sotto/eval"
)

func main() {
	out := flag.String("out", "", "folder for experiments.md and the plot")
	limit := flag.Int("calls", 0, "take this many calls only; 0: all")
	seeds := flag.Int("seeds", 3, "seeds of the random draws")
	neural := flag.String("neural", "", "results of neural.py, for the report")
	dump := flag.String("dump", "", "write the data for neural.py to this file and stop")
	private := flag.Int("private", 0, "with -dump: take this many of the private calls, and half as many to test on; 0: all")
	flag.Parse()
	o := options{files: flag.Args(), out: *out, limit: *limit, seeds: *seeds, neural: *neural, dump: *dump, private: *private}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "experiments:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	files                 []string
	out, neural, dump     string
	limit, seeds, private int
}

// data are the calls, split by a hash of their IDs.
type data struct {
	// generic are calls that everybody may read, private those that must be protected, test others.
	generic, private, test []gold.Conversation
	vocabulary             []string
	engine                 eval.Anonymizer
	seeds                  int
}

func run(ctx context.Context, o options) error {
	d, err := load(o.files, o.limit)
	if err != nil {
		return err
	}
	d.seeds = o.seeds
	if o.dump != "" {
		if o.private > 0 {
			d.private, d.test = d.private[:min(o.private, len(d.private))], d.test[:min(o.private/2, len(d.test))]
		}
		return d.dump(o.dump)
	}
	var b strings.Builder
	fmt.Fprintf(&b, intro, len(d.generic), wordsOf(d.generic), len(d.private), wordsOf(d.private), len(d.test), wordsOf(d.test), len(d.vocabulary))
	if err := d.perplexity(ctx, &b); err != nil {
		return err
	}
	plot, err := d.privacy(&b)
	if err != nil {
		return err
	}
	if err := d.membership(&b); err != nil {
		return err
	}
	if err := d.downstream(ctx, &b); err != nil {
		return err
	}
	if o.neural != "" {
		if err := writeNeural(&b, o.neural, o.out); err != nil {
			return err
		}
	}
	b.WriteString(notDone)
	if o.neural == "" {
		b.WriteString(noNeural)
	}
	if err := os.WriteFile(filepath.Join(o.out, "experiments.svg"), []byte(plot), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, "experiments.md"), []byte(b.String()), 0o644)
}

func load(files []string, limit int) (*data, error) {
	d := &data{}
	var all []gold.Conversation
	for _, file := range files {
		c, err := calls.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c...)
	}
	if limit > 0 && limit < len(all) {
		all = all[:limit]
	}
	for _, c := range all {
		h := fnv.New32a()
		h.Write([]byte(c.ID))
		switch n := h.Sum32() % 10; {
		case n < 4:
			d.generic = append(d.generic, c)
		case n < 8:
			d.private = append(d.private, c)
		default:
			d.test = append(d.test, c)
		}
	}
	seen := map[string]bool{}
	for _, text := range recovery.Texts(all) {
		for _, w := range text {
			if !seen[w] {
				seen[w] = true
				d.vocabulary = append(d.vocabulary, w)
			}
		}
	}
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		return nil, err
	}
	d.engine = eval.Engine(e)
	return d, nil
}

func wordsOf(conversations []gold.Conversation) (n int) {
	for _, t := range recovery.Texts(conversations) {
		n += len(t)
	}
	return n
}

// perplexityOf is that of a model on texts.
func perplexityOf(m *lm.Model, texts [][]string) float64 {
	sum, n := 0.0, 0
	for _, t := range texts {
		p, k := m.LogProb(t)
		sum += p
		n += k
	}
	return math.Exp(-sum / float64(max(n, 1)))
}

// train learns the generic texts and then others, with the vocabulary that all models share.
func (d *data) train(texts [][]string, o lm.Options) *lm.Model {
	o.Vocabulary, o.Closed = d.vocabulary, true
	return lm.Train(slices.Values(append(recovery.Texts(d.generic), texts...)), o)
}

// spread writes a mean, and its deviation if there are several seeds, with so many decimals.
func spread(values []float64, decimals int) string {
	mean, deviation := meanAndDeviation(values)
	if len(values) < 2 {
		return fmt.Sprintf("%.*f", decimals, mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, mean, decimals, deviation)
}

func meanAndDeviation(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(max(len(values)-1, 1)))
}
