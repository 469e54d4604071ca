// Package kubetest runs a Kubernetes cluster for tests: the real control plane, and a small kubelet
// that runs pods as processes.
package kubetest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/brokertest/proc"
)

// fields are an object of the API.
type fields = map[string]any

// startTimeout bounds the start of the control plane on a busy machine.
const startTimeout = 2 * time.Minute

// Cluster is a Kubernetes cluster: the real API server, scheduler and controller manager with etcd,
// and a small kubelet of our own. The kubelet runs the program of each scheduled pod as a process on
// this machine, from the files of its image, with its environment, volumes, probes and SIGTERM. There
// is no container runtime and no pod network: the address of a pod is a loopback address.
//
// The programs come from hack/k8s/tools. It runs on Linux only and needs the right to create
// namespaces. It is safe for concurrent use.
type Cluster struct {
	*client
	dir     string
	bin     string
	kubelet *kubelet
	helms   atomic.Int64 // number of runs of helm

	mu    sync.Mutex
	procs []*proc.Process
}

// Image is what the kubelet runs for the name of an image.
type Image struct {
	// Root is the folder with the files of the image. It is not modified.
	Root string
	// Entrypoint is the command of the image, with the path in the image.
	Entrypoint []string
}

// Start starts a control plane and nodes, and stops everything, pods included, at the end of the
// test. The logs are kept where the test keeps its artifacts.
func Start(t testing.TB, nodes int, images map[string]Image) *Cluster {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{dir: t.ArtifactDir(), bin: filepath.Join(root, ".cache/tools/bin")}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "helm"} {
		if _, err := os.Stat(filepath.Join(c.bin, name)); err != nil {
			t.Fatalf("%v: build it with hack/k8s/tools", err)
		}
	}
	t.Cleanup(func() {
		if err := c.stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			for _, p := range c.procs {
				t.Logf("end of the log of %s:\n%s", p.Name, p.Tail(15))
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	if err := c.start(ctx, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if c.kubelet, err = startKubelet(ctx, c.client, c.dir, nodes, images); err != nil {
		t.Fatal(err)
	}
	return c
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out))), nil
}

func (c *Cluster) start(ctx context.Context, data string) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://"+loopbackAddr(ports[0]), "http://"+loopbackAddr(ports[1])
	if err := c.run("etcd", "--data-dir="+filepath.Join(data, "etcd"), "--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer,
		// It is discarded with the test.
		"--unsafe-no-fsync", "--log-level=warn"); err != nil {
		return err
	}
	key, token, err := credentials(data)
	if err != nil {
		return err
	}
	certs := filepath.Join(data, "certs")
	if err := c.run("kube-apiserver", "--etcd-servers="+client, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		fmt.Sprint("--secure-port=", ports[2]), "--cert-dir="+certs, "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--token-auth-file="+filepath.Join(data, "tokens.csv"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/24",
		"--kubelet-preferred-address-types=InternalIP"); err != nil {
		return err
	}
	base := "https://" + loopbackAddr(ports[2])
	if err := brokertest.WaitFor(ctx, "the API server", func(ctx context.Context) (bool, error) {
		if err := c.alive(); err != nil {
			return false, err
		}
		// It creates and signs its own certificate.
		ca, err := os.ReadFile(filepath.Join(certs, "apiserver.crt"))
		if err != nil {
			return false, err
		}
		c.client = newClient(base, token, ca)
		return true, c.Get(ctx, "/readyz", nil)
	}); err != nil {
		return err
	}
	if err := c.writeKubeconfig(base, token, filepath.Join(certs, "apiserver.crt")); err != nil {
		return err
	}
	if err := c.run("kube-scheduler", "--kubeconfig="+c.kubeconfig(), "--leader-elect=false", "--secure-port=0"); err != nil {
		return err
	}
	return c.run("kube-controller-manager", "--kubeconfig="+c.kubeconfig(), "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+key, "--root-ca-file="+filepath.Join(certs, "apiserver.crt"))
}

// credentials creates the key of service accounts and the administrator's token.
func credentials(dir string) (keyFile, token string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", "", err
	}
	keyFile = filepath.Join(dir, "accounts.key")
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return "", "", err
	}
	var random [16]byte
	// Read never fails.
	_, _ = rand.Read(random[:])
	token = hex.EncodeToString(random[:])
	return keyFile, token, os.WriteFile(filepath.Join(dir, "tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600)
}

func (c *Cluster) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

func (c *Cluster) writeKubeconfig(server, token, ca string) error {
	type named map[string]any
	data, err := json.Marshal(named{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []named{{"name": "test", "cluster": named{"server": server, "certificate-authority": ca}}},
		"users":    []named{{"name": "admin", "user": named{"token": token}}},
		"contexts": []named{{"name": "test", "context": named{"cluster": "test", "user": "admin"}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(c.kubeconfig(), data, 0o600)
}

func (c *Cluster) run(name string, args ...string) error {
	p, err := proc.Start(proc.Command{Name: name, Path: filepath.Join(c.bin, name), Args: args, Dir: c.dir, LogDir: c.dir})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.procs = append(c.procs, p)
	return nil
}

// alive returns an error if a part of the control plane has ended.
func (c *Cluster) alive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.procs {
		if !p.Running() {
			return fmt.Errorf("%s has ended:\n%s", p.Name, p.Tail(10))
		}
	}
	return nil
}

func (c *Cluster) stop() error {
	var errs []error
	if c.kubelet != nil {
		errs = append(errs, c.kubelet.stop())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.procs {
		errs = append(errs, p.Kill())
	}
	return errors.Join(errs...)
}

// Helm runs helm against the cluster and returns what it printed.
func (c *Cluster) Helm(ctx context.Context, args ...string) (string, error) {
	p, err := proc.Start(proc.Command{Name: fmt.Sprint("helm-", c.helms.Add(1)), Path: filepath.Join(c.bin, "helm"), Args: args,
		Env: []string{"KUBECONFIG=" + c.kubeconfig(), "HELM_CACHE_HOME=" + filepath.Join(c.dir, "helm")}, LogDir: c.dir})
	if err != nil {
		return "", err
	}
	status, err := p.Wait(ctx)
	if err != nil {
		return "", errors.Join(err, p.Kill())
	}
	var out []byte
	for _, file := range []string{p.Stdout, p.Stderr} {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		out = append(out, data...)
	}
	if status != 0 {
		return "", fmt.Errorf("helm %q ended with status %d:\n%s", args, status, out)
	}
	return string(out), nil
}

func loopbackAddr(port int) string { return fmt.Sprint("127.0.0.1:", port) }

func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Closed at the end, so that no port is returned twice.
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
