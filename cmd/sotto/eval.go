package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/corpus/gold"
	"sotto/eval"
	"sotto/risk"
)

// evalFlags are the flags of sotto eval.
type evalFlags struct {
	gold           []string
	types          []string
	json, byType   bool
	errors         bool
	limit          int
	lower, unpunct bool
	iou            float64
	plot           string
	workers        int
}

func newEval(sys system) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval --gold FILE...",
		Short: "Run the engine on labelled conversations and report",
		Long: "Runs the engine on labelled conversations (JSON lines or marked-up text) as the\n" +
			"stream would, and reports what was masked, what was missed, what was masked\n" +
			"without need, and what risk is left.\n\n" +
			"A span counts as masked when masks of whatever type cover all of it but white\n" +
			"space and punctuation. DATE, TIME, GENDER, ETHNIC_GROUP, MONEY and OTHER are\n" +
			"left out of scoring, and so are NUMERIC quantities; --types chooses others.",
		Example: "  sotto eval --gold calls.jsonl\n" +
			"  sotto eval --gold calls.jsonl --errors --limit 10\n" +
			"  sotto eval --gold a.jsonl b.jsonl --lower --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gold = append(f.gold, args...)
			return runEval(cmd, sys, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.gold, "gold", nil, "labelled conversations; more files may follow")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.byType, "by-type", false, "print the table of infoTypes for every set, not for the total only")
	flags.BoolVar(&f.errors, "errors", false, "list misses, partial misses and over-maskings; it quotes the conversations")
	flags.IntVar(&f.limit, "limit", 20, "texts listed of each kind of error and infoType, 0 for all")
	flags.BoolVar(&f.lower, "lower", false, "measure a lower-cased copy of each set too")
	flags.BoolVar(&f.unpunct, "unpunct", false, "measure a copy without punctuation too; with --lower, of the lower-cased one")
	flags.StringSliceVar(&f.types, "types", nil, "score these infoTypes only, separated by commas")
	flags.Float64Var(&f.iou, "iou", eval.DefaultIoU, "threshold of the span evaluation")
	flags.StringVar(&f.plot, "plot", "", "write an SVG image of the risk estimate's calibration to this file")
	flags.IntVar(&f.workers, "workers", 0, "conversations at once, 0 for one per processor")
	return cmd
}

func runEval(cmd *cobra.Command, sys system, f evalFlags) error {
	if len(f.gold) == 0 {
		return usageError("no labelled conversations; name them with --gold FILE")
	}
	if f.iou <= 0 || f.iou > 1 {
		return usageError("--iou must be more than 0 and at most 1")
	}
	for _, t := range f.types {
		if _, ok := risk.Table6().Lookup(t); !ok {
			return usageError("--types names an infoType that does not exist; 'sotto eval' without it lists all")
		}
	}
	settings, err := loadSettings(sys)
	if err != nil {
		return err
	}
	settings.RawOffsets = true
	engine, err := newEngine(settings)
	if err != nil {
		return err
	}
	sets, err := readSets(f.gold, f.lower, f.unpunct)
	if err != nil {
		return err
	}
	asker, done, err := newRemoteAsker(cmd, &settings)
	if err != nil {
		return err
	}
	defer done()
	result, err := eval.Run(sets, eval.RemoteEngine(cmd.Context(), engine, asker), eval.Options{Types: f.types, IoU: f.iou, Errors: f.errors, Workers: f.workers})
	if err != nil {
		return err
	}
	if f.plot != "" {
		if err := writeFile(f.plot, result.WriteCalibrationPlot); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if f.json {
		result.LimitErrors(f.limit)
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(result)
	}
	if err := result.WriteTable(out, f.byType); err != nil {
		return err
	}
	return result.WriteErrors(out, f.limit)
}

// readSets reads the files, and adds the copies asked for behind each.
func readSets(files []string, lower, unpunct bool) ([]eval.Set, error) {
	var sets []eval.Set
	for _, file := range files {
		conversations, err := readGold(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		sets = append(sets, eval.Set{Name: name, Conversations: conversations})
		variant := "unpunctuated"
		if lower {
			conversations = gold.Lower(conversations)
			sets = append(sets, eval.Set{Name: name, Variant: "lower", Conversations: conversations})
			variant = "lower unpunctuated"
		}
		if unpunct {
			sets = append(sets, eval.Set{Name: name, Variant: variant, Conversations: gold.Unpunct(conversations)})
		}
	}
	return sets, nil
}
