package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/review"
	"sotto/review/store"
)

type callPage struct {
	Call *review.Call
	Kind review.Kind
	// Back is the query of the queue that the person came from.
	Back  string
	Turns []turn
	Keys  []Key
	Types []string
	// Comments are those of the annotators, for who adjudicates.
	Comments []review.Reading
	State    clientState
}

type turn struct {
	Seq     int64
	Speaker string
	Parts   []part
	// Raw is the raw text; of its parts, those with a Mask were masked.
	Raw []part
}

// part is a piece of a turn: a token or a mask, which can be selected, or what lies between.
type part struct {
	Text, Mask string
	Token      bool
	Start, End int
}

// clientState is what the script works with.
type clientState struct {
	Call        string             `json:"call"`
	Kind        review.Kind        `json:"kind"`
	Query       string             `json:"query"`
	Revision    int64              `json:"revision"`
	Spans       []review.Span      `json:"spans"`
	Rejected    []review.Span      `json:"rejected"`
	Wrong       []review.WrongMask `json:"wrong"`
	Suggestions []suggestion       `json:"suggestions"`
	Keys        map[string]string  `json:"keys"`
	Types       []string           `json:"types"`
	Done        bool               `json:"done"`
	Red         bool               `json:"red"`
	Verdict     string             `json:"verdict"`
	Notes       string             `json:"notes"`
	Searched    string             `json:"searched"`
}

type suggestion struct {
	review.Span
	Why string `json:"why"`
}

func (s *Server) call(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, _ store.Filter) error {
	id := r.URL.Query().Get("id")
	// To open a call is to take it. Another site must not make somebody do so.
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return forbidden("another site asks for this call; open it from the queue")
	}
	c, err := s.opts.Store.Call(r.Context(), id)
	if err != nil {
		return err
	}
	reading, err := s.opts.Store.Reading(r.Context(), id, kind, p.Name)
	if err == nil {
		err = s.opts.Store.Claim(r.Context(), id, kind, p.Name)
	}
	if errors.Is(err, store.ErrOwnReading) {
		// The dashboard names calls for who adjudicates; to who annotated one it means their own marks.
		http.Redirect(w, r, "/call?id="+url.QueryEscape(id), http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.record(r, p, "opened for "+string(kind), id); err != nil {
		return err
	}
	if kind == review.RedTeam {
		// An attacker has the clean text only.
		for i := range c.Utterances {
			c.Utterances[i].Raw = ""
		}
	}
	var annotations []review.Reading // for who adjudicates
	if kind == review.Adjudication {
		if annotations, err = s.opts.Store.Readings(r.Context(), id); err != nil {
			return err
		}
		annotations = slices.DeleteFunc(annotations, func(r review.Reading) bool { return r.Kind != review.Annotation })
	}
	suggestions := s.suggestions(c, &reading, annotations)
	page := callPage{Call: c, Kind: kind, Back: queryOf(r, 0), Turns: turns(c), Keys: keysOf(c.Mode), Types: review.Types(c.Mode)}
	page.Comments = slices.DeleteFunc(annotations, func(r review.Reading) bool { return r.Notes == "" })
	keys := make(map[string]string, len(page.Keys))
	for _, k := range page.Keys {
		keys[k.Key] = k.Type
	}
	page.State = clientState{
		Call: id, Kind: kind, Query: page.Back, Revision: reading.Revision, Spans: orEmpty(reading.Spans), Rejected: orEmpty(reading.Rejected), Wrong: orEmpty(reading.Wrong),
		Suggestions: suggestions, Keys: keys, Types: page.Types, Done: reading.Done, Red: kind == review.RedTeam,
		Verdict: string(reading.Verdict), Notes: reading.Notes, Searched: reading.Searched,
	}
	return s.render(w, r, "call", p, page)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// suggestions returns what to accept or reject. The first time that a call is read they also fill
// the reading: with the engine's findings if it is labelled from scratch, with what all annotators
// agree on if it is adjudicated. Marks of an infoType that this version does not know become
// suggestions, since a reading with one cannot be saved.
func (s *Server) suggestions(c *review.Call, reading *review.Reading, annotations []review.Reading) []suggestion {
	out := []suggestion{}
	if reading.Kind == review.Adjudication {
		agreed, differing := differences(c, annotations)
		if reading.Revision == 0 {
			reading.Spans, reading.Wrong = agreed, wrongOf(annotations)
		}
		out = append(out, differing...)
	} else {
		found, uncertain := review.Suggest(s.opts.Engine, c)
		if reading.Revision == 0 {
			for _, f := range found {
				reading.Spans = append(reading.Spans, review.Span{Place: f.Place, Type: f.Type})
			}
		}
		for _, d := range uncertain {
			out = append(out, suggestion{review.Span{Place: d.Place, Type: d.Type}, fmt.Sprintf("%s, %.0f %%", d.Why, 100*d.Score)})
		}
	}
	var unknown []review.Span
	reading.Spans, unknown = c.Usable(reading.Spans)
	for _, span := range unknown {
		out = append(out, suggestion{span, "your mark; " + unknownType})
	}
	return out
}

const unknownType = "this version does not know its infoType, choose another"

type votes struct {
	names           []string
	unsure, unknown bool
	person          string // whom it is about, if they agree
}

// differences separates the spans that all annotators of a call marked in the same way from those
// that only some did, that somebody is unsure of, or whose infoType is not known.
func differences(c *review.Call, annotations []review.Reading) (agreed []review.Span, differing []suggestion) {
	by := map[review.Span]*votes{}
	var order []review.Span
	annotators := 0
	add := func(span review.Span, who string, unknown bool) {
		key := span
		key.Unsure, key.Person = false, ""
		v := by[key]
		if v == nil {
			v = &votes{unknown: unknown, person: span.Person}
			by[key] = v
			order = append(order, key)
		}
		v.names = append(v.names, who)
		v.unsure = v.unsure || span.Unsure
		if v.person != span.Person {
			v.person = ""
		}
	}
	for _, r := range annotations {
		if !r.Done {
			continue
		}
		annotators++
		usable, unknown := c.Usable(r.Spans)
		for _, span := range usable {
			add(span, r.Annotator, false)
		}
		for _, span := range unknown {
			add(span, r.Annotator, true)
		}
	}
	review.SortSpans(order)
	for _, span := range order {
		v := by[span]
		span.Person = v.person
		if len(v.names) == annotators && !v.unsure && !v.unknown {
			agreed = append(agreed, span)
			continue
		}
		differing = append(differing, suggestion{span, v.why(annotators)})
	}
	return agreed, differing
}

// wrongOf are the masks that any annotator calls wrong, each once: the adjudicator removes what is not.
func wrongOf(annotations []review.Reading) (out []review.WrongMask) {
	for _, r := range annotations {
		for _, w := range r.Wrong {
			if r.Done && !slices.ContainsFunc(out, func(o review.WrongMask) bool { return o.Place == w.Place }) {
				out = append(out, w)
			}
		}
	}
	return out
}

func (v *votes) why(annotators int) string {
	why := fmt.Sprintf("%d of %d annotators: %s", len(v.names), annotators, strings.Join(v.names, ", "))
	if v.unsure {
		why += "; unsure"
	}
	if v.unknown {
		why += "; " + unknownType
	}
	return why
}

func turns(c *review.Call) []turn {
	var d detectors.Document
	out := make([]turn, len(c.Utterances))
	for i := range c.Utterances {
		u, t := &c.Utterances[i], &out[i]
		t.Seq, t.Speaker, t.Raw = u.Seq, u.Speaker, rawParts(u)
		text, at := []rune(u.Text), 0
		for _, p := range append(places(c.Mode, u, review.Tokens(&d, u.Text)), part{Start: len(text), End: len(text)}) {
			if p.Token && pause(string(text[p.Start:p.End])) {
				continue
			}
			if p.Start > at {
				t.Parts = append(t.Parts, part{Text: string(text[at:p.Start])})
			}
			if p.End > p.Start {
				p.Text = string(text[p.Start:p.End])
				t.Parts = append(t.Parts, p)
			}
			at = p.End
		}
	}
	return out
}

// pause reports whether a token only divides what is said, so that no mark begins or ends with it: keys and clicks pass over it.
func pause(token string) bool { return strings.Trim(token, `.,;:!?…"“”()[]`) == "" }

// places are the masks of a text and the tokens that no mask touches, in order.
func places(mode review.Mode, u *review.Utterance, tokens []review.Token) (all []part) {
	end, length := 0, utf8.RuneCountInString(u.Text)
	for _, m := range u.Masks {
		if mode == review.Missed && m.Start >= end && m.Start < m.End && m.End <= length {
			all = append(all, part{Mask: m.Type, Start: m.Start, End: m.End})
			end = m.End
		}
	}
	masks, next := len(all), 0
	for _, t := range tokens {
		for next < masks && all[next].End <= t.Start {
			next++
		}
		if next == masks || all[next].Start >= t.End {
			all = append(all, part{Token: true, Start: t.Start, End: t.End})
		}
	}
	slices.SortFunc(all, func(a, b part) int { return a.Start - b.Start })
	return all
}

// rawParts divides the raw text of an utterance into what is also in the clean one and what was masked. If it
// cannot tell, the whole text is one part. Of several ways it takes the one in which the first masks are the shortest.
func rawParts(u *review.Utterance) []part {
	if u.Raw == "" {
		return nil
	}
	whole := []part{{Text: u.Raw}}
	text, at := []rune(u.Text), 0
	var out []part
	rest, mask := u.Raw, ""
	for i := 0; i <= len(u.Masks); i++ {
		end := len(text)
		if i < len(u.Masks) {
			end = u.Masks[i].Start
		}
		if end < at || end > len(text) || i < len(u.Masks) && u.Masks[i].End > len(text) {
			return whole
		}
		same := string(text[at:end])
		before, ok := beforeSame(rest, same, mask != "", i == len(u.Masks))
		if !ok {
			return whole
		}
		if before > 0 {
			out = append(out, part{Text: rest[:before], Mask: mask})
		}
		if same != "" {
			out = append(out, part{Text: same})
		}
		rest = rest[before+len(same):]
		if i < len(u.Masks) {
			mask, at = u.Masks[i].Type, u.Masks[i].End
		}
	}
	return out
}

// beforeSame returns how many bytes of a raw text stand before what is also in the clean one: at least a character if they
// were masked, none if not, and all others if the text ends with it.
func beforeSame(raw, same string, masked, last bool) (n int, ok bool) {
	least := 0
	if masked {
		_, least = utf8.DecodeRuneInString(raw)
		if least == 0 {
			return 0, false
		}
	}
	switch {
	case last && masked:
		n = len(raw) - len(same)
		return n, n >= least && strings.HasSuffix(raw, same)
	case last:
		return 0, raw == same
	case !masked:
		return 0, strings.HasPrefix(raw, same)
	}
	n = strings.Index(raw[least:], same)
	return least + n, n >= 0
}

// reading returns the person's reading of a call, for programs.
func (s *Server) reading(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, _ store.Filter) error {
	reading, err := s.opts.Store.Reading(r.Context(), r.URL.Query().Get("id"), kind, p.Name)
	if err != nil {
		return err
	}
	return s.answer(w, r, reading)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, value any) error {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		s.opts.Log.DebugContext(r.Context(), "an answer could not be sent", "err", err)
	}
	return nil
}

const maxReading = 2 << 20

func (s *Server) save(w http.ResponseWriter, r *http.Request, p person, kind review.Kind, _ store.Filter) error {
	var in review.Reading
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxReading)).Decode(&in); err != nil {
		return badRequest("the body is not a reading")
	}
	in.CallID, in.Kind, in.Annotator, in.Pieces = r.URL.Query().Get("id"), kind, p.Name, nil
	saved, err := s.opts.Store.Save(r.Context(), in)
	if errors.Is(err, store.ErrConflict) {
		// The answer to an earlier try may have been lost: then the stored reading is this one.
		if have, readErr := s.opts.Store.Reading(r.Context(), in.CallID, kind, p.Name); readErr == nil && in.SameAs(&have) {
			saved, err = have, nil
		}
	}
	if err != nil {
		return err
	}
	return s.answer(w, r, map[string]int64{"revision": saved.Revision})
}
