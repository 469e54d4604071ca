package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sotto/internal/testkit/postgrestest"
	"sotto/review"
)

const patience = 20 * time.Second

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// TestReplicasGiveACallToOnePerson has eight people read at once, half of them on each replica.
func TestReplicasGiveACallToOnePerson(t *testing.T) {
	for _, kind := range review.Kinds() {
		t.Run(string(kind), func(t *testing.T) { replicasShareTheQueue(t, kind) })
	}
}

func replicasShareTheQueue(t *testing.T, kind review.Kind) {
	const calls, people = 60, 8
	open := onPostgres(t)
	replicas := []*Store{open(Options{RedTeam: 1}), open(Options{RedTeam: 1})}
	for i := range calls {
		id := fmt.Sprint("c", i)
		add(t, replicas[0], sample(id))
		if kind == review.Adjudication {
			r := review.Reading{CallID: id, Kind: review.Annotation, Annotator: "first", Done: true, Spans: []review.Span{span(2, 6, 13, "PERSON_NAME")}}
			r.Spans[0].Unsure = true
			if _, err := replicas[0].Save(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	var mu sync.Mutex
	given := map[string][]string{}
	var wg sync.WaitGroup
	for i := range people {
		s, who := replicas[i%2], fmt.Sprint("person", i)
		wg.Go(func() {
			for {
				id, err := s.Next(t.Context(), Filter{}, kind, who)
				if err != nil {
					t.Error(err)
				}
				if err != nil || id == "" {
					return
				}
				mu.Lock()
				given[id] = append(given[id], who)
				mu.Unlock()
				if _, err := s.Save(t.Context(), review.Reading{CallID: id, Kind: kind, Annotator: who, Verdict: "nothing", Done: true}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if len(given) != calls {
		t.Errorf("%d of %d calls were read", len(given), calls)
	}
	for id, who := range given {
		if len(who) > 1 {
			t.Errorf("%s was given to %v", id, who)
		}
	}
}

func TestReplicasStartAtOnce(t *testing.T) {
	c, err := pgx.ParseConfig(postgrestest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := OpenPostgres(t.Context(), c, noPassword, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Record(t.Context(), "ann", "started", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := OpenPostgres(t.Context(), c, noPassword, Options{})
	s = opened(t, s, err)
	if trail, err := s.Trail(t.Context(), "", 100); err != nil || len(trail) != 8 {
		t.Errorf("%d entries, %v", len(trail), err)
	}
	if err := execute(t, s, "UPDATE version SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPostgres(t.Context(), c, noPassword, Options{}); err == nil || !strings.Contains(err.Error(), "use the program that wrote it") {
		t.Errorf("a store of a later version: %v", err)
	}
}

func noPassword() (string, error) { return "", nil }

// TestTheTurnOfAHangingReplicaEnds has a replica stop in the middle of a change.
func TestTheTurnOfAHangingReplicaEnds(t *testing.T) {
	c, err := pgx.ParseConfig(postgrestest.DSN(t) + "&idle_in_transaction_session_timeout=300")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenPostgres(t.Context(), c, noPassword, Options{})
	s = opened(t, s, err)
	other, err := OpenPostgres(t.Context(), c, noPassword, Options{})
	other = opened(t, other, err)
	holding, resume, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- s.change(t.Context(), func(*runner) {
			close(holding)
			<-resume
		})
	}()
	<-holding
	add(t, other, sample("c1"))
	close(resume)
	if err := <-ended; err == nil {
		t.Error("a change whose turn has ended was committed")
	}
}

// TestExclusive runs one of two at a time, and the other once the database has ended the connection
// of the first.
func TestExclusive(t *testing.T) {
	open := onPostgres(t)
	first, second := open(Options{}), open(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	running, starts, most := map[int]bool{}, map[int]int{}, 0
	work := func(i int) func(context.Context) error {
		return func(ctx context.Context) error {
			mu.Lock()
			running[i] = true
			starts[i]++
			most = max(most, len(running))
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			delete(running, i)
			mu.Unlock()
			return nil
		}
	}
	runs := func(i int) bool { mu.Lock(); defer mu.Unlock(); return running[i] }
	var wg sync.WaitGroup
	run := func(i int, s *Store) {
		wg.Go(func() {
			if err := s.Exclusive(ctx, work(i)); err != nil {
				t.Error(err)
			}
		})
	}
	run(1, first)
	await(t, "the first runs", func() bool { return runs(1) })
	run(2, second)
	time.Sleep(electionTime + 200*time.Millisecond)
	if runs(2) {
		t.Error("both run")
	}
	if err := execute(t, second, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	await(t, "one of them runs again", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return starts[1]+starts[2] == 2 && len(running) == 1
	})
	cancel()
	wg.Wait()
	// The function's error is returned, and the right to run is free again.
	failed := errors.New("failed")
	for _, s := range []*Store{first, second} {
		if err := s.Exclusive(t.Context(), func(context.Context) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("%v", err)
		}
	}
}

// execute runs a statement outside of a change.
func execute(t *testing.T, s *Store, query string, args ...any) error {
	t.Helper()
	r := s.run(t.Context())
	r.exec(query, args...)
	return r.err
}

func TestErrorsQuoteNoValue(t *testing.T) {
	s := onPostgres(t)(Options{})
	ctx := t.Context()
	ofValue, ofRow := s.run(ctx), s.run(ctx)
	value[int](ofValue, "SELECT 'Halpert'")
	list(ofRow, func(r row) (n int) { r.read(&n); return n }, "SELECT 'Halpert'")
	for name, err := range map[string]error{
		"a value of the wrong type":   execute(t, s, "SELECT $1::int", "Halpert"),
		"a value that does not parse": execute(t, s, "SELECT ($1::text)::int", "Halpert"),
		"a column of the wrong type":  ofValue.err,
		"a row of the wrong type":     ofRow.err,
		"a duplicate": errors.Join(s.Record(ctx, "ann", "Halpert", ""),
			execute(t, s, "INSERT INTO tombstones VALUES ('Halpert', '', ''), ('Halpert', '', '')")),
	} {
		if err == nil || strings.Contains(err.Error(), "Halpert") {
			t.Errorf("%s: %v", name, err)
		}
	}
	lost := errors.New("the password cannot be read")
	c, err := pgx.ParseConfig(postgrestest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPostgres(ctx, c, func() (string, error) { return "", lost }, Options{}); err == nil {
		t.Error("the password is not asked for")
	}
}
