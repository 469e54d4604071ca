// Command sotto anonymizes call transcripts: as a stream from Kafka to Kafka,
// or as files.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sotto/internal/panics"
	"sotto/internal/texttable"
)

// Exit statuses of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // wrong usage or configuration
)

// system is a command's access to the outside world.
type system struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        map[string]string
}

// graceful are the commands that stop gracefully on a signal.
var graceful = []string{"run", "serve", "canary", "topics", "demo"}

func main() { runProcess(processContext()) }

// processContext returns the context of the process. It comes first, because a
// signal may arrive while a graceful command still starts.
func processContext() context.Context {
	ctx := context.Background()
	if len(os.Args) > 1 && slices.Contains(graceful, os.Args[1]) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
	}
	return ctx
}

func runProcess(ctx context.Context) {
	harden()
	os.Exit(execute(ctx, os.Args[1:], system{os.Stdin, os.Stdout, os.Stderr, environ(os.Environ())}))
}

// untilSignal returns the context of a command that stops gracefully on the first
// SIGINT or SIGTERM. The second one kills the process.
func untilSignal(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func environ(list []string) map[string]string {
	m := make(map[string]string, len(list))
	for _, kv := range list {
		k, v, _ := strings.Cut(kv, "=")
		m[k] = v
	}
	return m
}

// execute runs one command line and returns the exit status.
func execute(ctx context.Context, args []string, sys system) (code int) {
	defer func() {
		if recover() != nil {
			// The panic's value may contain text of a call, so only its place is printed.
			fmt.Fprintf(sys.stderr, "sotto: internal error at %s; please report it with the output of 'sotto version'\n", panics.Site(1))
			code = exitFailed
		}
	}()
	root := newRoot(sys)
	// cobra takes nil to mean the arguments of the process.
	root.SetArgs(append([]string{}, args...))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	code = exitFailed
	var e *commandError
	if errors.As(err, &e) {
		code = e.code
	} else if isUsage(err) {
		code, err = exitUsage, fmt.Errorf("%w; see 'sotto --help'", firstLine(err))
	}
	if message := oneLine(err); message != "" {
		fmt.Fprintln(sys.stderr, "sotto:", message)
	}
	return code
}

func newRoot(sys system) *cobra.Command {
	root := &cobra.Command{
		Use:   "sotto",
		Short: "Anonymize call transcripts, utterance by utterance",
		Long: "Sotto reads raw call transcripts, replaces what could identify a person by\n" +
			"numbered tags such as [PERSON_NAME_1] or by surrogates (SOTTO_STRATEGY), and\n" +
			"writes transcripts that are still worth training on: from Kafka to Kafka\n" +
			"exactly once, or from file to file.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	version, commit := build()
	root.Version = version + ", commit " + commit
	root.SetIn(sys.stdin)
	root.SetOut(sys.stdout)
	root.SetErr(sys.stderr)
	// The descriptions of flags wrap as the texts above them do.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", texttable.Width)))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError("%v; see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(
		newRun(sys),
		newTopics(sys),
		newCanary(sys),
		newHealthcheck(sys),
		newSize(sys),
		newDiff(sys),
		newCallID(sys),
		newDemo(sys),
		newAnonymize(sys),
		newServe(sys),
		newEval(sys),
		newRisk(),
		newTrain(),
		newReview(sys),
		newCorpus(sys),
		newConfig(sys),
		newLicences(),
		newVersion(sys),
	)
	fillHelp(root)
	return root
}

// fillHelp breaks the paragraphs of all help texts to the width of a terminal.
func fillHelp(cmd *cobra.Command) {
	cmd.Long = texttable.Fill(cmd.Long)
	for _, sub := range cmd.Commands() {
		fillHelp(sub)
	}
}

// commandError is an error with its exit status. If err is nil, nothing is
// printed.
type commandError struct {
	code int
	err  error
}

func (e *commandError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *commandError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &commandError{exitUsage, fmt.Errorf(format, args...)}
}

// noArgs is cobra.NoArgs without the argument in the error, because the argument
// may be text of a call. An argument of a command that has others below it is a
// mistyped one of those.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath()
	if !cmd.HasSubCommands() {
		return usageError("%s takes no arguments; see '%s --help'", path, path)
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		between := fmt.Sprintf("' or '%s ", path)
		return usageError("unknown command; did you mean '%s %s'? See '%s --help'", path, strings.Join(near, between), path)
	}
	return usageError("unknown command; see '%s --help'", path)
}

// isUsage reports whether an error of cobra is about a wrong command line.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "required flag", "invalid argument", "if any flags in the group"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// oneLine returns an error as one line, with semicolons between problems.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}
