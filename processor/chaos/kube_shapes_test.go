package chaos

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/kubetest"
	"sotto/internal/testkit/otlptest"
)

// TestKubernetesOtherShapes runs the chart in forms that are not its default: with static members,
// one of which restarts, and as a Deployment with traces.
func TestKubernetesOtherShapes(t *testing.T) {
	if os.Getenv(envKube) == "" {
		t.Skipf("takes minutes: run `make test-k8s` or set %s=1", envKube)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	k := newKubeTest(ctx, t, brokertest.OpenKafka(t, brokertest.KafkaOptions{}), map[string]kubetest.Image{
		"sotto.test/sotto:one": unpackedImage(ctx, t),
	})
	collector := otlptest.NewCollector(t)
	maps.Copy(k.values["config"].(fields), fields{"kafkaSessionTimeout": "30s", "otlpEndpoint": collector.URL, "traceRate": 0.1})
	k.r.Set.SessionTimeout = 30 * time.Second
	k.set("kafka", fields{"staticMembership": true})
	k.set("replicas", 2)
	k.step("install with static members", func() {
		k.helm("install", kubeRelease, chartDir, "-n", kubeNamespace, "-f", k.valuesFile(), "--wait", "--timeout", "4m")
		k.settled(2)
	})
	feeder := k.r.newFeeder(kubePartitions, kubeRate, 11)
	fed, stop := make(chan error, 1), make(chan struct{})
	go func() { fed <- feeder.run(ctx, stop) }()
	k.underLoad()
	k.step("start one again: the other keeps its partitions", func() {
		before := k.rebalances(kubeRelease + "-0")
		k.replace(kubeRelease + "-1")
		k.settled(2)
		if after := k.rebalances(kubeRelease + "-0"); after != before {
			t.Errorf("the assignments of the pod that stayed went from %q to %q", before, after)
		}
	})
	k.underLoad()
	k.step("become a Deployment", func() {
		k.set("kafka", fields{"staticMembership": false})
		k.set("kind", "Deployment")
		k.upgrade()
		k.settled(2)
	})
	k.underLoad()
	k.step("a rolling update of the Deployment", func() {
		k.set("podAnnotations", fields{"restarted": "once"})
		before := k.uids()
		k.upgrade()
		k.settled(2)
		if k.uids() == before {
			t.Error("the pods were not replaced")
		}
	})
	k.underLoad()
	close(stop)
	if err := <-fed; err != nil {
		t.Fatalf("feeding the raw topic: %v", err)
	}
	k.drained()
	k.step("uninstall", func() {
		k.helm("uninstall", kubeRelease, "-n", kubeNamespace, "--wait", "--cascade", "foreground", "--timeout", "3m")
	})
	feeder.checkRaw(t)
	checkHistory(t, k.r, historyOptions{})
	spans, all := collector.Spans(t)
	if len(spans) == 0 {
		t.Error("there are no traces")
	}
	if feeder.secrets.in([]byte(all)) {
		t.Error("the traces hold raw text")
	}
	for _, rec := range k.r.Read(k.r.Topics.Raw) {
		if strings.Contains(all, string(rec.Key)) {
			t.Fatalf("the traces hold the call ID %s", rec.Key)
		}
	}
	if !t.Failed() {
		t.Logf("as static members and as a Deployment:\n%s\n%d raw records fed; all came out once, in order, with the numbers of a serial run; %d spans without any of their content",
			strings.Join(k.steps, "\n"), feeder.count(), len(spans))
	}
}

// rebalances is the number of assignments that the pod reports.
func (k *kubeTest) rebalances(name string) string {
	k.t.Helper()
	var p struct{ Status struct{ PodIP string } }
	if err := k.c.Get(k.ctx, podsPath+"/"+name, &p); err != nil {
		k.t.Fatal(err)
	}
	resp, err := http.Get("http://" + p.Status.PodIP + ":9100/metrics")
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if count, ok := strings.CutPrefix(line, "sotto_rebalances_total "); ok {
			return strings.TrimSpace(count)
		}
	}
	k.t.Fatalf("pod %s has no sotto_rebalances_total", name)
	return ""
}

// replace deletes a pod and waits until another has replaced it.
func (k *kubeTest) replace(name string) {
	k.t.Helper()
	var before kubePod
	if err := k.c.Get(k.ctx, podsPath+"/"+name, &before); err != nil {
		k.t.Fatal(err)
	}
	if err := k.c.Delete(k.ctx, podsPath+"/"+name); err != nil {
		k.t.Fatal(err)
	}
	k.await("another pod "+name, func(ctx context.Context) error {
		var now kubePod
		err := k.c.Get(ctx, podsPath+"/"+name, &now)
		if err == nil && now.Metadata.UID == before.Metadata.UID {
			err = fmt.Errorf("it is still there")
		}
		return err
	})
}
