package chaos

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/kubetest"
)

// envKube enables the tests on a Kubernetes control plane.
const envKube = "SOTTO_TEST_K8S"

const (
	kubeNamespace  = "calls"
	kubeRelease    = "sotto"
	kubePartitions = 6
	kubeRate       = 300 // records per second
)

// TestKubernetesLosesDoublesAndRenumbersNothing installs the chart on a real control plane and does
// under load what operators do: scale, drain, upgrade, roll back. At the end, the topics hold byte
// for byte what one thread writes that changes its policy at the same events.
func TestKubernetesLosesDoublesAndRenumbersNothing(t *testing.T) {
	if os.Getenv(envKube) == "" {
		t.Skipf("takes minutes: run `make test-k8s` or set %s=1", envKube)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	image := unpackedImage(ctx, t)
	k := newKubeTest(ctx, t, brokertest.OpenKafka(t, brokertest.KafkaOptions{}), map[string]kubetest.Image{
		"sotto.test/sotto:one": image, "sotto.test/sotto:two": image,
	})
	one, two := k.dictionaries(map[string]string{
		"ORGANIZATION_NAME.dictionary.txt": "Larkmoor Mutual\n",
	}), k.dictionaries(map[string]string{
		"ORGANIZATION_NAME.dictionary.txt": "Larkmoor Mutual\n",
		"PRODUCT.dictionary.txt":           "account\n",
		"policy.yaml":                      "info_types:\n  DATE: {enabled: true}\n",
	})
	k.set("dictionaries", fields{"files": one.files})

	k.step("install, with the topics made by the hook job", func() {
		k.helm("install", kubeRelease, chartDir, "-n", kubeNamespace, "-f", k.valuesFile(), "--wait", "--timeout", "4m")
		k.settled(1)
		k.checkTopics()
	})
	feeder := k.r.newFeeder(kubePartitions, kubeRate, 7)
	fed, stop := make(chan error, 1), make(chan struct{})
	go func() { fed <- feeder.run(ctx, stop) }()
	k.underLoad()
	k.step("scale to 3", func() { k.set("replicas", 3); k.upgrade(); k.settled(3) })
	k.underLoad()
	k.step("drain: one eviction is granted, the second waits for the first pod to be back", func() { k.evict(); k.settled(3) })
	k.underLoad()
	k.step("a second state key is read by the running pods", func() { k.addKey() })
	k.step("scale to 2", func() { k.set("replicas", 2); k.upgrade(); k.settled(2) })
	k.underLoad()
	k.step("switch autoscaling on: the pods stay as many as they are", func() {
		k.set("autoscaling", fields{"type": "hpa", "maxReplicas": 6})
		k.set("replicas", 1) // must have no effect any more
		k.upgrade()
		k.settled(2)
	})
	k.underLoad()
	k.step("new dictionaries are read by the running pods", func() {
		before := k.uids()
		k.set("dictionaries", fields{"files": two.files})
		k.upgrade()
		k.awaitLog(2, "policy changed")
		if now := k.uids(); now != before {
			t.Errorf("the pods are %s, were %s", now, before)
		}
	})
	k.underLoad()
	k.step("rolling upgrade: image and policy", func() {
		k.set("image", fields{"repository": "sotto.test/sotto", "tag": "two"})
		k.values["config"].(fields)["maxEntities"] = 900
		k.upgrade()
		k.settled(2)
		k.checkImages("sotto.test/sotto:two")
	})
	k.underLoad()
	k.set("image", fields{"repository": "sotto.test/sotto", "tag": "none"})
	k.step("upgrade to an image that is not there: the hook job stops it, the pods stay", func() {
		k.upgradeFails("10s")
		k.settled(2)
		k.checkImages("sotto.test/sotto:two")
	})
	k.underLoad()
	k.step("the same without the hook: one pod waits for the image, the other has all partitions", func() {
		k.values["topics"].(fields)["manage"] = "none"
		k.upgradeFails("10s")
		k.grouped(1)
	})
	k.underLoad()
	k.step("install everything that can be on beside it: the API server takes it all", func() { k.installAll() })
	k.step("roll back to the revision before the upgrades", func() {
		k.helm("rollback", kubeRelease, "4", "-n", kubeNamespace, "--wait", "--timeout", "4m")
		k.settled(2)
		k.checkImages("sotto.test/sotto:one")
	})
	k.underLoad()
	close(stop)
	if err := <-fed; err != nil {
		t.Fatalf("feeding the raw topic: %v", err)
	}
	k.step("drain what was fed", func() { k.drained() })
	k.step("helm test", func() {
		out := k.helm("test", kubeRelease, "-n", kubeNamespace, "--timeout", "2m", "--logs")
		if !strings.Contains(out, "came out redacted") {
			t.Errorf("helm test did not show the canary's line:\n%s", out)
		}
		k.drained()
	})
	k.step("uninstall", func() {
		k.helm("uninstall", kubeRelease, "-n", kubeNamespace, "--wait", "--cascade", "foreground", "--timeout", "3m")
	})

	feeder.checkRaw(t)
	policies := k.byPolicy(one, two)
	aborted := checkHistory(t, k.r, historyOptions{wrap: policies.wrap})
	logs, err := filepath.Glob(filepath.Join(t.ArtifactDir(), kubeNamespace+"_*"))
	if err != nil || len(logs) < 6 {
		t.Fatalf("the logs are %q (%v)", logs, err)
	}
	checkLeaks(t, k.r, feeder.secrets, logs)
	policies.check(t)
	if !t.Failed() {
		t.Log(k.summary(feeder.count(), aborted, policies))
	}
}

func (k *kubeTest) summary(raw, aborted int, p *policyHistory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the chart on a real control plane and Apache Kafka, %d records a second:\n", kubeRate)
	for _, line := range k.steps {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "%d raw records fed; all came out once, in order, with the numbers of a serial run; %d clean records were aborted\n", raw, aborted)
	for _, hash := range slices.Sorted(maps.Keys(p.events)) {
		fmt.Fprintf(&b, "policy %s: %d clean events\n", hash, p.events[hash])
	}
	q := func(share float64) time.Duration {
		return p.delays[min(len(p.delays)-1, int(share*float64(len(p.delays))))].Round(time.Millisecond)
	}
	fmt.Fprintf(&b, "from raw record to clean record: median %v, p99 %v, longest %v", q(0.5), q(0.99), q(1))
	return b.String()
}
