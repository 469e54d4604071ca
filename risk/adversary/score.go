package adversary

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/internal/gold"
	"sotto/internal/texttable"
)

// Share is a part of a whole. In JSON it is a number between 0 and 1, or null of nothing.
type Share struct{ Part, Whole int }

// MarshalJSON writes the share as a number or null.
func (s Share) MarshalJSON() ([]byte, error) {
	if s.Whole == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s.Part) / float64(s.Whole))
}

func (s Share) String() string {
	if s.Whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(s.Part)/float64(s.Whole))
}

// Row has the figures of an attribute, of Tags or of Same.
type Row struct {
	About string `json:"about"`
	// Known is how often the truth is known, Answered how often of these the adversary says something, Right how often that is
	// right, and Shown how often it also quotes words that the call has.
	Known    int `json:"known"`
	Answered int `json:"answered"`
	Right    int `json:"right"`
	Shown    int `json:"shown"`
	// Beyond is how often it says something of which no truth is known.
	Beyond int `json:"beyond"`
}

// Recall is the share of known facts that the adversary got right.
func (r *Row) Recall() Share { return Share{r.Right, r.Known} }

// Report is what the adversary knows.
type Report struct {
	Calls int `json:"calls"`
	// Refused is how many answers could not be read; Misquoted how many quotes no call has.
	Refused   int `json:"refused"`
	Misquoted int `json:"misquoted"`
	// Complete says that everything was asked.
	Complete bool `json:"complete"`
	// Model has the figures of the model, if one was asked. Guesses are those of the baselines, and Halves is the share of calls of
	// which the second half is found by the first.
	Model   []Row `json:"model,omitempty"`
	Guesses []Row `json:"baselines"`
	Halves  Share `json:"halves_linked"`
	details []detail
}

// detail is a call with what was said of it, for the page.
type detail struct {
	ID     string
	Claims []claim
	Turns  []markedTurn
}

type claim struct{ Who, About, Value, Verdict string }

type markedTurn struct {
	Speaker string
	Pieces  []piece
}

// piece is a part of a turn; About says what it gives away, "" if nothing.
type piece struct{ Text, About string }

// Verdicts of claims.
const (
	right   = "right"
	wrong   = "wrong"
	unknown = "not known"
)

// Score compares answers with the truth, by the IDs of the calls. A nil answers is no model.
func Score(calls []gold.Conversation, truth map[string]*Truth, answers []Answer) *Report {
	guesses := Baselines(calls)
	r := &Report{Calls: len(calls), Complete: true, Halves: Halves(calls), Guesses: rows(calls, truth, guesses, nil)[len(Attributes):]}
	if answers == nil {
		return r
	}
	for i := range answers {
		r.Misquoted += answers[i].Misquoted
	}
	r.details = make([]detail, len(calls))
	r.Model = rows(calls, truth, answers, r.details)
	for i := range calls {
		r.details[i].ID, r.details[i].Turns = calls[i].ID, mark(&calls[i], answers[i].Evidence)
	}
	return r
}

// rows returns the figures, and fills in the claims of details unless it is nil.
func rows(calls []gold.Conversation, truth map[string]*Truth, answers []Answer, details []detail) []Row {
	var all []Row
	for _, about := range slices.Concat(Attributes, []string{Tags, Same}) {
		row := Row{About: about}
		for i := range calls {
			if !answers[i].asked[part(about == Same)] {
				continue
			}
			t := truth[calls[i].ID]
			if t == nil {
				t = &Truth{}
			}
			for _, c := range compared(&calls[i], t, &answers[i], about) {
				verdict := row.count(c)
				if details != nil && len(c.said) > 0 {
					details[i].Claims = append(details[i].Claims, claim{c.who, c.about, strings.Join(c.said, ", "), verdict})
				}
			}
		}
		all = append(all, row)
	}
	return all
}

// comparison is what is known and what is said of one thing.
type comparison struct {
	who, about  string
	known, said []string
	shown       bool
}

func compared(c *gold.Conversation, t *Truth, a *Answer, about string) (all []comparison) {
	shown := func(who, what string) bool {
		return slices.ContainsFunc(a.Evidence, func(h Hint) bool { return h.Speaker == who && h.About == what })
	}
	one := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	switch about {
	case Same:
		return []comparison{{"", Same, t.Same, one(a.Same), shown("", Same)}}
	case Tags:
		for _, tag := range tagsOf(c) {
			all = append(all, comparison{"", tag, one(t.Tags[tag]), one(a.Tags[tag]), shown("", tag)})
		}
		return all
	}
	var speakers []string
	for _, u := range c.Utterances {
		if !slices.Contains(speakers, u.Speaker) {
			speakers = append(speakers, u.Speaker)
			all = append(all, comparison{u.Speaker, about, t.Speakers[u.Speaker][about], a.Speakers[u.Speaker][about], shown(u.Speaker, about)})
		}
	}
	return all
}

func (r *Row) count(c comparison) (verdict string) {
	if len(c.known) == 0 {
		if len(c.said) > 0 {
			r.Beyond++
		}
		return unknown
	}
	r.Known++
	if len(c.said) == 0 {
		return wrong
	}
	r.Answered++
	if !slices.ContainsFunc(c.said, func(said string) bool {
		return slices.ContainsFunc(c.known, func(known string) bool { return agree(c.about, said, known) })
	}) {
		return wrong
	}
	r.Right++
	if c.shown {
		r.Shown++
	}
	return right
}

// agree reports whether a value is the other one, or a whole word of it or more: "Leeds" is right for "Leeds, near the
// station". IDs of calls and ages must be equal.
func agree(about, said, known string) bool {
	if about == Same {
		return said == known
	}
	a, b := " "+folded(said)+" ", " "+folded(known)+" "
	return a == b || about != "age_group" && about != "sex" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// mark divides the turns of a call that have evidence.
func mark(c *gold.Conversation, evidence []Hint) (all []markedTurn) {
	for i, u := range c.Utterances {
		text := []rune(u.Text)
		about := make([]string, len(text))
		for _, h := range evidence {
			if h.Turn != i || h.Start < 0 || h.End > len(text) {
				continue
			}
			for k := h.Start; k < h.End; k++ {
				if !slices.Contains(strings.Split(about[k], ", "), h.About) {
					about[k] = strings.TrimPrefix(about[k]+", "+h.About, ", ")
				}
			}
		}
		turn, found := markedTurn{Speaker: u.Speaker}, false
		for k, start := 1, 0; k <= len(text); k++ {
			if k == len(text) || about[k] != about[start] {
				found = found || about[start] != ""
				turn.Pieces = append(turn.Pieces, piece{string(text[start:k]), about[start]})
				start = k
			}
		}
		if found {
			all = append(all, turn)
		}
	}
	return all
}

// WriteTable writes the figures for people. They have no words of calls.
func (r *Report) WriteTable(w io.Writer) error {
	t := texttable.New("about", "known", "answered", "right", "right %", "with a quote", "beyond what is known")
	for _, part := range []struct {
		title string
		rows  []Row
	}{{"", r.Model}, {"guessed ", r.Guesses}} {
		for _, x := range part.rows {
			if x.Known+x.Answered+x.Beyond > 0 {
				t.Row(part.title+x.About, x.Known, x.Answered, x.Right, x.Recall(), x.Shown, x.Beyond)
			}
		}
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nhalves of calls linked by rare words: %s %% of %d\n", r.Halves, r.Halves.Whole)
	if err == nil && !r.Complete {
		_, err = fmt.Fprintln(w, "not everything was asked; what was not is left out")
	}
	if err == nil && r.Model != nil {
		_, err = fmt.Fprintf(w, "answers that could not be read: %d; quotes that no call has: %d\n", r.Refused, r.Misquoted)
	}
	return err
}
