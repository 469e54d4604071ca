package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/tier"
	"sotto/config"
	"sotto/detectors/ner"
	"sotto/internal/gold"
	"sotto/risk"
	"sotto/training/eval"
)

type evalFlags struct {
	eval.Options
	gold         []string
	json, byType bool
	tab          bool
	limit        int
	lower        bool
	sensitivity  string
	plot         string
	masks        string
	who          []string
}

// allPoints is the value of --sensitivity that measures at each operating point.
const allPoints = "all"

func newEval(sys cli.System) *cobra.Command {
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
			"  sotto eval --gold a.jsonl b.jsonl --lower --json\n" +
			"  sotto eval --gold calls.jsonl --lower --sensitivity all --plot curve.svg\n" +
			"  sotto eval --gold calls.jsonl --who persons.jsonl --errors\n" +
			"  sotto eval --gold calls.jsonl --masks masked-by-another-tool.jsonl\n" +
			"  sotto eval --gold echr_test.json --tab",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gold = append(f.gold, args...)
			return runEval(cmd, sys, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.gold, "gold", nil, "labelled conversations; more files may follow")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.byType, "by-type", false, "print the table of infoTypes for every set, not for the total only")
	flags.BoolVar(&f.Errors, "errors", false, "list misses, partial misses, over-maskings and wrong infoTypes; it quotes the conversations")
	flags.IntVar(&f.limit, "limit", 20, "texts listed of each kind of error and infoType, 0 for all; JSON has all")
	flags.BoolVar(&f.lower, "lower", false, "measure a lower-cased copy of each set too")
	flags.StringSliceVar(&f.Types, "types", nil, "score these infoTypes only, separated by commas")
	flags.StringVar(&f.sensitivity, "sensitivity", "", "measure at balanced, high or maximum, by default at SOTTO_SENSITIVITY; all: print a table of the three, and what the gate releases")
	flags.StringVar(&f.masks, "masks", "", "measure no engine but the spans in this file, in the form of labelled conversations")
	flags.StringArrayVar(&f.who, "who", nil, "measure who is who, too, by the persons that this file marks in the conversations; may be given several times")
	flags.BoolVar(&f.tab, "tab", false, "print the figures of the Text Anonymization Benchmark instead, and read files in its form, too")
	flags.StringVar(&f.plot, "plot", "", "with --sensitivity all: draw over-masking against recall and risk, in SVG, in this file")
	return cmd
}

func runEval(cmd *cobra.Command, sys cli.System, f evalFlags) error {
	if f.plot != "" && f.sensitivity != allPoints {
		return cli.UsageError("--plot needs --sensitivity all")
	}
	if len(f.gold) == 0 {
		return cli.UsageError("no labelled conversations; name them with --gold FILE")
	}
	for _, t := range f.Types {
		if _, ok := risk.Table6().Lookup(t); !ok {
			return cli.UsageError("--types names an infoType that does not exist; 'sotto eval' without it lists all")
		}
	}
	if f.tab {
		return f.benchmark(cmd, sys)
	}
	if err := f.readPeople(); err != nil {
		return err
	}
	if f.masks != "" {
		return f.recorded(cmd.OutOrStdout())
	}
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	if f.sensitivity != allPoints {
		if err := setSensitivity(&settings, f.sensitivity); err != nil {
			return err
		}
	}
	settings.RawOffsets = true
	engines, err := settings.NewEngines()
	if err != nil {
		return cli.Exit(cli.Usage, err)
	}
	sets, err := readSets(f.gold, f.lower)
	if err != nil {
		return err
	}
	asker, done, err := tier.NewAsker(cmd, &settings)
	if err != nil {
		return err
	}
	defer done()
	measure := func(sensitivity string) (*eval.Result, error) {
		return eval.Run(sets, eval.RemoteEngine(cmd.Context(), engines[sensitivity], asker), f.Options)
	}
	if f.sensitivity == allPoints {
		return f.all(cmd.OutOrStdout(), measure)
	}
	result, err := measure(settings.Sensitivity)
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), result)
}

func (f *evalFlags) readPeople() (err error) {
	if f.People, err = gold.ReadPeopleFiles(f.who...); err != nil {
		return cli.UsageError("--who: %v", err)
	}
	return nil
}

// needPeople is an error if persons are marked, but in none of the conversations.
func (f *evalFlags) needPeople(r *eval.Result) error {
	if len(f.who) > 0 && r.Persons == nil {
		return cli.UsageError("--who: no conversation has the ID of one in which persons are marked; give the marks of these conversations")
	}
	return nil
}

func (f *evalFlags) write(out io.Writer, r *eval.Result) error {
	if err := f.needPeople(r); err != nil {
		return err
	}
	if f.json {
		return writeJSON(out, r)
	}
	if err := r.WriteTable(out, f.byType); err != nil {
		return err
	}
	return r.WriteErrors(out, f.limit)
}

func (f *evalFlags) recorded(out io.Writer) error {
	if f.lower || f.sensitivity != "" {
		return cli.UsageError("--masks takes no --lower and no --sensitivity: the masks are those of the texts as they are")
	}
	sets, err := readSets(f.gold, false)
	if err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(s eval.Set) bool { return s.Finished })
	masked, err := readGold(f.masks)
	if err != nil {
		return err
	}
	masks, err := eval.Masks(masked)
	if err != nil {
		return cli.Exit(cli.Failed, fmt.Errorf("%s: %w", f.masks, err))
	}
	result, err := eval.Run(sets, masks, f.Options)
	if err != nil {
		return err
	}
	return f.write(out, result)
}

// all prints what is measured at each operating point, and draws it if a file is named.
func (f *evalFlags) all(out io.Writer, measure func(sensitivity string) (*eval.Result, error)) error {
	var points eval.Points
	for _, s := range ner.Sensitivities() {
		r, err := measure(string(s))
		if err != nil {
			return err
		}
		points = append(points, eval.Point{Sensitivity: s, Result: r})
	}
	if f.plot != "" {
		if err := writeFile(f.plot, public, points.WritePlot); err != nil {
			return err
		}
	}
	return writeReport(out, f.json, points)
}

func setSensitivity(s *config.Settings, name string) error {
	if name == "" {
		return nil
	}
	if _, ok := ner.ThresholdsOf(ner.Sensitivity(name), true); !ok {
		return cli.UsageError("--sensitivity must be one of balanced, high and maximum")
	}
	s.Sensitivity = name
	return nil
}

// readSets reads the files. Behind each set stand its lower-case copy, if asked for, and both as finished calls.
func readSets(files []string, lower bool) ([]eval.Set, error) {
	var sets []eval.Set
	var all [][]gold.Conversation
	for _, file := range files {
		conversations, err := readGold(file)
		if err != nil {
			return nil, err
		}
		all = append(all, conversations)
		written := eval.Set{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Conversations: conversations}
		copies := []eval.Set{written}
		if lower {
			written.Variant, written.Conversations = eval.Lower, gold.Lower(conversations)
			copies = append(copies, written)
		}
		sets = append(sets, copies...)
		for _, s := range copies {
			s.Variant, s.Finished = strings.TrimSpace(s.Variant+" "+eval.Finished), true
			sets = append(sets, s)
		}
	}
	return sets, needLabels(all...)
}
