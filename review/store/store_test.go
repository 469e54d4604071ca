package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/postgrestest"
	"sotto/review"
	"sotto/schemas"
)

func TestMain(m *testing.M) { brokertest.Main(m, postgrestest.Stop) }

// onEach runs a test on SQLite and on PostgreSQL. Each open of a test opens the same store.
func onEach(t *testing.T, test func(t *testing.T, open func(Options) *Store)) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "review.db")
		test(t, func(o Options) *Store {
			s, err := Open(t.Context(), path, o)
			return opened(t, s, err)
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, onPostgres(t))
	})
}

// onPostgres returns what opens a store in PostgreSQL, the same each time.
func onPostgres(t *testing.T) func(Options) *Store {
	c, err := pgx.ParseConfig(postgrestest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	return func(o Options) *Store {
		s, err := OpenPostgres(t.Context(), c, func() (string, error) { return "", nil }, o)
		return opened(t, s, err)
	}
}

func opened(t *testing.T, s *Store, err error) *Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func sample(id string) review.Call {
	return review.Call{
		ID: id, Mode: review.Missed, Context: "sales", Policy: "p1", Reason: "uniform", Rate: 0.5, TimestampMS: 1763683200000,
		Utterances: []review.Utterance{
			{Seq: 1, Speaker: "AGENT", Text: "[PERSON_NAME_1] Halpert from Scranton", Masks: []review.Mask{{Start: 0, End: 15, Type: "PERSON_NAME"}}},
			{Seq: 2, Speaker: "CUSTOMER", Text: "hello Halpert"},
		},
	}
}

func add(t *testing.T, s *Store, calls ...review.Call) {
	t.Helper()
	if err := s.Add(context.Background(), calls); err != nil {
		t.Fatal(err)
	}
}

func span(seq int64, start, end int, infoType string) review.Span {
	return review.Span{Place: review.Place{Seq: seq, Start: start, End: end}, Type: infoType}
}

func TestSaveScoresAndCountsRevisions(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		add(t, s, sample("c1"))
		r, err := s.Reading(ctx, "c1", review.Annotation, "ann")
		if err != nil || r.Revision != 0 {
			t.Fatalf("%+v %v", r, err)
		}
		partial := span(1, 16, 23, "PERSON_NAME")
		partial.Partial = true
		again := span(2, 6, 13, "PERSON_NAME")
		again.Partial = true
		r.Spans = []review.Span{again, partial, span(1, 29, 37, "LOCATION")}
		if r, err = s.Save(ctx, r); err != nil {
			t.Fatal(err)
		}
		// Two mentions of one name are one piece: 3 points, and a location has 2.
		if r.Revision != 1 || len(r.Pieces) != 2 {
			t.Errorf("%+v", r)
		}
		stale := r
		stale.Revision = 0
		if _, err := s.Save(ctx, stale); !errors.Is(err, ErrConflict) {
			t.Errorf("a save from an old revision: %v", err)
		}
		for name, bad := range map[string]review.Span{
			"outside": span(2, 6, 14, "PERSON_NAME"), "no words": span(2, 6, 6, "PERSON_NAME"), "no utterance": span(3, 0, 1, "PERSON_NAME"),
			"type": span(2, 6, 13, "NAME"), "masked": span(1, 0, 23, "PERSON_NAME"), "overlap": span(1, 20, 25, "PERSON_NAME"),
		} {
			wrong := r
			wrong.Spans = append([]review.Span{bad}, r.Spans...)
			var e *BadReading
			if _, err := s.Save(ctx, wrong); !errors.As(err, &e) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestEventsOfTheAuditTopicBecomeACall(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		event := func(seq int64, typ schemas.EventType, text string, rate float64) *schemas.AuditEvent {
			return &schemas.AuditEvent{
				CleanEvent: schemas.CleanEvent{CallID: "c1", Seq: seq, Type: typ, Context: "sales", Text: text, Speaker: &schemas.Speaker{ID: "s1"}},
				Sampling:   schemas.Sampling{Rate: rate, Reason: "uniform"},
			}
		}
		events := []*schemas.AuditEvent{event(2, schemas.Utterance, "second", 0.1), event(1, schemas.Utterance, "first", 0.1)}
		if err := s.AddEvents(ctx, events, Position{"audit", 3, 7}); err != nil {
			t.Fatal(err)
		}
		if id, err := s.Next(ctx, Filter{}, review.Annotation, "ann"); err != nil || id != "" {
			t.Errorf("a call that goes on is given out: %q %v", id, err)
		}
		if err := s.AddEvents(ctx, append(events, event(3, schemas.End, "", 0.3)), Position{"audit", 3, 9}); err != nil {
			t.Fatal(err)
		}
		c, err := s.Call(ctx, "c1")
		if err != nil || len(c.Utterances) != 2 || c.Utterances[0].Text != "first" || c.Rate != 0.3 {
			t.Errorf("%+v %v", c, err)
		}
		if p, err := s.Positions(ctx, "audit"); err != nil || p[3] != 9 {
			t.Errorf("%v %v", p, err)
		}
		if id, err := s.Next(ctx, Filter{Context: "sales"}, review.Annotation, "ann"); err != nil || id != "c1" {
			t.Errorf("%q %v", id, err)
		}
	})
}

// TestTheQueueGivesACallToAsManyAsNeeded has two annotators ask for calls at once.
func TestTheQueueGivesACallToAsManyAsNeeded(t *testing.T) {
	for _, needed := range []int{1, 2} {
		onEach(t, func(t *testing.T, open func(Options) *Store) {
			ctx := context.Background()
			s := open(Options{SecondPass: float64(needed - 1)})
			for i := range 4 {
				add(t, s, sample(fmt.Sprint("c", i)))
			}
			got := map[string]int{}
			for _, who := range []string{"ann", "bob"} {
				for {
					id, err := s.Next(ctx, Filter{From: time.UnixMilli(1763683200000), Context: "sales"}, review.Annotation, who)
					if err != nil {
						t.Fatal(err)
					}
					if id == "" {
						break
					}
					if again, err := s.Next(ctx, Filter{}, review.Annotation, who); err != nil || again != id {
						t.Fatalf("who left %s is given %s", id, again)
					}
					got[id]++
					r := review.Reading{CallID: id, Kind: review.Annotation, Annotator: who, Done: true}
					if _, err := s.Save(ctx, r); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := range 4 {
				if id := fmt.Sprint("c", i); got[id] != needed {
					t.Errorf("%s was read by %d of %d", id, got[id], needed)
				}
			}
		})
	}
}

func TestAClaimKeepsACallFromOthers(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		add(t, s, sample("c1"))
		next := func(who string) string {
			id, err := s.Next(ctx, Filter{}, review.Annotation, who)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		if next("ann") != "c1" || next("bob") != "" || next("ann") != "c1" {
			t.Error("the claim does not hold")
		}
		now = now.Add(claimTime + time.Second)
		if next("bob") != "c1" {
			t.Error("the claim never ends")
		}
	})
}

// TestAnOldRecordSendsTheLaterOneAgain has the topic end with an earlier revision, which compaction
// would keep.
func TestAnOldRecordSendsTheLaterOneAgain(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		add(t, s, sample("c1"))
		r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann"}
		var revisions []Change
		for range 2 {
			var err error
			if r, err = s.Save(ctx, r); err != nil {
				t.Fatal(err)
			}
			revisions = append(revisions, Change{Reading: r})
		}
		if err := s.MarkSent(ctx, revisions); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{1, 0} {
			// The second of the two is the one that the store has.
			if err := s.Take(ctx, revisions[i:i+1]); err != nil {
				t.Fatal(err)
			}
			unsent, err := s.Unsent(ctx, 10)
			if err != nil || len(unsent) != want {
				t.Errorf("after revision %d: %+v %v", i+1, unsent, err)
			}
			if err := s.MarkSent(ctx, unsent); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAnyTextCanBeStored has what PostgreSQL refuses in a text.
func TestAnyTextCanBeStored(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		id := "c\x00\xff"
		c := sample(id)
		c.Utterances[1].Text = "hello\x00Halpert\xff"
		add(t, s, c)
		got, err := s.Call(ctx, id)
		if err != nil || got.Utterances[1].Text != "hello\uFFFDHalpert\uFFFD" {
			t.Fatalf("%+v %v", got, err)
		}
		r := review.Reading{CallID: id, Kind: review.RedTeam, Annotator: "ann", Notes: "\x00\xff", Spans: []review.Span{span(2, 6, 13, "PERSON_NAME")}}
		if _, err := s.Save(ctx, r); err != nil {
			t.Error(err)
		}
		if err := s.Erase(ctx, "root", got.ID); err != nil {
			t.Fatal(err)
		}
		add(t, s, sample(id))
		if _, err := s.Call(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("an erased call comes back: %v", err)
		}
	})
}

func TestUnsureMarksReachTheAdjudicator(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		add(t, s, sample("c1"))
		r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{span(2, 6, 13, "PERSON_NAME")}}
		next := func() string {
			id, err := s.Next(ctx, Filter{}, review.Adjudication, "judge")
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		r, err := s.Save(ctx, r)
		if err != nil || next() != "" {
			t.Error("a call that one person read, and surely, is adjudicated", err)
		}
		r.Spans[0].Unsure = true
		if _, err := s.Save(ctx, r); err != nil || next() != "c1" {
			t.Error("a call with an unsure mark is not adjudicated", err)
		}
	})
}

// TestAFileOfVersion1IsUpgraded opens what the first version of the program wrote.
func TestAFileOfVersion1IsUpgraded(t *testing.T) {
	old, err := os.ReadFile("testdata/version1.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "review.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"kind":"annotation","spans":[{"seq":1,"start":0,"end":5,"type":"AGE","unsure":true},{"seq":1,"start":6,"end":7,"type":"AGE"}],"done":true}`)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{string(old) + "PRAGMA user_version = 1", nil},
		{`INSERT INTO calls (id, mode, context, tenant, policy, strategy, reason, rate, missing, timestamp_ms, added_ms, ended, place, needed, red_team)
			VALUES ('c1', 'missed', 'sales', '', '', '', '', 1, 0, 0, 0, 1, 1, 1, 0)`, nil},
		{"INSERT INTO utterances VALUES ('c1', 1, '', 'thirty five', '', 'null')", nil},
		{"INSERT INTO readings VALUES ('c1', 'annotation', 'ann', 3, 0, 1, 1, ?, 0)", []any{body}},
	} {
		if _, err := db.Exec(step.query, step.args...); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	s, err := Open(t.Context(), path, Options{})
	s = opened(t, s, err)
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || r.Revision != 3 || len(r.Spans) != 2 {
		t.Errorf("%+v %v", r, err)
	}
	add(t, s, review.Call{ID: "c1", Mode: review.Missed}) // counts again
	page, _, err := s.Queue(t.Context(), Filter{State: StateUnsure}, review.Annotation, "ann", 0, 10)
	if err != nil || len(page) != 1 || page[0].Unsure != 1 || !page[0].MineDone || !page[0].Ended {
		t.Errorf("%+v %v", page, err)
	}
	if _, err := s.pool.Exec("PRAGMA user_version = 9"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("a store of a later version is opened")
	}
}
