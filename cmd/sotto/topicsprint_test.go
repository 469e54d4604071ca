package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// The printed topics are those that 'topics ensure' creates: no broker is there to be asked.
func TestTopicsArePrinted(t *testing.T) {
	t.Parallel()
	environ := map[string]string{"SOTTO_TOPIC_FINAL": "calls.final", "SOTTO_TOPIC_INDIRECT": "calls.indirect", "SOTTO_TOPIC_RAW": "Calls_raw"}
	all := []string{"topics", "ensure", "--partitions", "24", "--replication", "3", "--min-insync", "2", "--retention-raw", "72h", "--review"}
	for form, more := range map[string][]string{"terraform": nil, "strimzi": {"--strimzi-cluster", "kafka"}} {
		o := sotto(t, environ, "", append(append(all, "--print", form), more...)...)
		golden := filepath.Join("testdata", "topics", form+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(o.out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); o.code != cli.Done || !bytes.Equal(want, []byte(o.out)) {
			t.Errorf("%s: status %d, %s%s", form, o.code, o.out, o.errors)
		}
	}
}

func TestTopicsThatCannotBePrinted(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--print pulumi": "must be terraform or strimzi",
		"--print strimzi --strimzi-cluster kafka":                                    "needs --retention-raw",
		"--print terraform --retention-raw 72h":                                      "needs --replication",
		"--print strimzi --retention-raw 72h":                                        "needs --strimzi-cluster",
		"--print terraform --retention-raw 72h --replication 1 --strimzi-cluster k8": "nothing else has it",
		"--print terraform --dry-run":                                                "none of the others can be",
	} {
		o := sotto(t, nil, "", append([]string{"topics", "ensure"}, strings.Fields(args)...)...)
		if o.code != cli.Usage || !strings.Contains(o.errors, want) {
			t.Errorf("%s: status %d, %s", args, o.code, o.errors)
		}
	}
}
