package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/tier"
	"sotto/files"
	"sotto/files/formats"
	"sotto/internal/texttable"
)

// plainText is the value of --text without a column.
const plainText = "plain"

type anonymizeFlags struct {
	formats.Options                             // as the flags say it
	out, report, redactions, sensitivity        string
	strategy, dictionaries, types, participants string
	explain, live, force, json, events, suggest bool
}

func newAnonymize(sys cli.System) *cobra.Command {
	var f anonymizeFlags
	cmd := &cobra.Command{
		Use:   "anonymize [PATH...] [-o OUT]",
		Short: "Anonymize files and folders, without Kafka",
		Long: "Anonymizes transcripts in the formats that recognizers, meeting tools and\n" +
			"spreadsheets write, and writes the same format. PATH is a file, a folder, a glob,\n" +
			"or '-' for standard input, which is also read without PATH. One file goes to\n" +
			"standard output, or to the file or folder OUT; several go to the folder OUT. A\n" +
			"file in OUT that is finished is not processed again, unless --force is given.\n\n" +
			"The format is detected, or named with --format:\n" + texttable.Wrap("  "+strings.Join(formats.Names(), ", "), 2) + "\n" +
			"'events' are RawEvent JSON lines (call_id, seq, type: START, UTTERANCE or END, text,\n" +
			"speaker: id, label, role), which become CleanEvent JSON lines in the same order.\n" +
			"--events writes such lines of every other format, for 'sotto corpus'. 'json' is any JSON: every string in it is anonymized. docs/files.md says\n" +
			"what is kept of each format.\n\n" +
			"A call is read twice, so that what is learned late is masked early. --live reads\n" +
			"it once, as the stream does.\n\n" +
			"A line of events that cannot be read is reported by its number, without its text;\n" +
			"the rest is processed and the exit status is 1. The same holds for a file that cannot\n" +
			"be read, if there are several.\n\n" +
			"Surrogates (--strategy, SOTTO_STRATEGY) are drawn with the key of\n" +
			"SOTTO_STATE_KEY_FILE, so that another run gives the same ones. Without it a random\n" +
			"key is used and not kept.",
		RunE: func(cmd *cobra.Command, args []string) error {
			err := runAnonymize(cmd, sys, &f, args)
			if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
				return nil // nobody reads the output any longer, as in 'sotto anonymize | head'
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "write to this file or folder")
	flags.StringVar(&f.Format, "format", "", "the format of the input, if it cannot be detected")
	flags.StringVar(&f.Mapping, "mapping", "", "YAML file that says where JSON files have their turns, for formats that are not known")
	flags.BoolVar(&f.suggest, "suggest-mapping", false, "print a mapping to start from for the JSON file, and anonymize nothing; it shows names of fields")
	flags.StringVar(&f.Columns.Text, "text", "", "alone: the input is plain 'Speaker: words' lines of one call; with a value: the column of a table that holds the text")
	flags.Lookup("text").NoOptDefVal = plainText
	flags.StringVar(&f.Columns.Call, "call", "", "the column of a table that holds the call's ID")
	flags.StringVar(&f.Columns.Speaker, "speaker", "", "the column of a table that holds the speaker")
	flags.StringVar(&f.Columns.Role, "role", "", "the column of a table that holds the speaker's role")
	flags.StringVar(&f.Columns.Start, "start", "", "the column of a table that holds when an utterance begins")
	flags.StringVar(&f.Columns.End, "end", "", "the column of a table that holds when an utterance ends")
	flags.StringSliceVar(&f.Columns.Keep, "keep", nil, "columns of a table that are kept as they are")
	flags.StringVar(&f.strategy, "strategy", "", "how to replace; as SOTTO_STRATEGY")
	flags.StringVar(&f.sensitivity, "sensitivity", "", "how likely a value must be to be masked: balanced, high or maximum; as SOTTO_SENSITIVITY")
	flags.StringVar(&f.dictionaries, "dictionary-dir", "", "folder of dictionaries and policy.yaml; as SOTTO_DICTIONARY_DIR")
	flags.StringVar(&f.types, "types", "", "infoTypes to switch on, and with '-' off: 'DATE,-PRODUCT'")
	flags.StringVar(&f.participants, "participants", "", "file of names, numbers and addresses that are personal in every call, one a line")
	flags.StringVar(&f.report, "report", "", "write an HTML page with raw beside clean to this file; it CONTAINS RAW TEXT")
	flags.StringVar(&f.redactions, "redactions", "", "write to this folder where in the recordings something was masked: JSON, labels for Audacity, a filter for ffmpeg")
	flags.BoolVar(&f.json, "json", false, "print a summary of the run as JSON (with -o)")
	flags.BoolVar(&f.events, "events", false, "write CleanEvent JSON lines of any format, as 'sotto corpus' reads them; a call without an ID has the name of its file")
	flags.BoolVar(&f.live, "live", false, "read a call once, as the stream does")
	flags.BoolVar(&f.force, "force", false, "process files again that are finished")
	flags.BoolVar(&f.explain, "explain", false, "with events or --text: report for each masked span which detector found it, on what evidence, and which findings lost to it")
	return cmd
}

func runAnonymize(cmd *cobra.Command, sys cli.System, f *anonymizeFlags, paths []string) error {
	if len(paths) == 0 {
		paths = []string{"-"}
	}
	if f.Format != "" && !slices.Contains(formats.Names(), f.Format) {
		return cli.UsageError("there is no format of that name; the formats are %s", strings.Join(formats.Names(), ", "))
	}
	if f.suggest {
		return suggestMapping(cmd, paths)
	}
	if err := f.readMapping(); err != nil {
		return err
	}
	job, done, err := f.job(cmd, sys)
	if err != nil {
		return err
	}
	defer done()
	if len(paths) > 1 || isSeveral(paths[0]) {
		return f.several(cmd, job, paths)
	}
	return f.one(cmd, job, paths[0])
}

// suggestMapping prints a mapping to start from for a file.
func suggestMapping(cmd *cobra.Command, paths []string) error {
	if len(paths) != 1 {
		return cli.UsageError("--suggest-mapping is for one file")
	}
	in := cmd.InOrStdin()
	if paths[0] != "-" {
		file, err := cli.OpenInput(paths[0])
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	mapping, err := formats.SuggestMapping(data)
	if err != nil {
		return fmt.Errorf("there is no mapping for %s: %w", texttable.Line(paths[0]), err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), mapping)
	return err
}

// isSeveral reports whether a path is a folder or a glob.
func isSeveral(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[")
}

// job returns the job with the engine that the settings and flags describe.
// done must be called at the end.
func (f *anonymizeFlags) job(cmd *cobra.Command, sys cli.System) (job *files.Job, done func(), err error) {
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return nil, nil, err
	}
	s.RawOffsets = true
	s.Strategy = cmp.Or(f.strategy, s.Strategy)
	s.DictionaryDir = cmp.Or(f.dictionaries, s.DictionaryDir)
	if err := setSensitivity(&s, f.sensitivity); err != nil {
		return nil, nil, err
	}
	remove, err := f.switchTypes(&s)
	if err != nil {
		return nil, nil, err
	}
	defer remove()
	e, err := cli.NewEngine(s)
	if err != nil {
		return nil, nil, err
	}
	intake, err := s.FileIntake()
	if err != nil {
		return nil, nil, cli.Exit(cli.Usage, err)
	}
	participants, err := f.readParticipants()
	if err != nil {
		return nil, nil, err
	}
	asker, done, err := tier.NewAsker(cmd, &s)
	if err != nil {
		return nil, nil, err
	}
	version, commit := cli.Build()
	stderr := cmd.ErrOrStderr()
	return &files.Job{
		Engine:       e,
		MaxMasks:     maxMasks(memoryPerFile()),
		Gate:         s.Gate(),
		Admit:        intake.Admit,
		Publish:      intake.Publish,
		CallID:       intake.CallID,
		Settings:     version + " " + commit + " " + intake.Digest(),
		Explain:      f.explain || f.report != "",
		Live:         f.live,
		AsEvents:     f.events,
		Participants: participants,
		Remote:       asker,
		Report:       func(line int, problem string) { fmt.Fprintf(stderr, "sotto: line %d: %s\n", line, problem) },
	}, done, nil
}

// leastPerFile is how much memory the work on a file should have at least.
const leastPerFile = 320 << 20

// memoryPerFile returns how many files are worked on at once, and how much of the memory that GOMEMLIMIT sets the work on
// one may take; 0 if it sets none. Beyond that, a file is refused rather than the process ended.
func memoryPerFile() (files int, bytes int64) {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return runtime.GOMAXPROCS(0), 0
	}
	files = int(min(max(limit/leastPerFile, 1), int64(runtime.GOMAXPROCS(0))))
	return files, limit / int64(files)
}

// maxMasks is how many masks the work on a file has memory for.
func maxMasks(_ int, memory int64) int { return int(memory / 2560) }

func (f *anonymizeFlags) options() formats.Options {
	o := f.Options
	if _, memory := memoryPerFile(); memory > 0 {
		o.Limits = formats.LimitsOf(memory)
	}
	if o.Columns.Text == plainText {
		o.Format, o.Columns.Text = "text", ""
	}
	return o
}

// one anonymizes one file or standard input.
func (f *anonymizeFlags) one(cmd *cobra.Command, job *files.Job, path string) error {
	in := cmd.InOrStdin()
	name := ""
	if err := f.checkFiles(path); err != nil {
		return err
	}
	if path != "-" {
		file, err := cli.OpenInput(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in, name = file, path
	}
	buffered := bufio.NewReaderSize(in, 1<<20)
	if f.Columns.Text == plainText && (f.explain || f.live && f.out == "") {
		return f.lines(cmd, buffered, func(ctx context.Context, in io.Reader, out io.Writer) (files.Counts, error) {
			return job.Text(ctx, name, in, out)
		})
	}
	if f.Format == formats.Events || f.Format == "" && f.Columns.Text == "" && beginsWithEvent(buffered) || f.explain {
		return f.lines(cmd, buffered, job.Events)
	}
	if isFolder(f.out) && path != "-" {
		return f.several(cmd, job, []string{path})
	}
	if f.json && f.out == "" {
		return cli.UsageError("--json prints a summary to standard output; give a file for the transcript with -o")
	}
	data, err := io.ReadAll(buffered)
	if err != nil {
		return err
	}
	return f.document(cmd, job, name, data)
}

// checkFiles refuses an input that may never end, and results that would replace what they must
// not.
func (f *anonymizeFlags) checkFiles(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return cli.UsageError("%s is not a regular file; give its data on standard input, with '-' as the file", path)
	}
	if f.out != "" && !isFolder(f.out) {
		if err := checkTarget(path, f.out); err != nil {
			return err
		}
	}
	return f.checkTargets(path, f.out)
}

// isFolder reports whether an output is a folder, or is to be one.
func isFolder(out string) bool {
	info, err := os.Stat(out)
	return err == nil && info.IsDir() || strings.HasSuffix(out, "/")
}

func (f *anonymizeFlags) document(cmd *cobra.Command, job *files.Job, name string, data []byte) error {
	r := files.FileResult{Input: name, Output: f.out, Bytes: int64(len(data))}
	if f.redactions != "" {
		r.Redactions = filepath.Join(f.redactions, filepath.Base(cmp.Or(name, "call")))
	}
	o := f.options()
	o.Name = name
	out, err := job.Anonymize(cmd.Context(), data, o, &r)
	if err != nil {
		return fmt.Errorf("%s was not anonymized: %w", texttable.Line(cmp.Or(name, "standard input")), err)
	}
	writeNotes(cmd.ErrOrStderr(), "", r.Notes)
	if f.out == "" {
		if _, err = cmd.OutOrStdout().Write(out); err != nil {
			return err
		}
	} else if err = files.WriteAtomically(f.out, out, files.OutputMode); err != nil {
		return err
	}
	return f.summarize(cmd, []files.FileResult{r})
}

func writeNotes(w io.Writer, prefix string, notes []string) {
	for _, n := range notes {
		fmt.Fprintf(w, "sotto: %s\n", texttable.Line(prefix)+texttable.Printable(n))
	}
}

// lines anonymizes events or lines of text as they come.
func (f *anonymizeFlags) lines(cmd *cobra.Command, in io.Reader,
	process func(context.Context, io.Reader, io.Writer) (files.Counts, error)) error {
	if f.report != "" || f.json || f.redactions != "" {
		return cli.UsageError("--report, --redactions and --json are for files, not for events or --explain")
	}
	if f.out != "" {
		return cli.UsageError("events and explanations go to standard output; leave -o out")
	}
	n, err := process(cmd.Context(), in, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if n.Interim > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "sotto: %d interim hypotheses dropped\n", n.Interim)
	}
	if n.Bad > 0 {
		return fmt.Errorf("%d of %d lines could not be processed; they are named above and missing from the output", n.Bad, n.Lines)
	}
	return nil
}

// beginsWithEvent reports whether the first line of an input is an event. It reads no further. An
// empty input counts as events, of which there are none.
func beginsWithEvent(in *bufio.Reader) bool {
	for n := 1; ; n = min(in.Buffered()+1, in.Size()) {
		_, err := in.Peek(n)
		data, _ := in.Peek(in.Buffered())
		first, _, complete := strings.Cut(strings.TrimLeft(string(data), " \t\r\n"), "\n")
		if complete || err != nil || len(data) == in.Size() {
			return first == "" || strings.HasPrefix(first, "{") && strings.Contains(first, `"call_id"`) && strings.Contains(first, `"seq"`)
		}
	}
}
