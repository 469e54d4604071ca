package utility

import (
	"encoding/binary"
	"fmt"

	"sotto/replace"
)

// Treatment is one way to replace the slots of a training set.
type Treatment struct {
	Name string
	// Source says where the surrogates come from.
	Source   string
	strategy replace.Strategy
	none     bool
	// own asks for the infoTypes of Sotto and its built-in surrogates; slots of
	// other types are left.
	own bool
}

// Treatments are the rows of the table.
func Treatments() []Treatment {
	return []Treatment{
		{Name: "none", Source: "-", none: true},
		{Name: "redact", Source: "-", strategy: replace.Redact},
		{Name: "typed", Source: "-", strategy: replace.Typed},
		{Name: "typed-numbered", Source: "-", strategy: replace.TypedNumbered},
		{Name: "named", Source: "corpus", strategy: replace.Named},
		{Name: "word", Source: "corpus", strategy: replace.Word},
		{Name: "entity", Source: "corpus", strategy: replace.Entity},
		{Name: "entity", Source: "built-in", strategy: replace.Entity, own: true},
	}
}

// apply returns the texts of a training set after a treatment. p is the
// replacement probability.
func (t Treatment) apply(train []Example, seed uint64, p float64) ([]string, error) {
	texts := make([]string, len(train))
	if t.none {
		for i := range train {
			texts[i] = train[i].Text
		}
		return texts, nil
	}
	key := binary.BigEndian.AppendUint64([]byte("sotto utility  "), seed)
	c := replace.Config{Choice: replace.Choice{Default: t.strategy}, Independent: true, Probability: p, RiskAccepted: true, Key: key}
	if !t.own {
		var l replace.Learner
		for i := range train {
			e := &train[i]
			text := []rune(e.Text)
			for _, s := range e.Spans {
				l.Add(e.ID, s.Class, string(text[s.Start:s.End]))
			}
		}
		var err error
		if c.Tables, err = l.Tables(1); err != nil {
			return nil, fmt.Errorf("the surrogates of the training set: %w", err)
		}
	}
	plan, err := replace.New(c)
	if err != nil {
		return nil, err
	}
	for i := range train {
		texts[i] = t.text(plan, &train[i])
	}
	return texts, nil
}

func (t Treatment) text(plan *replace.Plan, e *Example) string {
	seed := plan.Seed(e.ID)
	text := []rune(e.Text)
	var out []byte
	at := 0
	numbers := map[string]int{}
	for pos, s := range e.Spans {
		class := s.Class
		if t.own {
			if class = s.Type; class == "OTHER" || class == "MONEY" {
				continue
			}
		}
		out = append(out, string(text[at:s.Start])...)
		numbers[class]++
		out = plan.Append(out, &seed, &replace.Mention{Type: class, N: numbers[class], Text: string(text[s.Start:s.End]), Pos: pos})
		at = s.End
	}
	return string(append(out, string(text[at:])...))
}
