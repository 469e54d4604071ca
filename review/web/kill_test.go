package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/loopback"
	"sotto/internal/testkit/postgrestest"
	"sotto/review"
	"sotto/review/store"
)

// envServe makes the test binary a server: "ADDRESS STORE".
const envServe = "SOTTO_TEST_REVIEW_SERVER"

func TestMain(m *testing.M) {
	var address, path string
	if n, _ := fmt.Sscan(os.Getenv(envServe), &address, &path); n == 2 {
		if err := serve(address, path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	brokertest.Main(m, postgrestest.Stop)
}

// openStore opens a file, or the PostgreSQL at an address.
func openStore(ctx context.Context, path string, o store.Options) (*store.Store, error) {
	if !strings.HasPrefix(path, "postgres:") {
		return store.Open(ctx, path, o)
	}
	c, err := pgx.ParseConfig(path)
	if err != nil {
		return nil, err
	}
	return store.OpenPostgres(ctx, c, func() (string, error) { return "", nil }, o)
}

func serve(address, path string) error {
	s, err := openStore(context.Background(), path, store.Options{})
	if err != nil {
		return err
	}
	e, err := engine()
	if err != nil {
		return err
	}
	server := New(Options{Store: s, Engine: e, Access: Access{Token: token}, Log: slog.New(slog.DiscardHandler)})
	return http.ListenAndServe(address, server.Handler()) //nolint:gosec // a test on loopback
}

// launch starts a server as a process of its own.
func launch(t *testing.T, address, path string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this binary
	c.Env = append(os.Environ(), envServe+"="+address+" "+path)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // the end of the test's context kills it
	for end := time.Now().Add(browserPatience); ; time.Sleep(50 * time.Millisecond) {
		if r, err := http.Get("http://" + address + "/readyz"); err == nil {
			r.Body.Close()
			return c
		}
		if time.Now().After(end) {
			t.Fatal("the server does not start")
		}
	}
}

func kill(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = c.Wait()
}

// TestBrowserServerIsKilled kills the server while somebody marks. What the page calls saved is
// there afterwards, and what it could not save comes as soon as the server is back.
func TestBrowserServerIsKilled(t *testing.T) {
	browser := chromium(t)
	path := filepath.Join(t.TempDir(), "review.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), []review.Call{sample("c1")}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	address := loopback.FreeAddress(t)
	launch := func() *exec.Cmd { return launch(t, address, path) }
	first := launch()
	ctx := tab(t, browser, "http://"+address, "ann")
	newCall(t, ctx, "http://"+address)
	run(t, ctx, to("Halpert"), keys("1"), saved)
	kill(t, first)
	run(t, ctx, to("Scranton"), keys("3"), chromedp.WaitVisible(chromedp.CSS("#problem")))
	second := launch()
	run(t, ctx, saved, to("order"), keys("7"), saved)
	kill(t, second)
	s, err = store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || len(r.Spans) != 3 {
		t.Errorf("%+v %v", r.Spans, err)
	}
}
