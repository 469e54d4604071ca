package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"sotto/cmd/internal/cli"
	"sotto/internal/testkit/loopback"
)

// The command serves until it is stopped, and then exits with status 0.
func TestServe(t *testing.T) {
	addr := loopback.FreeAddress(t)
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Args[0] = "sotto"
	cmd.Env = append(os.Environ(), envMain+"=1", "SOTTO_SERVE_ADDR="+addr, "SOTTO_SERVE_HEALTH_ADDR=off")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var text string
	for deadline := time.Now().Add(2 * time.Minute); text == "" && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		resp, err := http.Post("http://"+addr+"/v1/anonymize", "application/json", strings.NewReader(`{"text":"This is Ines Quimby."}`))
		if err == nil {
			b, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			text = string(b)
		}
	}
	if !strings.Contains(text, `"This is [PERSON_NAME_1]."`) {
		t.Errorf("got %q", text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestServeRefusesAnOpenAddress(t *testing.T) {
	o := sotto(t, map[string]string{"SOTTO_SERVE_ADDR": ":0"}, "", "serve")
	if o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_SERVE_TOKEN_FILE") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
	o = sotto(t, map[string]string{"SOTTO_SERVE_TOKEN_FILE": "/nonexistent"}, "", "serve")
	if o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_SERVE_TOKEN_FILE") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
}
