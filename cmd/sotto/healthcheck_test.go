package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
	"sotto/state/sealing"
)

func TestHealthcheck(t *testing.T) {
	why := ""
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"status": "ok"}`)) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"status": "unavailable", "why": "` + why + `"}`))
		}
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	port := addr[strings.LastIndex(addr, ":"):]
	check := func(code int, want, addr string, args ...string) {
		t.Helper()
		o := sotto(t, map[string]string{"SOTTO_HTTP_ADDR": addr, "SOTTO_SERVE_HEALTH_ADDR": addr}, "", append([]string{"healthcheck"}, args...)...)
		if o.code != code || !strings.Contains(o.out+o.errors, want) {
			t.Errorf("%s %v: status %d, want %d and %q\n%s%s", addr, args, o.code, code, want, o.out, o.errors)
		}
	}
	check(cli.Done, "ok", addr)
	check(cli.Done, "ok", port) // of a process that listens on every address
	check(cli.Done, "ok", "0.0.0.0"+port, "--ready")
	check(cli.Done, "ok", addr, "--serve")
	why = "session 0: not yet in the group"
	check(cli.Check, why, addr, "--ready")
	check(cli.Done, "ok", addr)
	check(cli.Usage, "SOTTO_HTTP_ADDR is off", "off")
	srv.Close()
	check(cli.Check, "does not answer", addr)
}

// The IDs are those that the stream writes.
func TestCallID(t *testing.T) {
	file := keyFile(t)
	keys, err := sealing.LoadKeyring(file)
	if err != nil {
		t.Fatal(err)
	}
	o := sotto(t, map[string]string{"SOTTO_STATE_KEY_FILE": file}, "c-42\r\n\nc-43\n", "call-id")
	want := keys.HashCallIDs("c-42")[0] + "\n" + keys.HashCallIDs("c-43")[0] + "\n"
	if o.code != cli.Done || o.out != want {
		t.Errorf("status %d: %q, want %q %s", o.code, o.out, want, o.errors)
	}
	if o := sotto(t, nil, "c-42\n", "call-id"); o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_STATE_KEY_FILE") {
		t.Errorf("without a key: status %d %s", o.code, o.errors)
	}
	if o := sotto(t, map[string]string{"SOTTO_STATE_KEY_FILE": file}, "", "call-id", "c-42"); o.code != cli.Usage || strings.Contains(o.errors, "c-42") {
		t.Errorf("an ID as an argument: status %d %s", o.code, o.errors)
	}
}
