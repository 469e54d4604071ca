package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"sotto/review"
)

// TestNobodyAdjudicatesTheirOwnMarks: also if their role would allow it.
func TestNobodyAdjudicatesTheirOwnMarks(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{SecondPass: 1})
		add(t, s, sample("c1"))
		for _, who := range []string{"ann", "bob"} {
			if _, err := s.Save(ctx, review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: who, Done: true}); err != nil {
				t.Fatal(err)
			}
		}
		if id, err := s.Next(ctx, Filter{}, review.Adjudication, "ann"); id != "" || err != nil {
			t.Errorf("ann gets %q to adjudicate: %v", id, err)
		}
		if err := s.Claim(ctx, "c1", review.Adjudication, "ann"); !errors.Is(err, ErrOwnReading) {
			t.Errorf("ann opens it: %v", err)
		}
		if _, err := s.Save(ctx, review.Reading{CallID: "c1", Kind: review.Adjudication, Annotator: "bob", Done: true}); !errors.Is(err, ErrOwnReading) {
			t.Errorf("bob saves: %v", err)
		}
		if id, err := s.Next(ctx, Filter{}, review.Adjudication, "eve"); id != "c1" || err != nil {
			t.Errorf("eve gets %q: %v", id, err)
		}
	})
}

// TestRawCallsHaveNoRedTeam: who labels a raw call has read it.
func TestRawCallsHaveNoRedTeam(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx, s := context.Background(), open(Options{})
		c := sample("c1")
		c.Mode = review.Label
		add(t, s, c)
		if err := s.Claim(ctx, "c1", review.Annotation, "ann"); err != nil {
			t.Fatal(err)
		}
		if err := s.Claim(ctx, "c1", review.RedTeam, "ann"); !errors.Is(err, ErrSawRaw) {
			t.Errorf("ann is its red team: %v", err)
		}
	})
}

func TestAssignedCallsWaitForTheirReader(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		add(t, s, sample("c1"), sample("c2"), sample("c3"))
		next := func(who string) string {
			id, err := s.Next(ctx, Filter{}, review.Annotation, who)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		ids, err := s.Assign(ctx, Filter{}, review.Annotation, "ann", 2)
		if err != nil || len(ids) != 2 {
			t.Fatalf("assigned %v, %v", ids, err)
		}
		if page, _, err := s.Queue(ctx, Filter{}, review.Annotation, "bob", 0, 10); err != nil || page[0].Assigned+page[1].Assigned+page[2].Assigned != "annann" {
			t.Errorf("the queue says %+v, %v", page, err)
		}
		rest := next("bob")
		if rest == "" || rest == ids[0] || rest == ids[1] {
			t.Errorf("bob gets %q of ann's %v", rest, ids)
		}
		// Opening it does not end the assignment, and days later the calls still wait.
		if got := next("ann"); got != ids[0] {
			t.Errorf("ann gets %q, not %q", got, ids[0])
		}
		now = now.Add(10 * 24 * time.Hour)
		if got := next("eve"); got != rest { // bob's claim has ended
			t.Errorf("eve gets %q, not %q", got, rest)
		}
		if _, err := s.Assign(ctx, Filter{}, review.Annotation, "ann", 0); err != nil {
			t.Fatal(err)
		}
		if got := next("zoe"); got != ids[0] {
			t.Errorf("after ann's calls were taken back, zoe gets %q", got)
		}
	})
}

func TestTheTimeOfAReadingIsKept(t *testing.T) {
	onEach(t, func(t *testing.T, open func(Options) *Store) {
		ctx := context.Background()
		now := time.UnixMilli(1763683200000)
		s := open(Options{Now: func() time.Time { return now }})
		add(t, s, sample("c1"))
		if err := s.Claim(ctx, "c1", review.Annotation, "ann"); err != nil {
			t.Fatal(err)
		}
		r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann"}
		// Half a minute to the first mark, ten seconds to the next one, and lunch before the last.
		for _, pause := range []time.Duration{30 * time.Second, 10 * time.Second, time.Hour} {
			now = now.Add(pause)
			var err error
			if r, err = s.Save(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		if want := (40*time.Second + maxPause).Milliseconds(); r.ActiveMS != want {
			t.Errorf("%d ms, want %d", r.ActiveMS, want)
		}
	})
}
