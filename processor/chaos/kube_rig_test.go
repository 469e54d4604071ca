package chaos

import (
	"context"
	"encoding/json"
	"fmt"
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

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/kubetest"
	"sotto/internal/testkit/streamtest"
)

const chartDir = "../../helm/sotto"

// kubeTenants are those of callgen; the stream writes other tenants as "other".
const kubeTenants = "north,south,east,west"

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
	k.r = &rig{streamtest.RigWith(t, kafka, brokertest.Topics{Raw: "calls.raw", Clean: "calls.clean", Audit: "calls.risk-audit",
		State: "calls.state", DeadLetter: "calls.dead-letter"}, "sotto")}
	k.gain.r = k.r
	values := fields{"kafkaBrokers": kafka.Addr(), "codec": "json", "rawOffsets": true, "auditRate": "0.2",
		"commitInterval": "100ms", "callIdleTimeout": "5m", "callGrace": "2m", "maxEntities": 1000, "tenants": kubeTenants}
	var err error
	k.r.Set, err = config.Load(map[string]string{"SOTTO_CODEC": "json", "SOTTO_RAW_OFFSETS": "true", "SOTTO_AUDIT_RATE": "0.2",
		"SOTTO_CALL_IDLE_TIMEOUT": "5m", "SOTTO_CALL_GRACE": "2m", "SOTTO_TENANTS": kubeTenants, "SOTTO_STATE_KEY_FILE": k.r.KeyFile()})
	if err != nil {
		t.Fatal(err)
	}
	soon := fields{"periodSeconds": 1, "timeoutSeconds": 2}
	k.values = fields{
		"image":  fields{"repository": "sotto.test/sotto", "tag": "one"},
		"config": values, "stateKey": fields{"existingSecret": "state-key"},
		"topics":       fields{"manage": "job", "partitions": kubePartitions, "replicationFactor": 1, "minInsyncReplicas": 1},
		"startupProbe": soon, "readinessProbe": soon,
		"resources": fields{"requests": fields{"cpu": "100m", "memory": "128Mi"}, "limits": fields{"cpu": "2", "memory": "1Gi"}},
		// Every pod of the test kubelet has a loopback address and the host's ports.
		"extraEnv": []fields{
			{"name": "POD_IP", "valueFrom": fields{"fieldRef": fields{"fieldPath": "status.podIP"}}},
			{"name": "SOTTO_HTTP_ADDR", "value": "$(POD_IP):9100"},
		},
	}
	k.createNamespace(kubeNamespace)
	k.create("/api/v1/namespaces/"+kubeNamespace+"/secrets", fields{"apiVersion": "v1", "kind": "Secret",
		"metadata": fields{"name": "state-key"}, "stringData": fields{"state.key": "1 " + streamtest.Key(1)}})
	return k
}

// createNamespace creates a namespace that accepts restricted pods only.
func (k *kubeTest) createNamespace(name string) {
	k.t.Helper()
	k.create("/api/v1/namespaces", fields{"apiVersion": "v1", "kind": "Namespace", "metadata": fields{"name": name,
		"labels": fields{"pod-security.kubernetes.io/enforce": "restricted"}}})
	// Pods are refused until the controller has created this account.
	k.await("the service account", func(ctx context.Context) error {
		return k.c.Get(ctx, "/api/v1/namespaces/"+name+"/serviceaccounts/default", &fields{})
	})
}

// unpackedImage builds the image and returns its files.
func unpackedImage(ctx context.Context, t *testing.T) kubetest.Image {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, "go", "run", "./hack/image", "-o", filepath.Join(dir, "image"), "-platforms", "linux/"+runtime.GOARCH,
		"-version", "test", "-unpack", filepath.Join(dir, "root"))
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the image: %v\n%s", err, out)
	}
	return kubetest.Image{Root: filepath.Join(dir, "root"), Entrypoint: []string{"/sotto"}}
}

func (k *kubeTest) create(path string, object any) {
	k.t.Helper()
	if err := k.c.Create(k.ctx, path, object); err != nil {
		k.t.Fatal(err)
	}
}

// await waits until fn returns no error.
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

// underLoad waits until the stream has made some progress: a step would prove nothing on a stream
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
	if err := awaitDrained(ctx, k.r.Cluster, k.r.Group, k.r.Topics.Raw); err != nil {
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
		k.t.Errorf("helm reports success:\n%s", out)
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

// list returns the pods of the stream.
func (k *kubeTest) list(ctx context.Context) ([]kubePod, error) {
	var pods struct{ Items []kubePod }
	err := k.c.Get(ctx, podsPath+"?labelSelector=app.kubernetes.io/component=stream", &pods)
	return pods.Items, err
}

// pods describes every pod, for messages.
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

// settled waits until n pods are ready and the group has assigned partitions to each. No pod may
// have restarted.
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
					k.t.Fatalf("pod %s has restarted: %+v", p.Metadata.Name, s)
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

// grouped waits until the group has n members and has assigned its share of the partitions to each.
func (k *kubeTest) grouped(n int) {
	k.t.Helper()
	k.await(fmt.Sprint("a group of ", n), func(ctx context.Context) error {
		cl, err := kgo.NewClient(kgo.SeedBrokers(k.r.Cluster.Brokers()...))
		if err != nil {
			return err
		}
		defer cl.Close()
		groups, err := kadm.NewClient(cl).DescribeGroups(ctx, k.r.Group)
		if err != nil {
			return err
		}
		g := groups[k.r.Group]
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

// uids identifies the current pods.
func (k *kubeTest) uids() string {
	k.t.Helper()
	pods, err := k.list(k.ctx)
	if err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, p := range pods {
		all = append(all, p.Metadata.Name+"/"+p.Metadata.UID)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// awaitLog waits until the logs of n pods contain a text.
func (k *kubeTest) awaitLog(n int, text string) {
	k.t.Helper()
	k.await(fmt.Sprintf("%q in the logs of %d pods", text, n), func(context.Context) error {
		logs, err := filepath.Glob(filepath.Join(k.t.ArtifactDir(), kubeNamespace+"_"+kubeRelease+"-[0-9].err"))
		found := 0
		for _, file := range logs {
			data, rerr := os.ReadFile(file)
			if rerr == nil && strings.Contains(string(data), text) {
				found++
			}
		}
		if err == nil && found < n {
			err = fmt.Errorf("%d have it", found)
		}
		return err
	})
}

// addKey is the first step of a rotation: a second key that only opens, in addition to the key that
// seals.
func (k *kubeTest) addKey() {
	k.t.Helper()
	if err := k.c.Patch(k.ctx, "/api/v1/namespaces/"+kubeNamespace+"/secrets/state-key",
		fields{"stringData": fields{"state.key": "1 " + streamtest.Key(1) + "\n2 " + streamtest.Key(2)}}); err != nil {
		k.t.Fatal(err)
	}
	k.awaitLog(3, "state keys reloaded")
}

// installAll installs the chart with everything enabled. Its pods lack their image; the test checks
// whether the API server accepts the objects.
func (k *kubeTest) installAll() {
	k.t.Helper()
	files, err := filepath.Glob("../../.cache/tools/schemas/crds/*.json")
	if err != nil || len(files) == 0 {
		k.t.Fatalf("there are no custom resources (%v): run hack/k8s/tools", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			k.t.Fatal(err)
		}
		k.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json.RawMessage(data))
	}
	k.createNamespace("everything")
	install := func(ctx context.Context) error {
		_, err := k.c.Helm(ctx, "upgrade", "--install", "all", chartDir, "-n", "everything", "-f", chartDir+"/ci/full-values.yaml", "--no-hooks")
		return err
	}
	// The API server serves new kinds after a moment.
	k.await("the installation of everything", install)
	for path, want := range map[string]string{
		"/apis/keda.sh/v1alpha1/namespaces/everything/scaledobjects/all-sotto":           "ScaledObject",
		"/apis/monitoring.coreos.com/v1/namespaces/everything/prometheusrules/all-sotto": "PrometheusRule",
		"/apis/monitoring.coreos.com/v1/namespaces/everything/podmonitors/all-sotto":     "PodMonitor",
		"/apis/networking.k8s.io/v1/namespaces/everything/networkpolicies/all-sotto":     "NetworkPolicy",
		"/apis/policy/v1/namespaces/everything/poddisruptionbudgets/all-sotto":           "PodDisruptionBudget",
	} {
		var got struct{ Kind string }
		if err := k.c.Get(k.ctx, path, &got); err != nil || got.Kind != want {
			k.t.Errorf("%s is a %q (%v)", path, got.Kind, err)
		}
	}
	// Admission accepts the pods, too.
	k.await("a pod of it", func(ctx context.Context) error {
		return k.c.Get(ctx, "/api/v1/namespaces/everything/pods/all-sotto-0", &fields{})
	})
	k.helm("uninstall", "all", "-n", "everything", "--wait", "--timeout", "2m")
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

// checkTopics checks the topics that the hook job has created.
func (k *kubeTest) checkTopics() {
	k.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.r.Cluster.Brokers()...))
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

// evict evicts a pod as a drain does. Until the pod is back, the disruption budget must refuse the
// next eviction.
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
	// The controller of the budget may need a moment to count the pods.
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
