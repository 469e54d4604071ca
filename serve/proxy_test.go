package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/internal/testkit/loopback"
)

// The examples of helm/deploy/proxy, with other addresses, before two replicas: every call stays with one of them,
// both have calls, and neither the proxy's output nor an error shows the ID of a call.
func TestProxyExamples(t *testing.T) {
	envoy := os.Getenv("SOTTO_TEST_ENVOY")
	if envoy == "" {
		t.Skip("SOTTO_TEST_ENVOY names Envoy; 'make test-proxy' sets it")
	}
	for name, command := range map[string][]string{
		"nginx.conf": {"nginx", "-g", "daemon off;", "-c"},
		"envoy.yaml": {envoy, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning", "-c"},
	} {
		t.Run(name, func(t *testing.T) {
			example, err := os.ReadFile("../helm/deploy/proxy/" + name)
			if err != nil {
				t.Fatal(err)
			}
			certFile, keyFile, cert := certificate(t, "proxy", nil)
			first, second, addr := replica(t), replica(t), loopback.FreeAddress(t)
			port := func(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
			text := string(example)
			for from, to := range map[string]string{
				"/etc/sotto/tls.crt": certFile, "/etc/sotto/tls.key": keyFile, "8443": port(addr), "8080": port(first), "8090": port(second),
				"/tmp/sotto-nginx.pid": t.TempDir() + "/nginx.pid",
			} {
				if name == "nginx.conf" && strings.Count(text, from) != 1 {
					t.Fatalf("%s does not have %s once", name, from)
				}
				text = strings.ReplaceAll(text, from, to)
			}
			output := runProxy(t, append(command, writeFile(t, name, text)))
			pool := x509.NewCertPool()
			pool.AddCert(cert.Leaf)
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableCompression: true}}
			defer client.CloseIdleConnections()
			callThroughProxy(t, client, "https://"+addr, []string{first, second})
			if strings.Contains(output.String(), "quillfeather") {
				t.Errorf("the output of the proxy shows the ID of a call: %s", output.String())
			}
		})
	}
}

// proxyToken is what the clients of the replicas send.
const proxyToken = "token-of-the-proxy-test"

// replica runs a service until the test ends, and returns its address.
func replica(t *testing.T) string {
	t.Helper()
	server, err := New(settings(t, "SERVE_ADDR=127.0.0.1:0", "SERVE_TOKEN_FILE="+writeFile(t, "tokens", proxyToken)), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listening, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- server.Run(ctx, func(a net.Addr) { listening <- a.String() }) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return <-listening
}

// runProxy starts a proxy, which is stopped when the test ends, and returns what it writes.
func runProxy(t *testing.T, command []string) *lockedBuffer {
	t.Helper()
	output := &lockedBuffer{}
	proxy := exec.Command(command[0], command[1:]...)
	proxy.Stdout, proxy.Stderr = output, output
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = proxy.Process.Signal(syscall.SIGTERM)
		_ = proxy.Wait()
		if t.Failed() {
			t.Log(output.String())
		}
	})
	return output
}

func callThroughProxy(t *testing.T, client *http.Client, url string, replicas []string) {
	t.Helper()
	post := func(base, path, body string) (int, string) {
		req, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+proxyToken)
		resp, err := client.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		data, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(data)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		status, text := post(url, "/v1/anonymize", `{"text":"This is Ines Quimby."}`)
		if status == http.StatusOK && strings.Contains(text, "[PERSON_NAME_1]") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the proxy does not answer: %d %s", status, text)
		}
	}
	const calls = 12
	for turn := range 3 {
		for i := range calls {
			path := fmt.Sprintf("/v1/calls/quillfeather%%2F%d/utterances", i)
			want := fmt.Sprintf(`"new":%t`, turn == 0)
			if status, text := post(url, path, `{"utterances":[{"text":"This is Ines Quimby."}]}`); status != http.StatusOK || !strings.Contains(text, want) {
				t.Fatalf("turn %d of call %d: %d %s", turn, i, status, text)
			}
		}
	}
	for _, address := range replicas {
		known := 0
		for i := range calls {
			if status, _ := post("http://"+address, fmt.Sprintf("/v1/calls/quillfeather%%2F%d/end", i), ""); status == http.StatusOK {
				known++
			}
		}
		if known == 0 || known == calls {
			t.Errorf("a replica has %d of %d calls", known, calls)
		}
	}
	large := `{"text":"` + string(bytes.Repeat([]byte("a "), 4<<20)) + `"}`
	if status, _ := post(url, "/v1/anonymize", large); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over 8 MiB: status %d", status)
	}
}
