package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/processor/erasure"
	"sotto/review/store"
)

type eraseFlags struct {
	review          reviewFlags
	exports         []string
	open, dry, json bool
}

func newErase(sys cli.System) *cobra.Command {
	var f eraseFlags
	cmd := &cobra.Command{
		Use:   "erase CALL...",
		Short: "Erase calls where that is possible, and say when the rest expires",
		Long: "Searches all topics of the settings for calls, also under the IDs that\n" +
			"SOTTO_CALL_ID=hash makes of theirs. Writes tombstones where a topic is compacted,\n" +
			"erases the calls in the database of 'sotto review' and in exports, and prints a\n" +
			"record to file: where each call was, what was erased, and by when the retention of\n" +
			"the topics removes the rest. The record has call IDs and no text.\n\n" +
			"A CALL is its raw ID; - reads IDs from standard input, one per line, where other\n" +
			"users of the machine do not see them. Nothing is erased while a call is open. The\n" +
			"exit status is 3 then, and if a topic keeps records forever. See docs/erasure.md.",
		Example: "  sotto erase --dry-run call-4711\n" +
			"  sotto erase --json --export data - < ids.txt > record.json",
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, sys, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.review.store, "store", defaultStore, "file of 'sotto review'; SOTTO_REVIEW_DATABASE names a database in PostgreSQL instead")
	flags.StringArrayVar(&f.exports, "export", nil, "folder of 'sotto corpus export'; may be repeated")
	flags.BoolVar(&f.open, "open", false, "erase the states of open calls too; the stream must be stopped")
	flags.BoolVar(&f.dry, "dry-run", false, "only say what would be erased")
	flags.BoolVar(&f.json, "json", false, "print the record as JSON")
	return cmd
}

func (f *eraseFlags) run(cmd *cobra.Command, sys cli.System, args []string) (err error) {
	calls, err := callsOf(cmd, args)
	if err != nil {
		return err
	}
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	o := erasure.Options{
		Settings: &settings, Calls: calls, Who: commandLineUser(), Exports: f.exports, Open: f.open, Dry: f.dry, Now: time.Now,
	}
	_, missing := os.Stat(f.review.store)
	if cmd.Flags().Changed("store") || settings.ReviewDatabaseSetting() != "" || missing == nil {
		var s *store.Store
		if s, err = f.review.openExisting(ctx, &settings); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		o.Review = s
	}
	record, err := erasure.Run(ctx, o)
	if record != nil {
		if werr := f.write(cmd, record); werr != nil {
			return errors.Join(err, werr)
		}
	}
	switch {
	case errors.Is(err, erasure.ErrOpen), errors.Is(err, erasure.ErrRuns):
		return cli.Exit(cli.Check, err)
	case err != nil:
		return err
	case record.Unbounded() > 0:
		return cli.Exit(cli.Check, fmt.Errorf("%d copies never expire by the settings of their topics: set retention.ms, or for a compacted topic max.compaction.lag.ms", record.Unbounded()))
	}
	return nil
}

func (f *eraseFlags) write(cmd *cobra.Command, record *erasure.Record) error {
	if !f.json {
		return record.Write(cmd.OutOrStdout())
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	return out.Encode(record)
}

// callsOf returns the IDs of the arguments, and for - those of standard input.
func callsOf(cmd *cobra.Command, args []string) (calls []string, err error) {
	for _, arg := range args {
		if arg != "-" {
			calls = append(calls, arg)
			continue
		}
		lines := bufio.NewScanner(cmd.InOrStdin())
		for lines.Scan() {
			calls = append(calls, strings.TrimSuffix(lines.Text(), "\r"))
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	if calls = slices.DeleteFunc(calls, func(id string) bool { return id == "" }); len(calls) == 0 {
		return nil, cli.UsageError("no call to erase; give its ID, or - to read IDs from standard input")
	}
	return calls, nil
}
