package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"sotto/review"
)

// Filter selects calls of the queue. Empty fields select all.
type Filter struct {
	Context, Tenant, Policy, Reason string
	// From and To bound the day of the call.
	From, To time.Time
	// State is one of the states, or "".
	State string
	// RedTeam selects the calls of the red team's exercise.
	RedTeam bool
}

// The states of a call in the queue.
const (
	StateOpen       = "open"
	StateDone       = "done"
	StateAdjudicate = "adjudicate"
	StateUnsure     = "unsure"
)

type parameters []any

// add adds a value and returns its placeholder in the statement.
func (p *parameters) add(value any) string {
	*p = append(*p, value)
	return "$" + strconv.Itoa(len(*p))
}

func (f *Filter) where(p *parameters) string {
	terms := []string{"NOT expired"}
	equal := func(column, value string) {
		if value != "" {
			terms = append(terms, column+" = "+p.add(value))
		}
	}
	equal("context", f.Context)
	equal("tenant", f.Tenant)
	equal("policy", f.Policy)
	equal("reason", f.Reason)
	if !f.From.IsZero() {
		terms = append(terms, "timestamp_ms >= "+p.add(f.From.UnixMilli()))
	}
	if !f.To.IsZero() {
		terms = append(terms, "timestamp_ms < "+p.add(f.To.AddDate(0, 0, 1).UnixMilli()))
	}
	open := "annotations < needed AND adjudicated = 0"
	if f.RedTeam {
		terms = append(terms, "red_team")
		open = "judged = 0"
	}
	switch f.State {
	case StateOpen:
		terms = append(terms, open)
	case StateDone:
		terms = append(terms, "NOT ("+open+")")
	case StateAdjudicate:
		terms = append(terms, "annotations > 0 AND (annotations >= 2 OR unsure > 0) AND adjudicated = 0")
	case StateUnsure:
		terms = append(terms, "unsure > 0")
	}
	return strings.Join(terms, " AND ")
}

// Entry is a call in the queue.
type Entry struct {
	review.Call
	Needed, Annotations, Unsure int
	// Assigned is whom the call is kept for, "" for nobody.
	Assigned                   string
	Adjudicated, Judged, Ended bool
	// Mine reports whether the person has a reading of it, and MineDone whether it is done.
	Mine, MineDone bool
}

// Queue returns a page of the queue in the order in which calls are read, and how many there are.
func (s *Store) Queue(ctx context.Context, f Filter, kind review.Kind, annotator string, offset, limit int) (page []Entry, total int, err error) {
	r := s.run(ctx)
	var p parameters
	where := f.where(&p)
	total = value[int](r, "SELECT count(*) FROM calls WHERE "+where, p...)
	mine := "SELECT 1 FROM readings WHERE call_id = calls.id AND kind = " + p.add(kind) + " AND annotator = " + p.add(annotator)
	assigned := "coalesce((SELECT min(annotator) FROM claims WHERE call_id = calls.id AND kind = " + p.add(kind) + " AND at_ms > " + p.add(s.nowMS()) + "), '')"
	page = list(r, func(r row) (e Entry) {
		r.read(append(callFields(&e.Call), &e.Needed, &e.Annotations, &e.Unsure, &e.Adjudicated, &e.Judged, &e.Ended, &e.Assigned, &e.Mine, &e.MineDone)...)
		return e
	}, "SELECT "+callColumns+", needed, annotations, unsure, adjudicated > 0, judged > 0, ended, "+assigned+", EXISTS ("+mine+"), EXISTS ("+mine+
		" AND done) FROM calls WHERE "+where+" ORDER BY place LIMIT "+p.add(limit)+" OFFSET "+p.add(offset), p...)
	return page, total, r.err
}

// claimTime is how long the queue keeps a call for who opened it and did not go on.
const claimTime = 30 * time.Minute

// assignTime is how long an assigned call is kept for a person.
const assignTime = 90 * 24 * time.Hour

// Next returns the call that a person should read next and keeps it for them: first the one that
// they left unfinished or were assigned, then one that needs a reader. It is "" if there is none.
// Adjudicators get calls that two annotators read.
func (s *Store) Next(ctx context.Context, f Filter, kind review.Kind, annotator string) (id string, err error) {
	err = s.change(ctx, func(tx *runner) {
		if id = s.pick(tx, f, kind, annotator, "mine.at_ms IS NOT NULL OR"); id != "" {
			claim(tx, id, kind, annotator, s.nowMS())
		}
	})
	return id, err
}

// Assign keeps the next n calls that need a reader for a person, and returns them: nobody else gets
// them from Next until they are done. n 0 takes back what the person was assigned and has not done.
func (s *Store) Assign(ctx context.Context, f Filter, kind review.Kind, annotator string, n int) (ids []string, err error) {
	err = s.change(ctx, func(tx *runner) {
		if n == 0 {
			tx.exec("DELETE FROM claims WHERE kind = $1 AND annotator = $2 AND at_ms > $3", kind, annotator, s.nowMS())
		}
		for range n {
			id := s.pick(tx, f, kind, annotator, "mine.at_ms IS NULL AND")
			if id == "" {
				return
			}
			claim(tx, id, kind, annotator, s.nowMS()+assignTime.Milliseconds())
			ids = append(ids, id)
		}
	})
	return ids, err
}

// pick returns the first call that a person may read and that has room for a reader, "" for none. mine is a
// condition before that of the room, about the claim of the person.
func (s *Store) pick(tx *runner, f Filter, kind review.Kind, annotator, mine string) string {
	f.State = StateOpen
	others := `(SELECT count(*) FROM claims WHERE call_id = calls.id AND claims.kind = $1 AND claims.annotator <> $2 AND at_ms > $3
		AND NOT EXISTS (SELECT 1 FROM readings r WHERE r.call_id = calls.id AND r.kind = $1 AND r.annotator = claims.annotator AND r.done))`
	room := "needed - annotations > " + others
	switch kind {
	case review.Adjudication:
		f.State, room = StateAdjudicate, others+" = 0"
	case review.RedTeam:
		f.RedTeam, room = true, others+" = 0"
	}
	p := parameters{kind, annotator, s.nowMS() - claimTime.Milliseconds()}
	return value[string](tx, `SELECT id FROM calls LEFT JOIN claims mine ON mine.call_id = id AND mine.kind = $1 AND mine.annotator = $2
		WHERE ended AND NOT EXISTS (SELECT 1 FROM readings WHERE call_id = calls.id AND kind = $1 AND annotator = $2 AND done)
		AND `+f.where(&p)+" AND NOT "+barred(kind)+" AND ("+mine+" "+room+") ORDER BY mine.at_ms IS NULL, place LIMIT 1", p...)
}

// Why a person may not have a call, whatever their role.
var (
	// ErrSawRaw means that a person has seen raw text of the call, and cannot be its red team.
	ErrSawRaw = errors.New("you have seen raw text of this call, so you cannot judge it for the red team")
	// ErrOwnReading means that a person has annotated the call, and cannot decide about their own marks.
	ErrOwnReading = errors.New("you have annotated this call, so somebody else must adjudicate it")
)

// barred is true of a row of calls that person $2 may not have: the red team has not seen raw text, and
// adjudicators have not annotated.
func barred(kind review.Kind) string {
	switch kind {
	case review.Adjudication:
		return "EXISTS (SELECT 1 FROM readings WHERE call_id = calls.id AND readings.kind = 'annotation' AND readings.annotator = $2)"
	case review.RedTeam:
		return `((mode = 'label' OR EXISTS (SELECT 1 FROM utterances WHERE call_id = calls.id AND raw <> '')) AND
			(EXISTS (SELECT 1 FROM claims WHERE call_id = calls.id AND claims.kind <> 'red-team' AND claims.annotator = $2) OR
			EXISTS (SELECT 1 FROM readings WHERE call_id = calls.id AND readings.kind <> 'red-team' AND readings.annotator = $2)))`
	}
	return "FALSE"
}

// checkBarred fails if a person may not have a call.
func checkBarred(tx *runner, id string, kind review.Kind, annotator string) {
	if kind == review.Annotation || !value[bool](tx, "SELECT count(*) > 0 FROM calls WHERE id = $1 AND "+barred(kind), id, annotator) {
		return
	}
	if kind == review.Adjudication {
		tx.fail(ErrOwnReading)
	}
	tx.fail(ErrSawRaw)
}

// Claim keeps a call for a person. It returns ErrSawRaw or ErrOwnReading if they may not have it.
func (s *Store) Claim(ctx context.Context, id string, kind review.Kind, annotator string) error {
	return s.change(ctx, func(tx *runner) { claim(tx, id, kind, annotator, s.nowMS()) })
}

// claim keeps a call for claimTime from a time on; an assignment stays one.
func claim(tx *runner, id string, kind review.Kind, annotator string, atMS int64) {
	checkBarred(tx, id, kind, annotator)
	tx.exec(`INSERT INTO claims VALUES ($1,$2,$3,$4) ON CONFLICT (call_id, kind, annotator) DO UPDATE SET
		at_ms = CASE WHEN excluded.at_ms > claims.at_ms THEN excluded.at_ms ELSE claims.at_ms END`, id, kind, annotator, atMS)
}

// Progress counts calls.
type Progress struct {
	Calls, Done, Twice, Adjudicated, RedTeam, Judged int
	// Mine counts the readings that the person has finished.
	Mine int
}

// Progress counts what is done.
func (s *Store) Progress(ctx context.Context, annotator string) (p Progress, err error) {
	r := s.run(ctx)
	r.scan([]any{&p.Calls, &p.Done, &p.Twice, &p.Adjudicated, &p.RedTeam, &p.Judged, &p.Mine},
		`SELECT count(*), count(*) FILTER (WHERE annotations >= needed OR adjudicated > 0), count(*) FILTER (WHERE annotations > 1),
		count(*) FILTER (WHERE adjudicated > 0), count(*) FILTER (WHERE red_team), count(*) FILTER (WHERE red_team AND judged > 0),
		(SELECT count(*) FROM readings WHERE done AND annotator = $1) FROM calls WHERE NOT expired`, annotator)
	return p, r.err
}

// Facets are the values that the queue can be filtered by.
type Facets struct{ Contexts, Tenants, Policies, Reasons []string }

// Facets returns the values that occur.
func (s *Store) Facets(ctx context.Context) (f Facets, err error) {
	r := s.run(ctx)
	for column, to := range map[string]*[]string{"context": &f.Contexts, "tenant": &f.Tenants, "policy": &f.Policies, "reason": &f.Reasons} {
		*to = list(r, scanText, "SELECT DISTINCT "+column+" FROM calls WHERE "+column+" <> '' ORDER BY 1 LIMIT 200")
	}
	return f, r.err
}
