package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/review"
	"sotto/review/store"
)

const pageSize = 50

// blindStates reveal nothing about the marks of others; only adjudicators see the other states.
var (
	blindStates = []string{store.StateOpen, store.StateDone}
	allStates   = append(slices.Clone(blindStates), store.StateUnsure, store.StateAdjudicate)
)

type queuePage struct {
	Kind        review.Kind
	Filter      store.Filter
	Facets      store.Facets
	Progress    store.Progress
	Entries     []store.Entry
	Total       int
	First, Last int
	// States are those that the person may filter by, and Users whom they may assign calls to.
	States, Users []string
	// Query is the filter as a query; Previous and Next are those of other pages, or empty.
	Query, Previous, Next string
}

func (s *Server) queue(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, filter store.Filter) error {
	offset, _ := strconv.Atoi(r.URL.Query().Get("from"))
	offset = max(0, offset)
	q := queuePage{Kind: kind, Filter: filter, Query: queryOf(r, 0), States: blindStates}
	if p.Role.atLeast(Adjudicator) {
		q.States, q.Users = allStates, slices.Sorted(maps.Keys(s.opts.Access.Users))
	}
	var err error
	q.Entries, q.Total, err = s.opts.Store.Queue(r.Context(), filter, kind, p.Name, offset, pageSize)
	if err == nil {
		q.Facets, err = s.opts.Store.Facets(r.Context())
	}
	if err == nil {
		q.Progress, err = s.opts.Store.Progress(r.Context(), p.Name)
	}
	if err != nil {
		return err
	}
	q.First, q.Last = min(offset+1, q.Total), offset+len(q.Entries)
	if offset > 0 {
		q.Previous = queryOf(r, max(0, offset-pageSize))
	}
	if q.Last < q.Total {
		q.Next = queryOf(r, offset+pageSize)
	}
	return s.render(w, r, "queue", p, q)
}

var errAdjudicator = &requestError{http.StatusForbidden, "this needs the role adjudicator"}

// selecting serves a page that depends on the kind of reading and the filter of a request.
func selecting(serve func(http.ResponseWriter, *http.Request, person, review.Kind, store.Filter) error) page {
	return func(w http.ResponseWriter, r *http.Request, p person) error {
		kind, filter, err := selection(r, p)
		if err != nil {
			return err
		}
		return serve(w, r, p, kind, filter)
	}
}

// selection reads what a request asks for: a kind of reading and a filter.
func selection(r *http.Request, p person) (kind review.Kind, f store.Filter, err error) {
	v := r.URL.Query()
	kind = cmp.Or(review.Kind(v.Get("kind")), review.Annotation)
	switch {
	case !slices.Contains(review.Kinds(), kind):
		return "", f, badRequest("unknown kind of reading")
	case kind == review.Adjudication && !p.Role.atLeast(Adjudicator):
		return "", f, errAdjudicator
	}
	f = store.Filter{
		Context: v.Get("context"), Tenant: v.Get("tenant"), Policy: v.Get("policy"), Reason: v.Get("reason"), State: v.Get("state"),
		RedTeam: kind == review.RedTeam,
	}
	if !p.Role.atLeast(Adjudicator) && f.State != "" && !slices.Contains(blindStates, f.State) {
		return "", f, errAdjudicator
	}
	if kind == review.Adjudication && f.State == "" {
		f.State = store.StateAdjudicate
	}
	for name, to := range map[string]*time.Time{"since": &f.From, "until": &f.To} {
		if day := v.Get(name); day != "" {
			if *to, err = time.Parse(time.DateOnly, day); err != nil {
				return "", f, badRequest("dates have the form 2026-01-31")
			}
		}
	}
	return kind, f, nil
}

// queryOf returns the filter of a request as a query, from another entry on.
func queryOf(r *http.Request, from int) string {
	in, out := r.URL.Query(), url.Values{}
	for _, name := range []string{"kind", "context", "tenant", "policy", "reason", "state", "since", "until"} {
		if v := in.Get(name); v != "" {
			out.Set(name, v)
		}
	}
	if from > 0 {
		out.Set("from", strconv.Itoa(from))
	}
	return out.Encode()
}

// next goes to the call that the person should read next.
func (s *Server) next(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, filter store.Filter) error {
	id, err := s.opts.Store.Next(r.Context(), filter, kind, p.Name)
	if err != nil {
		return err
	}
	to := "/?" + queryOf(r, 0)
	if id != "" {
		q, _ := url.ParseQuery(queryOf(r, 0))
		q.Set("id", id)
		to = "/call?" + q.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// listed is a call of the queue, for programs. It has no text.
type listed struct {
	ID          string   `json:"id"`
	Context     string   `json:"context,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	Estimated   *float64 `json:"estimated,omitempty"`
	TimestampMS int64    `json:"timestamp_ms,omitempty"`
	Needed      int      `json:"needed"`
	Annotations int      `json:"annotations"`
	Adjudicated bool     `json:"adjudicated"`
	Judged      bool     `json:"judged"`
	Done        bool     `json:"done"` // by the person
	Assigned    string   `json:"assigned,omitempty"`
}

// listCalls is the queue for programs, a page at a time.
func (s *Server) listCalls(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, filter store.Filter) error {
	offset, _ := strconv.Atoi(r.URL.Query().Get("from"))
	entries, total, err := s.opts.Store.Queue(r.Context(), filter, kind, p.Name, max(0, offset), pageSize)
	if err != nil {
		return err
	}
	calls := []listed{}
	for i := range entries {
		e := &entries[i]
		one := listed{ID: e.ID, Context: e.Context, Reason: e.Reason, Estimated: e.Estimated, TimestampMS: e.TimestampMS, Needed: e.Needed,
			Annotations: e.Annotations, Adjudicated: e.Adjudicated, Judged: e.Judged, Done: e.MineDone}
		if p.Role.atLeast(Adjudicator) || e.Assigned == p.Name {
			one.Assigned = e.Assigned
		}
		calls = append(calls, one)
	}
	return s.answer(w, r, map[string]any{"total": total, "calls": calls})
}

const maxAssigned = 500

// assign keeps the next calls of a filter for a person.
func (s *Server) assign(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, filter store.Filter) error {
	who := r.PostFormValue("annotator")
	n, err := strconv.Atoi(r.PostFormValue("calls"))
	admitted, unknown := s.opts.Access.admit(who)
	switch {
	case err != nil || n < 0 || n > maxAssigned:
		err = badRequest("calls must be a number from 0 to 500")
	case unknown != nil || kind == review.Adjudication && !admitted.Role.atLeast(Adjudicator):
		err = badRequest("annotator must be a name of the list of users, with the role that the calls need")
	}
	if err != nil {
		return err
	}
	ids, err := s.opts.Store.Assign(r.Context(), filter, kind, who, n)
	if err != nil {
		return err
	}
	if err := s.record(r, p, fmt.Sprintf("assigned %d calls to %s", len(ids), who), ""); err != nil {
		return err
	}
	if strings.Contains(r.Header.Get("Accept"), "text/html") { // the form of the queue
		http.Redirect(w, r, "/?"+queryOf(r, 0), http.StatusSeeOther)
		return nil
	}
	return s.answer(w, r, map[string]any{"assigned": orEmpty(ids)})
}
