package oracle

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/config"
	"sotto/schemas"
	"sotto/training/corpus/words"
)

// graph is the definition of the graph of indirect identifiers: who uses which n-gram.
type graph struct {
	users map[string]map[string]bool
	order []string // of the n-grams that too few use, those that were used longest ago first
	calls int64
}

// gramPlace is an n-gram of a text: the positions of its words.
type gramPlace struct {
	gram  string
	words []schemas.Span
}

// places lists the n-grams of the words that nothing masked interrupts.
func (s *stream) places(e *schemas.CleanEvent) (all []gramPlace) {
	if e.Type != schemas.Utterance {
		return nil
	}
	masked := func(start, end int) bool {
		return slices.ContainsFunc(e.Entities, func(x schemas.Entity) bool { return x.Start < end && start < x.End })
	}
	var splitter words.Splitter
	list := slices.Clone(splitter.Split(e.Text))
	position := func(at int) int { return utf8.RuneCountInString(e.Text[:at]) }
	for i := range list {
		for n := 1; n <= s.Settings.IndirectNGram && i+n <= len(list); n++ {
			p := gramPlace{}
			var texts []string
			first, last := position(list[i].Start), position(list[i+n-1].End)
			if masked(first, last) {
				break
			}
			for _, w := range list[i : i+n] {
				if w.Marker {
					texts = nil
					break
				}
				texts = append(texts, w.Text)
				p.words = append(p.words, schemas.Span{Start: position(w.Start), End: position(w.End)})
			}
			if texts == nil {
				break
			}
			p.gram = strings.Join(texts, " ")
			all = append(all, p)
		}
	}
	return all
}

func (s *stream) who(id string, e *schemas.CleanEvent) string {
	if s.Settings.IndirectBy == config.BySpeaker && e.Speaker != nil {
		return id + "/" + e.Speaker.ID
	}
	return id
}

func (s *stream) link(g *graph, id string, e *schemas.CleanEvent) {
	who := s.who(id, e)
	for _, p := range s.places(e) {
		users := g.users[p.gram]
		if users[who] || len(users) >= s.Settings.IndirectK {
			continue
		}
		if users == nil {
			if len(g.users) >= s.Settings.IndirectMaxWords {
				if len(g.order) == 0 {
					continue
				}
				delete(g.users, g.order[0])
				g.order = g.order[1:]
				s.out.Forgotten++
			}
			users = map[string]bool{}
			g.users[p.gram] = users
		}
		users[who] = true
		g.order = slices.DeleteFunc(g.order, func(x string) bool { return x == p.gram })
		if len(users) < s.Settings.IndirectK {
			g.order = append(g.order, p.gram)
		}
	}
}

// unsafe lists the words of a text in n-grams that too few use.
func (s *stream) unsafe(g *graph, e *schemas.CleanEvent) (found []schemas.Span) {
	for _, p := range s.places(e) {
		if len(g.users[p.gram]) < s.Settings.IndirectK {
			found = append(found, p.words...)
		}
	}
	slices.SortFunc(found, func(a, b schemas.Span) int { return a.Start - b.Start })
	return slices.Compact(found)
}

// protect marks or masks the words of an event of a final version that too few use.
func (s *stream) protect(g *graph, c *call, e *schemas.CleanEvent) *schemas.CleanEvent {
	found := s.unsafe(g, e)
	s.out.Identifying += len(found)
	out := *e
	if s.Settings.Indirect == config.MarkIndirect {
		out.Indirect = found
	} else {
		out, _ = s.Engine.MaskWords(c.memory, &out, found)
	}
	return &out
}

// countCall counts a call that ends, with its events as published and as the final version has them.
func (s *stream) countCall(p *partition, c *call, id string, published []*schemas.CleanEvent) *schemas.IndirectSummary {
	if s.Settings.TopicIndirect == "" {
		return nil
	}
	g := &p.graph
	sum := &schemas.IndirectSummary{Calls: g.calls, Judged: g.calls >= int64(s.Settings.IndirectMinCalls)}
	if c.ended {
		return sum
	}
	for _, e := range c.kept {
		s.link(g, id, e)
	}
	g.calls++
	if !sum.Judged {
		s.out.Unjudged++
		return sum
	}
	for i, e := range c.kept {
		for _, w := range s.unsafe(g, published[i]) {
			sum.Words = append(sum.Words, schemas.MarkedWord{Seq: e.Seq, Start: w.Start, End: w.End})
		}
		c.kept[i] = s.protect(g, c, e)
	}
	sum.Count = int64(len(sum.Words))
	return sum
}

// countLate counts an event that comes after the END of its call.
func (s *stream) countLate(p *partition, c *call, e *schemas.CleanEvent) *schemas.CleanEvent {
	if s.Settings.TopicIndirect == "" {
		return e
	}
	s.link(&p.graph, e.CallID, e)
	if p.graph.calls < int64(s.Settings.IndirectMinCalls) {
		return e
	}
	return s.protect(&p.graph, c, e)
}
