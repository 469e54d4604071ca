// Command sotto-research trains language models and fills masks with them.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := execute(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "sotto-research:", err)
		os.Exit(1)
	}
}

// execute runs one command line.
func execute(ctx context.Context, args []string, out, progress io.Writer) error {
	root := &cobra.Command{
		Use: "sotto-research", Short: "Research on anonymized calls: language models, recovery of masks",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.AddCommand(newLM(), newRecover())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(progress)
	return root.ExecuteContext(ctx)
}

// writeOutput writes a file that only its owner can read, or to standard output for "-".
func writeOutput(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(cmd.OutOrStdout())
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
