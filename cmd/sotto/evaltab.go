package main

import (
	"bufio"
	"bytes"
	"os"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/tier"
	"sotto/config"
	"sotto/internal/gold"
	"sotto/training/eval"
	"sotto/training/eval/tab"
)

// benchmark prints the figures of the Text Anonymization Benchmark instead of the others.
func (f *evalFlags) benchmark(cmd *cobra.Command, sys cli.System) error {
	if f.lower || f.Errors || f.byType || len(f.who) > 0 || f.sensitivity == allPoints {
		return cli.UsageError("--tab prints its own figures alone; leave out --lower, --errors, --by-type, --who and --sensitivity all")
	}
	var documents []tab.Document
	var labelled [][]gold.Conversation
	for _, file := range f.gold {
		of, calls, err := readDocuments(file, &f.Options)
		if err != nil {
			return err
		}
		documents = append(documents, of...)
		if calls != nil {
			labelled = append(labelled, calls)
		}
	}
	if len(labelled) == len(f.gold) {
		if err := needLabels(labelled...); err != nil {
			return err
		}
	}
	anonymizer, done, err := f.anonymizer(cmd, sys)
	if err != nil {
		return err
	}
	defer done()
	r, err := tab.Measure(documents, anonymizer)
	if err != nil {
		return err
	}
	return writeReport(cmd.OutOrStdout(), f.json, r)
}

// anonymizer returns the engine of the settings, or the masks of a file.
func (f *evalFlags) anonymizer(cmd *cobra.Command, sys cli.System) (a eval.Anonymizer, done func(), err error) {
	if f.masks != "" {
		masked, err := readGold(f.masks)
		if err != nil {
			return nil, nil, err
		}
		a, err = eval.Masks(masked)
		return a, func() {}, err
	}
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return nil, nil, err
	}
	if err := setSensitivity(&settings, f.sensitivity); err != nil {
		return nil, nil, err
	}
	return engineOf(cmd, settings)
}

func engineOf(cmd *cobra.Command, settings config.Settings) (a eval.Anonymizer, done func(), err error) {
	settings.RawOffsets = true
	engines, err := settings.NewEngines()
	if err != nil {
		return nil, nil, cli.Exit(cli.Usage, err)
	}
	asker, done, err := tier.NewAsker(cmd, &settings)
	if err != nil {
		return nil, nil, err
	}
	return eval.RemoteEngine(cmd.Context(), engines[settings.Sensitivity], asker), done, nil
}

// readDocuments reads a file of the benchmark, which is one JSON array, or labelled conversations, which it returns, too.
func readDocuments(file string, o *eval.Options) ([]tab.Document, []gold.Conversation, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, nil, cli.UsageError("%v; name files of labelled conversations, or of the Text Anonymization Benchmark", err)
	}
	defer in.Close()
	r := bufio.NewReader(in)
	if begin, _ := r.Peek(512); bytes.HasPrefix(bytes.TrimLeft(begin, " \t\r\n"), []byte("[")) {
		documents, err := tab.Read(r, file)
		return documents, nil, err
	}
	calls, err := readGold(file)
	return tab.FromCalls(calls, o), calls, err
}
