package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/corpus/utility"
)

func newCorpusUtility() *cobra.Command {
	var (
		sets   []string
		part   string
		seeds  int
		p      float64
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "utility DIR",
		Short: "Measure what each strategy costs a classifier",
		Long: "Reads SET.train.jsonl (or SET.dev.jsonl where there is none) and SET.test.jsonl in\n" +
			"DIR, labelled conversations with slots and intents. The slots of the training\n" +
			"part are replaced by each strategy, a linear classifier of intents is trained on\n" +
			"the result and tested on the untouched test part; this is the experiment of\n" +
			"Table 2 of Adelani et al. (2020), with a linear classifier.",
		Example: "  sotto corpus utility --sets snips,atis --seeds 5 corpora/utility",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usageError("%s needs one DIR; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
			case seeds < 1 || seeds > 100:
				return usageError("--seeds must be 1 to 100")
			case !(p > 0 && p <= 1):
				return usageError("--probability must be over 0 and at most 1")
			}
			data := make([]utility.Set, len(sets))
			for i, name := range sets {
				var err error
				if data[i], err = readSet(args[0], name, part); err != nil {
					return err
				}
			}
			ctx, stop := untilSignal(cmd)
			defer stop()
			r, err := utility.Measure(ctx, data, seeds, p)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			return r.WriteTable(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringSliceVar(&sets, "sets", []string{"snips", "atis", "nlupp", "slurp"}, "names of the data sets")
	cmd.Flags().StringVar(&part, "part", "test", "part of the data sets to test on: test or dev")
	cmd.Flags().IntVar(&seeds, "seeds", 5, "how many seeds to take the mean over")
	cmd.Flags().Float64Var(&p, "probability", 1, "replacement probability")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func readSet(dir, name, test string) (utility.Set, error) {
	s := utility.Set{Name: name}
	if name == "" || test == "" || strings.ContainsAny(name+test, `/\`) {
		return s, usageError("--sets and --part take names, without folders")
	}
	read := func(part string) ([]utility.Example, error) {
		path := filepath.Join(dir, name+"."+part+".jsonl")
		f, err := openInput(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return utility.Read(f, path)
	}
	part := "train"
	if _, err := os.Stat(filepath.Join(dir, name+".train.jsonl")); errors.Is(err, fs.ErrNotExist) {
		part = "dev"
	}
	var err error
	if s.Train, err = read(part); err != nil {
		return s, err
	}
	if len(s.Train) == 0 {
		return s, usageError("the data set %s has no utterances with intents to train on", name)
	}
	s.Test, err = read(test)
	return s, err
}
