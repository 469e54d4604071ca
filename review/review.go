// Package review is the model behind sotto review: sampled calls, what people mark in them, and the
// forms in which their work leaves.
//
// Package store keeps it, package topic exchanges it with Kafka, package agreement compares
// annotators, package figures computes the dashboard, and package web serves the pages.
//
// Positions count Unicode code points of an utterance's text, end exclusive.
package review

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sotto/risk"
	"sotto/schemas"
)

// Mode is what people do with a call.
type Mode string

const (
	// Missed means that the text was anonymized and people mark what was missed.
	Missed Mode = "missed"
	// Label means that the text is raw and people label all personal information in it.
	Label Mode = "label"
)

// Call is a call to be read. Its JSON is what its readings need of it elsewhere: never its text.
type Call struct {
	ID       string `json:"-"`
	Mode     Mode   `json:"mode"`
	Context  string `json:"context,omitempty"`
	Tenant   string `json:"tenant,omitempty"`
	Policy   string `json:"policy,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	// Reason says why the call is in the sample: uniform, doubt, or file.
	Reason string `json:"reason,omitempty"`
	// Rate is the probability with which the call was sampled, 0 where it is not known.
	Rate float64 `json:"rate,omitempty"`
	// Estimated is the live estimate of its residual risk, nil where there is none.
	Estimated *float64 `json:"estimated,omitempty"`
	// Missing counts the utterances that the sample lacks.
	Missing int64 `json:"missing,omitempty"`
	// TimestampMS is when the call began, 0 where it is not known.
	TimestampMS int64       `json:"timestamp_ms,omitempty"`
	Utterances  []Utterance `json:"-"`
}

type Utterance struct {
	Seq     int64  `json:"seq"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	// Raw is the raw text where it was given beside the clean one.
	Raw   string `json:"raw,omitempty"`
	Masks []Mask `json:"masks,omitempty"`
}

// Mask is a span that anonymization replaced.
type Mask struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
}

// AddEvent adds what an event says of the call.
func (c *Call) AddEvent(e *schemas.AuditEvent) {
	c.Context = cmp.Or(e.Context, c.Context)
	c.Tenant = cmp.Or(e.Tenant, c.Tenant)
	c.Policy = cmp.Or(e.Policy, c.Policy)
	c.Strategy = cmp.Or(e.Strategy, c.Strategy)
	c.Reason = cmp.Or(e.Sampling.Reason, c.Reason)
	c.Rate = max(c.Rate, e.Sampling.Rate)
	c.Missing = max(c.Missing, e.Sampling.Missing)
	c.TimestampMS = cmp.Or(c.TimestampMS, e.TimestampMS)
	c.Estimated = cmp.Or(e.Sampling.EstimatedRisk, c.Estimated)
	if e.Call != nil {
		c.Estimated = cmp.Or(e.Call.EstimatedRisk, c.Estimated)
	}
	if e.Type != schemas.Utterance {
		return
	}
	u := Utterance{Seq: e.Seq, Text: e.Text}
	if s := e.Speaker; s != nil {
		u.Speaker = cmp.Or(s.Label, string(s.Role), s.ID)
		if c.Mode == Label {
			u.Speaker = cmp.Or(string(s.Role), s.Label, s.ID)
		}
	}
	for _, m := range e.Entities {
		u.Masks = append(u.Masks, Mask{m.Start, m.End, m.Type})
	}
	c.Utterances = append(c.Utterances, u)
}

// Kind is what a reading is for. A person has at most one reading of each kind of a call.
type Kind string

// The kinds of readings.
const (
	Annotation   Kind = "annotation"
	Adjudication Kind = "adjudication"
	RedTeam      Kind = "red-team"
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{Annotation, Adjudication, RedTeam} }

// Reading is what one person found in a call. Each change makes a new revision of the whole.
type Reading struct {
	CallID    string `json:"call_id"`
	Kind      Kind   `json:"kind"`
	Annotator string `json:"annotator"`
	// Revision grows by one with each change.
	Revision int64  `json:"revision"`
	Spans    []Span `json:"spans"`
	// Rejected are suggestions that the annotator rejected. Without a Type, all of the place are.
	Rejected []Span `json:"rejected,omitempty"`
	// Wrong are masks that are wrong, in the order of the call.
	Wrong []WrongMask `json:"wrong,omitempty"`
	// Notes are the comment of the person. Verdict and Searched belong to the red team.
	Notes    string       `json:"notes,omitempty"`
	Verdict  risk.Verdict `json:"verdict,omitempty"`
	Searched string       `json:"searched,omitempty"`
	Done     bool         `json:"done"`
	// ActiveMS is about how long the person worked on it, and Masks how many masks the call has. Save
	// computes both.
	ActiveMS int64 `json:"active_ms,omitempty"`
	Masks    int   `json:"masks,omitempty"`
	// Pieces are the distinct pieces of information that the spans mark, so that figures can be
	// computed when the text is gone. They have no values. Save computes them.
	Pieces []risk.Piece `json:"pieces"`
	// UpdatedMS is the time of this revision.
	UpdatedMS int64 `json:"updated_ms"`
}

// Place is a part of an utterance.
type Place struct {
	Seq   int64 `json:"seq"`
	Start int   `json:"start"`
	End   int   `json:"end"`
}

// Span is a marked place.
type Span struct {
	Place
	Type    string `json:"type"`
	Partial bool   `json:"partial,omitempty"`
	Speaker bool   `json:"speaker,omitempty"`
	// Unsure asks the adjudicator to look.
	Unsure bool `json:"unsure,omitempty"`
	// Key forces or forbids that mentions count as one piece, see risk.Piece.
	Key string `json:"key,omitempty"`
	// Person says whom the piece is about, see risk.Piece. The page counts people from 1.
	Person string `json:"person,omitempty"`
}

// WrongMask is a mask that hides nothing personal, or that has the wrong infoType.
type WrongMask struct {
	Place
	// Was is the infoType of the mask, which Check fills in. Type is the right one, "" if nothing there is
	// personal.
	Was  string `json:"was"`
	Type string `json:"type,omitempty"`
}

var table = risk.Table6()

// unscored are infoTypes that labels of raw text also have, so that evaluation can leave them out.
var unscored = []string{"DATE", "TIME", "MONEY", "OTHER"}

// Types returns the infoTypes that people may mark in a call of the mode.
func Types(mode Mode) (types []string) {
	for _, e := range table.Entries() {
		types = append(types, e.Type)
	}
	if mode == Label {
		types = append(types, unscored...)
	}
	return types
}

// Limits of a reading.
const (
	maxSpans = 5000
	maxNotes = 10_000
	maxKey   = 20
	maxType  = 64
)

// Check returns what is wrong with a reading of the call. The error quotes no text. It sorts the
// spans.
func (r *Reading) Check(c *Call) error {
	if err := r.checkFields(); err != nil {
		return err
	}
	bounds := boundsOf(c)
	for i := range r.Rejected {
		if err := bounds.checkRejected(&r.Rejected[i]); err != nil {
			return err
		}
	}
	if err := bounds.checkWrong(r.Wrong); err != nil {
		return err
	}
	r.Masks = 0
	for _, masks := range bounds.masks {
		r.Masks += len(masks)
	}
	SortSpans(r.Spans)
	for i, s := range r.Spans {
		err := bounds.check(&s)
		if i > 0 && r.Spans[i-1].overlaps(s) {
			err = errors.New("it overlaps the one before")
		}
		if err != nil {
			return fmt.Errorf("span %d: %w", i+1, err)
		}
	}
	return nil
}

// Usable returns those of the spans of a reading that Check accepts, and those that only lack a known
// infoType: they come from a later version, or from another table. Spans that cannot belong to the
// text of the call are in neither.
func (c *Call) Usable(spans []Span) (usable, unknown []Span) {
	bounds := boundsOf(c)
	spans = slices.Clone(spans)
	SortSpans(spans)
	end := Span{}
	for _, s := range spans {
		err := bounds.check(&s)
		switch {
		case end.overlaps(s), err != nil && !errors.Is(err, errUnknownType):
			continue
		case err == nil:
			usable = append(usable, s)
		default:
			if !plainType(s.Type) {
				s.Type = ""
			}
			unknown = append(unknown, s)
		}
		end = s
	}
	return usable, unknown
}

func (r *Reading) checkFields() error {
	switch {
	case !slices.Contains(Kinds(), r.Kind):
		return errors.New("unknown kind of reading")
	case len(r.Spans) > maxSpans || len(r.Rejected) > maxSpans:
		return fmt.Errorf("more than %d spans", maxSpans)
	case len(r.Notes) > maxNotes || len(r.Searched) > maxNotes:
		return fmt.Errorf("notes of more than %d bytes", maxNotes)
	case r.Verdict != "" && !slices.Contains([]risk.Verdict{risk.NothingFound, risk.Residual, risk.Identified}, r.Verdict):
		return errors.New("unknown verdict")
	case r.Kind == RedTeam && r.Done && r.Verdict == "":
		return errors.New("a red-team reading needs a verdict")
	}
	return nil
}

// bounds are the limits of the spans of a call: its texts, its masks and the known infoTypes.
type bounds struct {
	lengths map[int64]int // of the utterances, in code points
	masks   map[int64][]Mask
	types   []string
}

func boundsOf(c *Call) bounds {
	b := bounds{make(map[int64]int, len(c.Utterances)), map[int64][]Mask{}, Types(c.Mode)}
	for i := range c.Utterances {
		u := &c.Utterances[i]
		b.lengths[u.Seq] = utf8.RuneCountInString(u.Text)
		if c.Mode == Missed {
			b.masks[u.Seq] = u.Masks
		}
	}
	return b
}

var errUnknownType = errors.New("unknown infoType")

func (b *bounds) check(s *Span) error {
	if err := s.Place.check(b.lengths); err != nil {
		return err
	}
	if err := s.checkKey(); err != nil {
		return err
	}
	if slices.ContainsFunc(b.masks[s.Seq], func(m Mask) bool { return m.Start < s.End && s.Start < m.End }) {
		return errors.New("it overlaps a mask")
	}
	if !slices.Contains(b.types, s.Type) {
		return errUnknownType
	}
	return nil
}

// checkRejected checks a rejected suggestion, whose infoType may be one that only another version
// knows.
func (b *bounds) checkRejected(s *Span) error {
	if err := s.Place.check(b.lengths); err != nil {
		return err
	}
	if s.Type != "" && !plainType(s.Type) {
		return errUnknownType
	}
	return s.checkKey()
}

// checkWrong checks wrong masks, and fills in which infoTypes they have.
func (b *bounds) checkWrong(wrong []WrongMask) error {
	for i := range wrong {
		w := &wrong[i]
		at := slices.IndexFunc(b.masks[w.Seq], func(m Mask) bool { return m.Start == w.Start && m.End == w.End })
		switch {
		case at < 0:
			return fmt.Errorf("wrong mask %d: there is no mask at its place", i+1)
		case slices.ContainsFunc(wrong[:i], func(o WrongMask) bool { return o.Place == w.Place }):
			return fmt.Errorf("wrong mask %d: it is there twice", i+1)
		}
		w.Was = b.masks[w.Seq][at].Type
		if w.Type != "" && (!slices.Contains(b.types, w.Type) || w.Type == w.Was) {
			return fmt.Errorf("wrong mask %d: %w, or the one that it has", i+1, errUnknownType)
		}
	}
	return nil
}

func (s *Span) checkKey() error {
	for _, key := range []string{s.Key, s.Person} {
		if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return fmt.Errorf("a key and a person have letters and digits only, at most %d bytes", maxKey)
		}
	}
	return nil
}

// overlaps reports whether two spans, of which o does not begin earlier, have words in common.
func (s Span) overlaps(o Span) bool { return s.Seq == o.Seq && s.End > o.Start }

func (p Place) check(lengths map[int64]int) error {
	if n, ok := lengths[p.Seq]; !ok || p.Start < 0 || p.End <= p.Start || p.End > n {
		return errors.New("a place is not within its utterance")
	}
	return nil
}

// plainType reports whether a name has the form of an infoType, so that no text passes for one.
func plainType(name string) bool {
	return len(name) <= maxType && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func SortSpans(spans []Span) {
	slices.SortFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Start-b.Start, a.End-b.End)
	})
}

// Distinct returns the distinct pieces that spans mark, which Check has accepted. Labels without a score are no pieces.
func (c *Call) Distinct(spans []Span) []risk.Piece {
	texts := make(map[int64][]rune, len(c.Utterances))
	for i := range c.Utterances {
		texts[c.Utterances[i].Seq] = []rune(c.Utterances[i].Text)
	}
	var marked []risk.Piece
	for _, s := range spans {
		if !slices.Contains(unscored, s.Type) {
			value := string(texts[s.Seq][s.Start:s.End])
			marked = append(marked, risk.Piece{Type: s.Type, Value: value, Partial: s.Partial, Speaker: s.Speaker, Key: s.Key, Person: s.Person})
		}
	}
	pieces := []risk.Piece{}
	for _, d := range table.Merge(marked) {
		d.Piece.Value, d.Piece.Key = "", ""
		pieces = append(pieces, d.Piece)
	}
	return pieces
}

// SameAs reports whether two readings say the same, whatever their revisions.
func (r *Reading) SameAs(o *Reading) bool {
	SortSpans(r.Spans)
	return slices.Equal(r.Spans, o.Spans) && slices.Equal(r.Rejected, o.Rejected) && slices.Equal(r.Wrong, o.Wrong) &&
		r.Verdict == o.Verdict && r.Notes == o.Notes && r.Searched == o.Searched && r.Done == o.Done
}

// Week returns the Monday on which the week of a time begins, in UTC.
func Week(ms int64) string {
	t := time.UnixMilli(ms).UTC().Truncate(24 * time.Hour)
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format(time.DateOnly)
}
