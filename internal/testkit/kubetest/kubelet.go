package kubetest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// nodeIP is the address of every node.
const nodeIP = "127.0.0.1"

const (
	// syncInterval is how often the kubelet lists the pods.
	syncInterval = 250 * time.Millisecond
	// leaseInterval is how often a node renews its lease; the controller gives up a node after 40
	// s.
	leaseInterval = 10 * time.Second
)

// kubelet runs the pods of all nodes.
type kubelet struct {
	client *client
	dir    string
	images map[string]Image
	nodes  []string
	logs   *httptest.Server

	cancel context.CancelFunc
	done   sync.WaitGroup

	mu     sync.Mutex
	pods   map[string]*runner // by UID
	made   int                // from which the addresses are computed
	errors []error
}

// startKubelet registers the nodes and runs the pods that are scheduled to them until stop.
func startKubelet(ctx context.Context, client *client, dir string, nodes int, images map[string]Image) (*kubelet, error) {
	k := &kubelet{client: client, dir: dir, images: images, pods: map[string]*runner{}}
	k.logs = httptest.NewTLSServer(http.HandlerFunc(k.serveLogs))
	for n := range nodes {
		name := fmt.Sprint("node-", n+1)
		k.nodes = append(k.nodes, name)
		if err := k.register(ctx, name); err != nil {
			k.logs.Close()
			return nil, err
		}
	}
	background, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.done.Go(func() { k.every(background, leaseInterval, k.renew) })
	k.done.Go(func() { k.every(background, syncInterval, k.sync) })
	return k, nil
}

// every calls fn until ctx is done. An error of fn is reported at the end, unless fn succeeds
// later.
func (k *kubelet) every(ctx context.Context, d time.Duration, fn func(context.Context) error) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	var last error
	for {
		select {
		case <-ctx.Done():
			k.fail(last)
			return
		case <-tick.C:
		}
		if err := fn(ctx); ctx.Err() == nil {
			last = err
		}
	}
}

func (k *kubelet) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.errors = append(k.errors, err)
	}
}

func (k *kubelet) register(ctx context.Context, name string) error {
	capacity := fields{"cpu": "64", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"}
	err := k.client.Create(ctx, "/api/v1/nodes", fields{"apiVersion": "v1", "kind": "Node", "metadata": fields{"name": name,
		"labels": fields{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "zone-" + name}}})
	if err != nil {
		return err
	}
	_, logPort, _ := strings.Cut(strings.TrimPrefix(k.logs.URL, "https://"), ":")
	var port int
	if _, err := fmt.Sscan(logPort, &port); err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind, status string) fields {
		return fields{"type": kind, "status": status, "reason": "Test", "lastHeartbeatTime": now, "lastTransitionTime": now}
	}
	if err := k.client.Patch(ctx, "/api/v1/nodes/"+name+"/status", fields{"status": fields{
		"capacity": capacity, "allocatable": capacity,
		"addresses":       []fields{{"type": "InternalIP", "address": nodeIP}, {"type": "Hostname", "address": name}},
		"daemonEndpoints": fields{"kubeletEndpoint": fields{"Port": port}},
		"conditions": []fields{condition("Ready", "True"), condition("MemoryPressure", "False"),
			condition("DiskPressure", "False"), condition("PIDPressure", "False")},
	}}); err != nil {
		return err
	}
	return k.client.Create(ctx, leases, fields{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": fields{"name": name}, "spec": fields{"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": microTime()}})
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"

func microTime() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

func (k *kubelet) renew(ctx context.Context) error {
	for _, name := range k.nodes {
		if err := k.client.Patch(ctx, leases+"/"+name, fields{"spec": fields{"renewTime": microTime()}}); err != nil {
			return err
		}
	}
	return nil
}

// sync starts the pods that were scheduled, and stops those that must end or are gone.
func (k *kubelet) sync(ctx context.Context) error {
	var list struct{ Items []pod }
	if err := k.client.Get(ctx, "/api/v1/pods?fieldSelector=spec.nodeName!=", &list); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	there := map[string]bool{}
	for i := range list.Items {
		p := &list.Items[i]
		there[p.Metadata.UID] = true
		r := k.pods[p.Metadata.UID]
		if r == nil {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
				continue
			}
			r = newRunner(k, p, k.address())
			k.pods[p.Metadata.UID] = r
			k.done.Go(r.run)
		}
		if p.Metadata.DeletionTimestamp != nil {
			grace := int64(30)
			if p.Metadata.DeletionGrace != nil {
				grace = *p.Metadata.DeletionGrace
			}
			r.end(time.Duration(grace) * time.Second)
		}
	}
	for uid, r := range k.pods {
		if !there[uid] {
			r.end(0)
			delete(k.pods, uid)
		}
	}
	return nil
}

// address returns an address that no other pod has had. Pods do not have their own network as in
// Kubernetes, so each listens on a loopback address.
func (k *kubelet) address() string {
	k.made++
	return fmt.Sprintf("127.77.%d.%d", k.made/250, k.made%250+1)
}

// serveLogs is the part of a kubelet's API that `helm test --logs` needs.
func (k *kubelet) serveLogs(w http.ResponseWriter, req *http.Request) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if len(parts) != 4 || parts[0] != "containerLogs" {
		http.NotFound(w, req)
		return
	}
	for _, suffix := range []string{".out", ".err"} {
		data, err := os.ReadFile(filepath.Join(k.dir, parts[1]+"_"+parts[2]+suffix))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		// The client may be gone.
		_, _ = w.Write(data)
	}
}

// stop kills all pods and reports failures.
func (k *kubelet) stop() error {
	k.cancel()
	k.mu.Lock()
	for _, r := range k.pods {
		r.end(0)
	}
	k.mu.Unlock()
	k.done.Wait()
	k.logs.Close()
	return errors.Join(k.errors...)
}
