// Command ablation measures what each rule module is worth: it trains a tagger without the module,
// measures it on labelled conversations and on noisy copies of them, and prints a table.
//
//	go run ./hack/ablation -train 'corpora/calls/train/*.txt' -dev '../shared/corpora/dev/*.jsonl' [MODULE...]
//
// A module is a function, or several joined by "+": detectors/pattern.answers+detectors/pattern.userNames. The
// command builds itself with an overlay in which these functions return at once, so the product needs no
// switch for it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

type options struct {
	train, dev string
	share      int
	seeds      int
	passes     int
	quick      bool
	measure    bool
	work       string
}

func main() {
	var o options
	flag.StringVar(&o.train, "train", "corpora/calls/train/*.txt", "labelled conversations to train on")
	flag.StringVar(&o.dev, "dev", "../shared/corpora/dev/*.jsonl", "labelled conversations to measure on")
	flag.IntVar(&o.share, "share", 4, "train on one of so many conversations")
	flag.IntVar(&o.seeds, "seeds", 2, "trainings of each row, whose mean is printed")
	flag.IntVar(&o.passes, "passes", 2, "passes of training")
	flag.BoolVar(&o.quick, "quick", false, "do not train: measure with the built-in model")
	flag.BoolVar(&o.measure, "measure", false, "train and measure this build, and print the figures as JSON")
	seed := flag.Uint64("seed", 1, "with -measure, the seed of the training")
	flag.StringVar(&o.work, "work", "bin/ablation", "folder for builds and results; results that are there are used again")
	flag.Parse()
	if err := run(o, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "ablation:", err)
		os.Exit(1)
	}
}

func run(o options, seed uint64, modules []string) error {
	if o.measure {
		f, err := measure(o, seed)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(f)
	}
	if len(modules) == 0 {
		modules = allModules()
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	var rows []row
	for _, m := range append([]string{""}, modules...) {
		mean := row{without: m}
		for s := range o.seeds {
			r, err := o.ablate(m, uint64(s+1))
			if err != nil {
				return fmt.Errorf("without %s: %w", m, err)
			}
			if m == "" && o.seeds > 1 {
				rows = append(rows, r)
			}
			mean.add(&r.figures, 1/float64(o.seeds))
		}
		rows = append(rows, mean)
	}
	return print(rows)
}

// row is one line of the table.
type row struct {
	without string
	seed    uint64
	figures
}

// ablate builds this command without the functions of a module, and runs it to train and measure.
func (o options) ablate(module string, seed uint64) (r row, err error) {
	r = row{without: module, seed: seed}
	name := strings.NewReplacer("/", "_", "+", "-").Replace(module)
	if len(name) > 100 {
		name = fmt.Sprintf("%.80s-%x", name, hashOf(module))
	}
	result := filepath.Join(o.work, fmt.Sprintf("%s-%d-%d-%d-%t.json", name, seed, o.share, o.passes, o.quick))
	if data, err := os.ReadFile(result); err == nil {
		return r, json.Unmarshal(data, &r.figures)
	}
	overlay, err := writeOverlay(o.work, module)
	if err != nil {
		return r, err
	}
	bin, err := filepath.Abs(filepath.Join(o.work, "measure"))
	if err != nil {
		return r, err
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./hack/ablation")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return r, err
	}
	cmd := exec.Command(bin, "-measure", "-train", o.train, "-dev", o.dev, "-share", fmt.Sprint(o.share),
		"-passes", fmt.Sprint(o.passes), "-seed", fmt.Sprint(seed), fmt.Sprintf("-quick=%t", o.quick))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out, &r.figures); err != nil {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "without %q, seed %d: %+v\n", module, seed, r.figures)
	return r, os.WriteFile(result, out, 0o644)
}

// print writes the table in Markdown.
func print(rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', tabwriter.TabIndent)
	fmt.Fprintln(w, "| without | calls: characters | over-masked | mean + std | same number | noisy: characters | over-masked | mean + std | all sets: characters | over-masked |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range rows {
		name := "`" + r.without + "`"
		switch {
		case r.without == "" && r.seed > 0:
			name = fmt.Sprintf("nothing, seed %d", r.seed)
		case r.without == "":
			name = "nothing"
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, r.Calls.Chars, r.Calls.Over, r.Calls.Risk, r.Calls.Same,
			r.Noisy.Chars, r.Noisy.Over, r.Noisy.Risk, r.All.Chars, r.All.Over)
	}
	return w.Flush()
}
