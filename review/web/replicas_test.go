package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sotto/internal/testkit/loopback"
	"sotto/internal/testkit/postgrestest"
	"sotto/review"
	"sotto/review/store"
)

// reader is a person who reads calls at one of several replicas, and at another one if the first does
// not answer.
type reader struct {
	name  string
	bases []string
	http  http.Client
}

// ask asks the replicas in turn until one answers, and returns its answer and from where it came.
func (p *reader) ask(method, path, body string) (status int, at *url.URL, err error) {
	for range 2 * len(p.bases) {
		var r *http.Request
		if r, err = http.NewRequest(method, p.bases[0]+path, strings.NewReader(body)); err != nil {
			return 0, nil, err
		}
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		var answer *http.Response
		if answer, err = p.http.Do(r); err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		if err == nil {
			return answer.StatusCode, answer.Request.URL, nil
		}
		p.bases = append(p.bases[1:], p.bases[0])
	}
	return 0, nil, err
}

// readAll reads calls until none is left, and calls done after each. It returns the revisions that
// were acknowledged.
func (p *reader) readAll(done func()) (map[string]int64, error) {
	saved := map[string]int64{}
	if status, _, err := p.ask("POST", "/login", url.Values{"token": {tokenOf(p.name)}, "name": {p.name}}.Encode()); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("login: %d %w", status, err)
	}
	for {
		status, at, err := p.ask("GET", "/next", "")
		if err != nil || status != http.StatusOK {
			return saved, fmt.Errorf("next: %d %w", status, err)
		}
		id := at.Query().Get("id")
		if at.Path != "/call" || id == "" {
			return saved, nil
		}
		for revision := range int64(3) {
			body := fmt.Sprintf(`{"revision":%d,"done":%t,"spans":[{"seq":2,"start":6,"end":%d,"type":"PERSON_NAME"}]}`, revision, revision == 2, 7+revision)
			if status, _, err = p.ask("PUT", "/api/reading?id="+id, body); err != nil || status != http.StatusOK {
				return saved, fmt.Errorf("save of revision %d: %d %w", revision, status, err)
			}
			saved[id] = revision + 1
		}
		done()
	}
}

// TestAReplicaIsKilled has four people read at two replicas, of which one is killed midway. Nothing
// that was acknowledged is lost, no call goes to two people, and nobody signs in again.
func TestAReplicaIsKilled(t *testing.T) {
	const calls = 60
	dsn := postgrestest.DSN(t)
	s, err := openStore(t.Context(), dsn, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for i := range calls {
		if err := s.Add(t.Context(), []review.Call{sample(fmt.Sprint("c", i))}); err != nil {
			t.Fatal(err)
		}
	}
	addresses := []string{loopback.FreeAddress(t), loopback.FreeAddress(t)}
	first := launch(t, addresses[0], dsn)
	launch(t, addresses[1], dsn)
	var read atomic.Int64
	var wg sync.WaitGroup
	people := make([]map[string]int64, 4)
	var atThird sync.Once
	for i := range people {
		bases := []string{"http://" + addresses[i%2], "http://" + addresses[1-i%2]}
		jar, _ := cookiejar.New(nil)
		p := reader{name: fmt.Sprint("person", i), bases: bases, http: http.Client{Jar: jar}}
		wg.Go(func() {
			var err error
			people[i], err = p.readAll(func() {
				if read.Add(1) >= calls/3 {
					atThird.Do(func() { kill(t, first) })
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all := map[string]int64{}
	for i, saved := range people {
		t.Logf("person %d read %d calls", i, len(saved))
		for id, revision := range saved {
			if _, twice := all[id]; twice {
				t.Errorf("%s was given to two people", id)
			}
			r, err := s.Reading(t.Context(), id, review.Annotation, fmt.Sprint("person", i))
			if err != nil || r.Revision != revision || !r.Done || r.Spans[0].End != 9 {
				t.Errorf("%s: revision %d was acknowledged, and the store has %+v %v", id, revision, r, err)
			}
		}
		maps.Copy(all, saved)
	}
	if p, err := s.Progress(t.Context(), ""); err != nil || p.Done != calls || len(all) != calls {
		t.Errorf("%d calls were read: %+v %v", len(all), p, err)
	}
}

// TestReadyWhileTheStoreAnswers has a store that is closed.
func TestReadyWhileTheStoreAnswers(t *testing.T) {
	h, s, _ := start(t, Access{Token: token})
	if status, _ := do(t, http.DefaultClient, "GET", h.URL+"/readyz", ""); status != http.StatusOK {
		t.Error(status)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _ := do(t, http.DefaultClient, "GET", h.URL+"/readyz", ""); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
}
