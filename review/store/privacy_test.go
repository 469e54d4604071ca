package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sotto/review"
	"sotto/risk"
)

func TestEraseLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		add(t, s, sample("c1"), sample("c2"))
		r := review.Reading{CallID: "c1", Kind: review.RedTeam, Annotator: "ann", Notes: "Halpert", Spans: []review.Span{span(2, 6, 13, "PERSON_NAME")}}
		if _, err := s.Save(ctx, r); err != nil {
			t.Fatal(err)
		}
		if err := s.Erase(ctx, "root", "c1"); err != nil {
			t.Fatal(err)
		}
		add(t, s, sample("c1"))
		if _, err := s.Call(ctx, "c1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("an erased call comes back: %v", err)
		}
		unsent, err := s.Unsent(ctx, 10)
		if err != nil || len(unsent) != 2 || !unsent[0].Erased || unsent[0].CallID != "c1" || unsent[1].ErasedHash == nil {
			t.Errorf("%+v %v", unsent, err)
		}
		if err := s.MarkSent(ctx, unsent); err != nil {
			t.Fatal(err)
		}
		if unsent, _ = s.Unsent(ctx, 10); len(unsent) > 0 {
			t.Errorf("%+v", unsent)
		}
		// A replica that replays the topic must not bring the readings back.
		if err := s.Take(ctx, []Change{{Reading: review.Reading{CallID: "c1", Kind: review.RedTeam, Annotator: "ann", Revision: 1}}}); err != nil {
			t.Fatal(err)
		}
		if readings, _ := s.Readings(ctx, "c1"); len(readings) > 0 {
			t.Error("the readings of an erased call come back")
		}
	})
}

// TestErasedTextIsInNoFile looks for the text in the bytes of the file and of its journal, where SQLite
// keeps the latest changes.
func TestErasedTextIsInNoFile(t *testing.T) {
	ctx := context.Background()
	for name, remove := range map[string]func(*Store) error{
		"erase":  func(s *Store) error { return s.Erase(ctx, "root", "c1") },
		"expire": func(s *Store) error { _, err := s.Expire(ctx, time.Now().Add(time.Hour)); return err },
		"topic": func(s *Store) error {
			return s.Take(ctx, []Change{{ErasedHash: hash("c1")}})
		},
	} {
		path := filepath.Join(t.TempDir(), "review.db")
		s, err := Open(t.Context(), path, Options{})
		s = opened(t, s, err)
		add(t, s, sample("c1"), review.Call{ID: "c2", Mode: review.Missed})
		r := review.Reading{CallID: "c1", Kind: review.RedTeam, Annotator: "ann", Notes: "Scranton", Verdict: "nothing"}
		if _, err := s.Save(ctx, r); err != nil {
			t.Fatal(err)
		}
		if err := remove(s); err != nil {
			t.Fatal(err)
		}
		checkGone(t, path, name)
	}
}

// TestErasingWhileAProgramReadsTheFile: a copy in the journal, which cannot be emptied meanwhile, is
// gone soon after the program ends.
func TestErasingWhileAProgramReadsTheFile(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "review.db")
	s, err := Open(t.Context(), path, Options{})
	s = opened(t, s, err)
	add(t, s, sample("c1"))
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM calls").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if err := s.Erase(ctx, "root", "c1"); err != nil {
		t.Fatal(err)
	}
	if trail, err := s.Trail(ctx, "c1", 10); err != nil || len(trail) != 1 || trail[0].Who != "root" || trail[0].Action != "erased" {
		t.Errorf("%+v %v", trail, err)
	}
	if !s.CopyLeft() {
		t.Error("a copy in the journal goes unnoticed")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	await(t, "the journal is emptied", func() bool { return !s.CopyLeft() })
	checkGone(t, path, "erased while read")
}

// checkGone looks for the text of the sample in the bytes of the file and of its journal.
func checkGone(t *testing.T, path, what string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Halpert", "Scranton"} {
			if bytes.Contains(data, []byte(text)) {
				t.Errorf("%s: %s still has %s", what, filepath.Base(file), text)
			}
		}
	}
}

// TestSessionsThatEndedAreRemoved: the names of people do not stay for ever.
func TestSessionsThatEndedAreRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		for range 3 {
			if err := s.Begin(ctx, "id", "ann", time.Hour); err != nil {
				t.Fatal(err)
			}
			now = now.Add(2 * time.Hour)
		}
		r := s.run(ctx)
		if n := value[int](r, "SELECT count(*) FROM sessions"); r.err != nil || n != 1 {
			t.Errorf("%d sessions: %v", n, r.err)
		}
	})
}

func TestExpiredCallsKeepTheirFigures(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		add(t, s, sample("c1"))
		r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{span(2, 6, 13, "PERSON_NAME")}}
		if _, err := s.Save(ctx, r); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Expire(ctx, now.Add(time.Hour)); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := s.Call(ctx, "c1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("the text is still there: %v", err)
		}
		read, err := s.Read(ctx, review.Missed, false)
		if err != nil || len(read) != 1 {
			t.Fatal(read, err)
		}
		if calls := read[0].RiskCalls(); len(calls) != 1 || risk.Table6().Assess(calls).Total.Mean != 5 {
			t.Errorf("%+v", calls)
		}
		if with, err := s.Read(ctx, review.Missed, true); len(with) != 0 || err != nil {
			t.Error("an expired call is exported")
		}
	})
}

// TestNotesExpire: whoever wrote them, and also if the text of the call never came, as in a store that
// was rebuilt from the topic.
func TestNotesExpire(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		add(t, s, sample("c1"))
		var taken []Change
		for _, kind := range review.Kinds() {
			r := review.Reading{CallID: "c1", Kind: kind, Annotator: "ann" + string(kind), Notes: "Halpert", Searched: "Scranton", Verdict: "nothing"}
			if _, err := s.Save(ctx, r); err != nil {
				t.Fatal(err)
			}
			r.CallID, r.Revision, r.UpdatedMS = "gone", 1, now.UnixMilli()
			taken = append(taken, Change{Reading: r, Call: &review.Call{ID: "gone", Mode: review.Missed}})
		}
		if err := s.Take(ctx, taken); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Expire(ctx, now); err != nil {
			t.Fatal(err)
		}
		notes := func() (n int) {
			for _, id := range []string{"c1", "gone"} {
				readings, err := s.Readings(ctx, id)
				if err != nil || len(readings) != len(review.Kinds()) {
					t.Fatal(readings, err)
				}
				for _, r := range readings {
					if r.Notes+r.Searched != "" {
						n++
					}
				}
			}
			return n
		}
		if n := notes(); n != 2*len(review.Kinds()) {
			t.Errorf("%d notes are left before their time", n)
		}
		if _, err := s.Expire(ctx, now.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if n := notes(); n != 0 {
			t.Errorf("%d notes survive", n)
		}
	})
}

// TestWhoSawRawTextIsNotItsRedTeam: an attacker has the clean text only.
func TestWhoSawRawTextIsNotItsRedTeam(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{RedTeam: 1, SecondPass: 1})
		withRaw := sample("c1")
		withRaw.Utterances[1].Raw = "hello Jim Halpert"
		add(t, s, withRaw, sample("c2"))
		// Both have been opened, and the text of c2 had no raw text beside it.
		for _, id := range []string{"c1", "c2"} {
			if err := s.Claim(ctx, id, review.Annotation, "ann"); err != nil {
				t.Fatal(err)
			}
		}
		judge := func(who, id string) error {
			_, err := s.Save(ctx, review.Reading{CallID: id, Kind: review.RedTeam, Annotator: who, Verdict: "nothing", Done: true})
			return err
		}
		if err := s.Claim(ctx, "c1", review.RedTeam, "ann"); !errors.Is(err, ErrSawRaw) {
			t.Errorf("who saw raw text opens the call as red team: %v", err)
		}
		if err := judge("ann", "c1"); !errors.Is(err, ErrSawRaw) {
			t.Errorf("who saw raw text judges: %v", err)
		}
		if id, err := s.Next(ctx, Filter{}, review.RedTeam, "ann"); err != nil || id != "c2" {
			t.Errorf("ann gets %q: %v", id, err)
		}
		if err := judge("ann", "c2"); err != nil {
			t.Error(err)
		}
		if id, err := s.Next(ctx, Filter{}, review.RedTeam, "ann"); err != nil || id != "" {
			t.Errorf("ann gets %q: %v", id, err)
		}
		if id, err := s.Next(ctx, Filter{}, review.RedTeam, "bob"); err != nil || id != "c1" {
			t.Errorf("bob gets %q: %v", id, err)
		}
		if err := judge("bob", "c1"); err != nil {
			t.Error(err)
		}
	})
}
