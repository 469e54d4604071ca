package processor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/config"
)

// The forms of PrintTopics.
const (
	Terraform = "terraform"
	Strimzi   = "strimzi"
)

// PrintTopics returns the topics that EnsureTopics would create on an empty cluster, as resources of Terraform's
// provider Mongey/kafka, or as manifests of Strimzi for the Kafka resource of that name. The plan must have the
// retention of raw events, and for Terraform the replication: no cluster is asked for its defaults.
func PrintTopics(s *config.Settings, plan TopicPlan, form, cluster string) string {
	var b strings.Builder
	for i, t := range topicSpecs(s, plan) {
		partitions := cmp.Or(t.partitions, plan.Partitions)
		if form == Terraform {
			if i > 0 {
				b.WriteByte('\n')
			}
			printTerraform(&b, t, partitions, plan.Replication)
			continue
		}
		printStrimzi(&b, t, partitions, plan.Replication, cluster)
	}
	return b.String()
}

// printTerraform protects the topics: to delete one is to lose calls.
func printTerraform(b *strings.Builder, t topicSpec, partitions int32, replication int16) {
	fmt.Fprintf(b, "resource \"kafka_topic\" \"sotto_%s\" {\n", strings.ReplaceAll(t.role, "-", "_"))
	fmt.Fprintf(b, "  name               = %q\n  partitions         = %d\n  replication_factor = %d\n\n  config = {\n", t.name, partitions, replication)
	keys := slices.Sorted(maps.Keys(t.config))
	width := 0
	for _, key := range keys {
		width = max(width, len(key)+2)
	}
	for _, key := range keys {
		fmt.Fprintf(b, "    %-*q = %q\n", width, key, t.config[key]) // as 'terraform fmt' has it
	}
	b.WriteString("  }\n\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n")
}

// printStrimzi names a resource by the role of its topic: the name of a topic may be none of Kubernetes.
func printStrimzi(b *strings.Builder, t topicSpec, partitions int32, replication int16, cluster string) {
	fmt.Fprintf(b, "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: sotto-%s\n  labels:\n    strimzi.io/cluster: %q\n", t.role, cluster)
	fmt.Fprintf(b, "spec:\n  topicName: %q\n  partitions: %d\n", t.name, partitions)
	if replication > 0 {
		fmt.Fprintf(b, "  replicas: %d\n", replication)
	}
	b.WriteString("  config:\n")
	for _, key := range slices.Sorted(maps.Keys(t.config)) {
		fmt.Fprintf(b, "    %s: %s\n", key, t.config[key])
	}
}
