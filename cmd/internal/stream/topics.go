package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/processor"
)

func newTopics(sys cli.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topics",
		Short: "Create the topics that the stream needs",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTopicsEnsure(sys))
	return cmd
}

func newTopicsEnsure(sys cli.System) *cobra.Command {
	var plan processor.TopicPlan
	var dryRun, apply bool
	var form, cluster string
	cmd := &cobra.Command{
		Use:   "ensure",
		Short: "Create what is missing and report what differs",
		Long: "Creates the topics that are missing, with the names of the SOTTO_TOPIC_ settings and\n" +
			"with compaction, segments, retention and min.insync.replicas. Of topics that exist it\n" +
			"reports how they differ; --apply sets their configuration, which deletes records if\n" +
			"it shortens a retention. An existing topic keeps its number of partitions.\n" +
			"--dry-run changes nothing and exits with 3 if something differs.\n" +
			"--print asks no broker, and prints the topics for Terraform or Strimzi instead.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan.Partitions < 1 {
				return cli.UsageError("--partitions must be at least 1")
			}
			if plan.Replication == 0 || plan.Replication < -1 {
				return cli.UsageError("--replication must be at least 1, or -1 for the cluster's default")
			}
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			if form != "" {
				return printTopics(cmd, &s, plan, form, cluster)
			}
			signalled, stop := cli.UntilSignal(cmd)
			defer stop()
			ctx, cancel := context.WithTimeout(signalled, 2*time.Minute)
			defer cancel()
			mode := processor.CreateTopics
			switch {
			case dryRun:
				mode = processor.DryRun
			case apply:
				mode = processor.ApplyTopics
			}
			err = processor.EnsureTopics(ctx, s, plan, mode, func(line string) { fmt.Fprintln(cmd.OutOrStdout(), line) })
			if errors.Is(err, processor.ErrTopicsDiffer) {
				return cli.Exit(cli.Check, err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Int32Var(&plan.Partitions, "partitions", 12, "partitions of topics that are created")
	f.Int16Var(&plan.Replication, "replication", -1, "replicas of each partition of topics that are created; -1: the cluster's default")
	f.IntVar(&plan.MinInsync, "min-insync", 0, "min.insync.replicas; 0: unchanged")
	f.DurationVar(&plan.Raw, "retention-raw", 0, "retention of raw events; 0: unchanged")
	f.DurationVar(&plan.Clean, "retention-clean", 0, "retention of clean events; 0: unchanged")
	f.DurationVar(&plan.Audit, "retention-audit", 0, "retention of calls for the risk audit; 0: unchanged")
	f.DurationVar(&plan.DeadLetter, "retention-dead-letter", 0, "retention of dead letters; 0: unchanged")
	f.BoolVar(&plan.Review, "review", false, "also the topic in which 'sotto review' keeps what people mark")
	f.BoolVar(&dryRun, "dry-run", false, "create nothing either, and exit with 3 if something differs")
	f.BoolVar(&apply, "apply", false, "set the configuration of existing topics, too")
	f.StringVar(&form, "print", "", "print the topics as terraform or strimzi, and change nothing")
	f.StringVar(&cluster, "strimzi-cluster", "", "with --print strimzi: the name of the Kafka resource")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "apply", "print")
	return cmd
}

// printTopics prints the topics of a plan for another tool. What 'ensure' would take from the cluster must be given.
func printTopics(cmd *cobra.Command, s *config.Settings, plan processor.TopicPlan, form, cluster string) error {
	switch {
	case form != processor.Terraform && form != processor.Strimzi:
		return cli.UsageError("--print must be terraform or strimzi")
	case plan.Raw == 0:
		return cli.UsageError("--print needs --retention-raw: the state topic keeps for as long which calls are over")
	case form == processor.Terraform && plan.Replication < 1:
		return cli.UsageError("--print terraform needs --replication")
	case (form == processor.Strimzi) != (cluster != ""):
		return cli.UsageError("--print strimzi needs --strimzi-cluster, the name of the Kafka resource; nothing else has it")
	}
	fmt.Fprint(cmd.OutOrStdout(), processor.PrintTopics(s, plan, form, cluster))
	return nil
}
