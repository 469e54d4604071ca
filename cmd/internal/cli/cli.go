// Package cli is what all commands have in common: how they start and end, their errors and exit
// statuses, and what they make of the settings.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v10"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/cmd/internal/cli/early"
	"sotto/internal/panics"
	"sotto/internal/texttable"
)

// Exit statuses of every command.
const (
	Done   = 0
	Failed = 1
	Usage  = 2 // wrong usage or configuration
	Check  = 3 // what was to be checked does not hold
)

// System is a command's access to the outside world.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        map[string]string
}

// Commands makes the commands of a program.
type Commands func(System) []*cobra.Command

// Main runs the program that has these commands, and exits.
func Main(commands Commands) {
	harden()
	os.Exit(Execute(early.Context, os.Args[1:], System{os.Stdin, os.Stdout, os.Stderr, env.ToMap(os.Environ())}, commands))
}

// UntilSignal returns the context of a command that stops gracefully on the first
// SIGINT or SIGTERM. The second one kills the process.
func UntilSignal(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return early.UntilSignal(cmd.Context())
}

// Execute runs one command line and returns the exit status.
func Execute(ctx context.Context, args []string, sys System, commands Commands) (code int) {
	defer func() {
		if recover() != nil {
			// The panic's value may contain text of a call, so only its place is printed.
			fmt.Fprintf(sys.Stderr, "sotto: internal error at %s; please report it with the output of 'sotto version'\n", panics.Site(1))
			code = Failed
		}
	}()
	root := Root(sys, commands)
	// cobra takes nil to mean the arguments of the process.
	root.SetArgs(append([]string{}, args...))
	cmd, err := unknownCommand(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return Done
	}
	code = Failed
	if e, ok := errors.AsType[*commandError](err); ok {
		code = e.code
	} else if usageErrors.MatchString(err.Error()) {
		line, _, _ := strings.Cut(err.Error(), "\n")
		code, err = Usage, errors.New(line+"; see 'sotto --help'")
	}
	if cmd.Annotations[logs] != "" && !IsTerminal(sys.Stderr) {
		NewLogger(sys.Stderr, "error").Error("sotto "+cmd.Name()+" ends with an error", "err", oneLine(err), "status", code)
	} else {
		fmt.Fprintln(sys.Stderr, "sotto:", oneLine(err))
	}
	return code
}

// unknownCommand is the error of a command that a group of commands does not have. With --help behind it, cobra would print
// the help of the group.
func unknownCommand(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	i := slices.IndexFunc(rest, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if err != nil || cmd == root || !cmd.HasSubCommands() || i < 0 {
		return cmd, nil // an error comes again when the command is executed
	}
	return cmd, cmd.ValidateArgs(rest[i:])
}

// logs is the annotation of a command whose error output is a log.
const logs = "logs"

// Logs makes the error of a command a line of its log.
func Logs(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{logs: "true"}
	return cmd
}

// Root returns the command above all others.
func Root(sys System, commands Commands) *cobra.Command {
	root := &cobra.Command{
		Use:   "sotto",
		Short: "Anonymize call transcripts, utterance by utterance",
		Long: "Sotto reads raw call transcripts, replaces what could identify a person by\n" +
			"numbered tags such as [PERSON_NAME_1] or by surrogates (SOTTO_STRATEGY), and\n" +
			"writes transcripts that are still worth training on: from Kafka to Kafka\n" +
			"exactly once, or from file to file.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	version, commit := Build()
	root.Version = version + ", commit " + commit
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return UsageError("%v; see '%s --help'", err, cmd.CommandPath())
	})
	addGrouped(root, commands(sys))
	fillHelp(root)
	return root
}

// usage prints cobra's text with descriptions of flags that wrap as the texts above them do. A template
// could do so, too, but the linker keeps every exported method in a program that has templates: the
// stream's would be 4 MB larger.
func usage(cmd *cobra.Command) error {
	cmd.Root().SetUsageFunc(nil)
	defer cmd.Root().SetUsageFunc(usage)
	text := cmd.UsageString()
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		text = strings.Replace(text, strings.TrimRight(flags.FlagUsages(), "\n"), strings.TrimRight(flags.FlagUsagesWrapped(texttable.Width), "\n"), 1)
	}
	_, err := io.WriteString(cmd.OutOrStderr(), text)
	return err
}

var groups = []struct {
	title    string
	commands []string
}{
	{"Run:", []string{"run", "ingest", "demo"}},
	{"Files and service:", []string{"anonymize", "serve"}},
	{"Review:", []string{"review", "risk"}},
	{"Training data:", []string{"corpus"}},
	{"Operate:", []string{"config", "topics", "mapping", "preflight", "size", "healthcheck", "canary", "diff", "call-id", "erase", "version"}},
	{"Develop:", []string{"eval", "train", "licences"}},
}

func init() { cobra.EnableCommandSorting = false }

func addGrouped(root *cobra.Command, all []*cobra.Command) {
	for _, g := range groups {
		for _, name := range g.commands {
			i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name })
			if i < 0 {
				continue // not of this program
			}
			if !root.ContainsGroup(g.title) {
				root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
			}
			all[i].GroupID = g.title
			root.AddCommand(all[i])
		}
	}
}

// fillHelp breaks the paragraphs of all help texts to the width of a terminal.
func fillHelp(cmd *cobra.Command) {
	cmd.Long = texttable.Fill(cmd.Long)
	for _, sub := range cmd.Commands() {
		fillHelp(sub)
	}
}

type commandError struct {
	code int
	err  error
}

func (e *commandError) Error() string { return e.err.Error() }
func (e *commandError) Unwrap() error { return e.err }

// Exit returns an error with its exit status.
func Exit(code int, err error) error { return &commandError{code, err} }

// UsageError returns an error of whoever has written the command line or the settings.
func UsageError(format string, args ...any) error {
	return &commandError{Usage, fmt.Errorf(format, args...)}
}

// SomeArgs refuses a command line without arguments.
func SomeArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return UsageError("no %s; see '%s --help'", what, cmd.CommandPath())
		}
		return nil
	}
}

// NoArgs is cobra.NoArgs without the argument in the error, because the argument
// may be text of a call. An argument of a command that has others below it is a
// mistyped one of those.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath()
	if !cmd.HasSubCommands() {
		return UsageError("%s takes no arguments; see '%s --help'", path, path)
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		between := fmt.Sprintf("' or '%s ", path)
		return UsageError("unknown command; did you mean '%s %s'? See '%s --help'", path, strings.Join(near, between), path)
	}
	return UsageError("unknown command; see '%s --help'", path)
}

// usageErrors are how the errors of cobra about a wrong command line begin.
var usageErrors = regexp.MustCompile("^(unknown command|unknown flag|unknown shorthand|required flag|invalid argument|if any flags in the group)")

// oneLine returns an error as one line, with semicolons between problems, and nothing that a
// terminal obeys.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return texttable.Printable(strings.Join(parts, "; "))
}
