package processor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/brokertest"
	"sotto/internal/kubetest"
)

// envKube asks for the test on a Kubernetes control plane.
const envKube = "SOTTO_TEST_K8S"

const (
	kubeNamespace  = "calls"
	kubeRelease    = "sotto"
	kubePartitions = 6
	kubeRate       = 300 // records per second
)

// TestKubernetesLosesDoublesAndRenumbersNothing installs the chart on a real control
// plane and does to it under load what operators do: scale, drain, upgrade, roll back. In
// the end the topics hold byte for byte what one thread writes that changes its
// policy at the same events.
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
	k.step("scale to 2", func() { k.set("replicas", 2); k.upgrade(); k.settled(2) })
	k.underLoad()
	k.step("switch autoscaling on: the pods stay as many as they are", func() {
		k.set("autoscaling", fields{"type": "hpa", "maxReplicas": 6})
		k.set("replicas", 1) // must not be looked at any more
		k.upgrade()
		k.settled(2)
	})
	k.underLoad()
	k.step("rolling upgrade: image, policy and dictionaries", func() {
		k.set("image", fields{"repository": "sotto.test/sotto", "tag": "two"})
		k.set("dictionaries", fields{"files": two.files})
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
	aborted := checkHistory(t, k.r, policies.wrap)
	logs, err := filepath.Glob(filepath.Join(t.ArtifactDir(), kubeNamespace+"_*"))
	if err != nil || len(logs) < 6 {
		t.Fatalf("there are the logs %q (%v)", logs, err)
	}
	checkLeaks(t, k.r, feeder.secrets, logs)
	policies.check(t)
	if !t.Failed() {
		t.Log(k.summary(feeder.count(), aborted, policies))
	}
}

const chartDir = "../helm/sotto"

// fields are an object of the API or a part of the chart's values.
type fields = map[string]any

type kubeTest struct {
	t      *testing.T
	ctx    context.Context
	c      *kubetest.Cluster
	r      *rig
	gain   gain
	values fields
	steps  []string
}

func newKubeTest(ctx context.Context, t *testing.T, kafka *brokertest.Kafka, images map[string]kubetest.Image) *kubeTest {
	k := &kubeTest{t: t, ctx: ctx}
	began := time.Now()
	k.c = kubetest.Start(t, 2, images)
	k.steps = append(k.steps, fmt.Sprintf("%8v  start of the control plane and two nodes", time.Since(began).Round(100*time.Millisecond)))
	k.r = newRigWith(t, kafka, brokertest.Topics{Raw: "calls.raw", Clean: "calls.clean", Audit: "calls.risk-audit",
		State: "calls.state", DeadLetter: "calls.dead-letter"}, "sotto")
	k.gain.r = k.r
	config := fields{"kafkaBrokers": kafka.Addr(), "codec": "json", "rawOffsets": true, "auditRate": "0.2",
		"commitInterval": "100ms", "callIdleTimeout": "5m", "callGrace": "2m", "maxEntities": 1000}
	var err error
	k.r.set, err = LoadSettings(map[string]string{"SOTTO_CODEC": "json", "SOTTO_RAW_OFFSETS": "true", "SOTTO_AUDIT_RATE": "0.2",
		"SOTTO_CALL_IDLE_TIMEOUT": "5m", "SOTTO_CALL_GRACE": "2m", "SOTTO_STATE_KEY_FILE": k.r.keyFile()})
	if err != nil {
		t.Fatal(err)
	}
	soon := fields{"periodSeconds": 1, "timeoutSeconds": 2}
	k.values = fields{
		"image":  fields{"repository": "sotto.test/sotto", "tag": "one"},
		"config": config, "stateKey": fields{"existingSecret": "state-key"},
		"topics":       fields{"manage": "job", "partitions": kubePartitions, "replicationFactor": 1, "minInsyncReplicas": 1},
		"startupProbe": soon, "readinessProbe": soon,
		"resources": fields{"requests": fields{"cpu": "100m", "memory": "128Mi"}, "limits": fields{"cpu": "2", "memory": "1Gi"}},
		// Every pod of the test kubelet has a loopback address and the host's ports.
		"extraEnv": []fields{
			{"name": "POD_IP", "valueFrom": fields{"fieldRef": fields{"fieldPath": "status.podIP"}}},
			{"name": "SOTTO_HTTP_ADDR", "value": "$(POD_IP):9100"},
		},
	}
	k.create("/api/v1/namespaces", fields{"apiVersion": "v1", "kind": "Namespace", "metadata": fields{"name": kubeNamespace,
		"labels": fields{"pod-security.kubernetes.io/enforce": "restricted"}}})
	k.create("/api/v1/namespaces/"+kubeNamespace+"/secrets", fields{"apiVersion": "v1", "kind": "Secret",
		"metadata": fields{"name": "state-key"}, "stringData": fields{"state.key": "1 " + testKey(1)}})
	// Pods are refused until the controller has made this account.
	k.await("the service account", func(ctx context.Context) error {
		return k.c.Get(ctx, "/api/v1/namespaces/"+kubeNamespace+"/serviceaccounts/default", &fields{})
	})
	return k
}

// unpackedImage builds the image and returns its files.
func unpackedImage(ctx context.Context, t *testing.T) kubetest.Image {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, "go", "run", "./hack/image", "-o", filepath.Join(dir, "image"), "-platforms", "linux/"+runtime.GOARCH,
		"-version", "test", "-unpack", filepath.Join(dir, "root"))
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the image: %v\n%s", err, out)
	}
	return kubetest.Image{Root: filepath.Join(dir, "root"), Entrypoint: []string{"/sotto"}}
}

func (k *kubeTest) create(path string, object fields) {
	k.t.Helper()
	if err := k.c.Create(k.ctx, path, object); err != nil {
		k.t.Fatal(err)
	}
}

// await waits until fn gives no error.
func (k *kubeTest) await(what string, fn func(context.Context) error) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, 2*time.Minute)
	defer cancel()
	if err := brokertest.WaitFor(ctx, what, func(ctx context.Context) (bool, error) { err := fn(ctx); return err == nil, err }); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kubeTest) step(what string, do func()) {
	k.t.Helper()
	began := time.Now()
	do()
	line := fmt.Sprintf("%8v  %s", time.Since(began).Round(100*time.Millisecond), what)
	k.steps = append(k.steps, line)
	k.t.Log(line)
}

// underLoad lets the stream get on a little: a step would prove nothing on one
// that stands still.
func (k *kubeTest) underLoad() {
	k.t.Helper()
	for range 3 {
		if err := k.gain.await(k.ctx); err != nil {
			k.t.Fatal(err)
		}
		if err := wait(k.ctx, time.Second); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *kubeTest) drained() {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, 2*time.Minute)
	defer cancel()
	if err := brokertest.AwaitDrained(ctx, k.r.cluster, k.r.group, k.r.topics.Raw); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kubeTest) set(name string, value any) { k.values[name] = value }

func (k *kubeTest) valuesFile() string {
	k.t.Helper()
	data, err := json.MarshalIndent(k.values, "", " ")
	if err != nil {
		k.t.Fatal(err)
	}
	// JSON is YAML.
	name := filepath.Join(k.t.ArtifactDir(), fmt.Sprintf("values-%d.yaml", len(k.steps)))
	if err := os.WriteFile(name, data, 0o600); err != nil {
		k.t.Fatal(err)
	}
	return name
}

func (k *kubeTest) helm(args ...string) string {
	k.t.Helper()
	out, err := k.c.Helm(k.ctx, args...)
	if err != nil {
		k.t.Fatalf("%v\n%s", err, k.pods())
	}
	return out
}

func (k *kubeTest) upgrade() {
	k.t.Helper()
	k.helm("upgrade", kubeRelease, chartDir, "-n", kubeNamespace, "-f", k.valuesFile(), "--wait", "--timeout", "4m")
}

func (k *kubeTest) upgradeFails(timeout string) {
	k.t.Helper()
	if out, err := k.c.Helm(k.ctx, "upgrade", kubeRelease, chartDir, "-n", kubeNamespace, "-f", k.valuesFile(), "--wait", "--timeout", timeout); err == nil {
		k.t.Errorf("helm says that all is well:\n%s", out)
	}
}

type kubePod struct {
	Metadata struct{ Name, UID string }
	Spec     struct{ Containers []struct{ Image string } }
	Status   struct {
		Phase             string
		ContainerStatuses []struct {
			Ready        bool
			RestartCount int
			State        fields
		}
	}
}

const podsPath = "/api/v1/namespaces/" + kubeNamespace + "/pods"

// list are the pods of the stream.
func (k *kubeTest) list(ctx context.Context) ([]kubePod, error) {
	var pods struct{ Items []kubePod }
	err := k.c.Get(ctx, podsPath+"?labelSelector=app.kubernetes.io/component=stream", &pods)
	return pods.Items, err
}

// pods tells of every pod, for messages.
func (k *kubeTest) pods() string {
	list, err := k.list(k.ctx)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "pod %s: %+v\n", p.Metadata.Name, p.Status)
	}
	return b.String()
}

// settled waits until so many pods are ready and the group has given each its
// partitions. No pod may have been started again.
func (k *kubeTest) settled(n int) {
	k.t.Helper()
	k.await(fmt.Sprint(n, " ready pods"), func(ctx context.Context) error {
		pods, err := k.list(ctx)
		if err != nil {
			return err
		}
		ready := 0
		for _, p := range pods {
			for _, s := range p.Status.ContainerStatuses {
				if s.RestartCount > 0 {
					k.t.Fatalf("pod %s was started again: %+v", p.Metadata.Name, s)
				}
				if s.Ready {
					ready++
				}
			}
		}
		if ready != n || len(pods) != n {
			return fmt.Errorf("%d of %d pods are ready", ready, len(pods))
		}
		return nil
	})
	k.grouped(n)
}

// grouped waits until the group has so many members and has given each its share
// of the partitions.
func (k *kubeTest) grouped(n int) {
	k.t.Helper()
	k.await(fmt.Sprint("a group of ", n), func(ctx context.Context) error {
		cl, err := kgo.NewClient(kgo.SeedBrokers(k.r.cluster.Brokers()...))
		if err != nil {
			return err
		}
		defer cl.Close()
		groups, err := kadm.NewClient(cl).DescribeGroups(ctx, k.r.group)
		if err != nil {
			return err
		}
		g := groups[k.r.group]
		if g.State != "Stable" || len(g.Members) != n {
			return fmt.Errorf("the group is %s with %d members", g.State, len(g.Members))
		}
		for _, m := range g.Members {
			assigned, _ := m.Assigned.AsConsumer()
			parts := 0
			if assigned != nil {
				for _, topic := range assigned.Topics {
					parts += len(topic.Partitions)
				}
			}
			if parts != kubePartitions/n {
				return fmt.Errorf("%s has %d partitions", m.MemberID, parts)
			}
		}
		return nil
	})
}

func (k *kubeTest) checkImages(want string) {
	k.t.Helper()
	pods, err := k.list(k.ctx)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, p := range pods {
		if got := p.Spec.Containers[0].Image; got != want {
			k.t.Errorf("pod %s runs %s, want %s", p.Metadata.Name, got, want)
		}
	}
}

// checkTopics looks at what the hook job has made.
func (k *kubeTest) checkTopics() {
	k.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.r.cluster.Brokers()...))
	if err != nil {
		k.t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	topics, err := adm.ListTopics(k.ctx)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, name := range []string{"calls.raw", "calls.clean", "calls.risk-audit", "calls.state", "calls.dead-letter"} {
		if got := len(topics[name].Partitions); got != kubePartitions {
			k.t.Errorf("%s has %d partitions, want %d", name, got, kubePartitions)
		}
	}
	configs, err := adm.DescribeTopicConfigs(k.ctx, "calls.state")
	if err != nil {
		k.t.Fatal(err)
	}
	compacted := slices.ContainsFunc(configs[0].Configs, func(c kadm.Config) bool {
		return c.Key == "cleanup.policy" && c.MaybeValue() == "compact"
	})
	if !compacted {
		k.t.Error("the state topic is not compacted")
	}
}

// evict evicts a pod as a drain does. Until that one is back, the disruption
// budget must refuse the next.
func (k *kubeTest) evict() {
	k.t.Helper()
	pods, err := k.list(k.ctx)
	if err != nil || len(pods) < 2 {
		k.t.Fatalf("%d pods (%v)", len(pods), err)
	}
	evict := func(ctx context.Context, p kubePod) error {
		return k.c.Create(ctx, podsPath+"/"+p.Metadata.Name+"/eviction", fields{"apiVersion": "policy/v1", "kind": "Eviction",
			"metadata": fields{"name": p.Metadata.Name, "namespace": kubeNamespace}})
	}
	// The budget's controller may need a moment to have counted the pods.
	k.await("the eviction of "+pods[0].Metadata.Name, func(ctx context.Context) error { return evict(ctx, pods[0]) })
	if err := evict(k.ctx, pods[1]); err == nil || !strings.Contains(err.Error(), "disruption budget") {
		k.t.Errorf("the second eviction gave %v", err)
	}
	k.await("another pod in the place of "+pods[0].Metadata.Name, func(ctx context.Context) error {
		now, err := k.list(ctx)
		if err == nil && slices.ContainsFunc(now, func(p kubePod) bool { return p.Metadata.UID == pods[0].Metadata.UID }) {
			err = fmt.Errorf("it is still there")
		}
		return err
	})
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
