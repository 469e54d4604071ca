package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/training/eval"
)

type agreementFlags struct {
	eval.Options
	json  bool
	limit int
}

func newCorpusAgreement() *cobra.Command {
	var f agreementFlags
	cmd := &cobra.Command{
		Use:   "agreement FIRST... SECOND",
		Short: "Compare two annotations of the same conversations",
		Long: "Compares the labels of SECOND with those of FIRST (JSON lines or marked-up text).\n" +
			"Conversations are found by their IDs; FIRST may hold more of them. Prints how much\n" +
			"of the first annotation the second one covers, what it labels besides, F1 over\n" +
			"spans with the same places, and Cohen's kappa over characters.\n\n" +
			"As 'sotto eval', it leaves out DATE, TIME, GENDER, ETHNIC_GROUP, MONEY, OTHER and\n" +
			"NUMERIC quantities; --types chooses others.",
		Example: "  sotto corpus agreement calls.txt again.txt\n" +
			"  sotto corpus agreement --errors training/corpora/calls/train/*.txt sample.txt",
		RunE: func(cmd *cobra.Command, files []string) error { return runAgreement(cmd, f, files) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.Errors, "errors", false, "list what the second annotation leaves out or adds; it quotes the conversations")
	flags.IntVar(&f.limit, "limit", 20, "texts listed of each kind of difference and infoType, 0 for all")
	flags.StringSliceVar(&f.Types, "types", nil, "compare these infoTypes only, separated by commas")
	return cmd
}

func runAgreement(cmd *cobra.Command, f agreementFlags, files []string) error {
	if len(files) < 2 {
		return cli.UsageError("%s needs two annotations; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
	}
	last := len(files) - 1
	first, err := readGold(files[:last]...)
	if err != nil {
		return err
	}
	second, err := readGold(files[last])
	if err != nil {
		return err
	}
	agreement, err := eval.Agree(first, second, f.Options)
	if err != nil {
		return fmt.Errorf("%s: %w", files[last], err)
	}
	out := cmd.OutOrStdout()
	if f.json {
		return writeJSON(out, agreement)
	}
	if err := agreement.WriteTable(out); err != nil {
		return err
	}
	return agreement.WriteDifferences(out, f.limit)
}
