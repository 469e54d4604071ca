package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/gold"
	"sotto/training/corpus/calls"
	"sotto/training/corpus/noise"
)

func newCorpusNoise() *cobra.Command {
	var (
		profile string
		seed    uint64
		json    bool
		output  string
	)
	cmd := &cobra.Command{
		Use:   "noise FILE...",
		Short: "Put recognizer noise into labelled conversations",
		Long: "Puts recognizer noise into labelled conversations (JSON lines or marked-up text) and\n" +
			"prints them as marked-up text. Labels stay on their words. Equal seeds give equal\n" +
			"results; profiles are " + strings.Join(noiseProfiles(), ", ") + ".",
		Example: "  sotto corpus noise --profile raw --seed 7 training/corpora/calls/train/families.txt",
		Args:    cli.SomeArgs("labelled conversations"),
		RunE: func(cmd *cobra.Command, files []string) error {
			i := slices.Index(noiseProfiles(), profile)
			if i < 0 {
				return cli.UsageError("--profile must be one of %s", strings.Join(noiseProfiles(), ", "))
			}
			out, err := readGold(files...)
			if err != nil {
				return err
			}
			for k, c := range out {
				out[k] = noise.Apply(c, seed, noise.Profiles()[i])
			}
			return writeOutput(cmd, output, private, func(w io.Writer) error {
				if json {
					return gold.Write(w, out)
				}
				return calls.Write(w, out)
			})
		},
	}
	cmd.Flags().StringVar(&profile, "profile", noise.Raw.Name, "kind of transcript: "+strings.Join(noiseProfiles(), ", "))
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of every random choice")
	cmd.Flags().StringVarP(&output, "output", "o", standardOutput, "file to write them to; '-' is standard output")
	cmd.Flags().BoolVar(&json, "json", false, "print JSON lines instead of marked-up text")
	return cmd
}

func noiseProfiles() (names []string) {
	for _, p := range noise.Profiles() {
		names = append(names, p.Name)
	}
	return names
}
