package processor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/panics"
	"sotto/processor/partition"
	"sotto/processor/topic"
	"sotto/schemas"
	"sotto/training/corpus/indirect/live"
	"sotto/training/corpus/words"
)

// The graph of indirect identifiers of a partition counts a call when it ends, and its later events
// when they arrive. What the END says depends on the calls that were counted before, so calls are
// counted in the order of the log, whatever worker owns them: the task that may count has a turn.
// The graph's changes belong to the transaction that writes the END, like the state of the call.

// maxMarkedWords bounds the words that an END lists, so that it fits a record.
const maxMarkedWords = 1000

func (p *Processor) newGraph(partition int32) *live.Graph {
	set := &p.settings
	if set.TopicIndirect == "" {
		return nil
	}
	return live.New(live.Options{
		K: set.IndirectK, MaxGrams: set.IndirectMaxWords, Partition: partition,
		Scheme: fmt.Sprintf("k=%d n=%d by=%s", set.IndirectK, set.IndirectNGram, set.IndirectBy),
	}, p.keys.Load())
}

func (t *task) inTurn(p *partition.Partition) { t.graph, t.turn = p.Turn() }

// enter returns the graph when the task's turn has come. What the task does to it can be undone
// with leaveNoTrace.
func (t *task) enter() *live.Graph {
	t.turn.Wait()
	if t.entered == nil {
		at := t.graph.Savepoint()
		t.entered = &at
	}
	return t.graph
}

func (t *task) leaveNoTrace() {
	if t.entered != nil {
		t.graph.UndoTo(*t.entered)
	}
}

type gram struct {
	text        string
	first, last int
}

type wording struct {
	words []schemas.Span // outside of entities
	grams []gram
}

// reader finds the n-grams of texts, and computes the digest of each n-gram once.
type reader struct {
	splitter words.Splitter
	hasher   *live.Hasher
	digests  map[string]live.Gram
	longest  int
}

// reader returns the worker's reader for the texts of one call.
func (w *worker) reader(g *live.Graph) *reader {
	r := &w.texts
	if r.hasher == nil || r.hasher.Ring() != g.Ring() {
		r.hasher = live.NewHasher(g.Ring())
	}
	r.digests, r.longest = map[string]live.Gram{}, w.s.p.settings.IndirectNGram
	return r
}

func (r *reader) read(clean *schemas.CleanEvent) wording {
	var found wording
	if clean.Type != schemas.Utterance {
		return found
	}
	var texts []string
	var joined []bool // with the word before: nothing masked is between them
	at, point, entities, broken := 0, 0, clean.Entities, true
	for _, word := range r.splitter.Split(clean.Text) {
		start := point + utf8.RuneCountInString(clean.Text[at:word.Start])
		end := start + utf8.RuneCountInString(clean.Text[word.Start:word.End])
		at, point = word.End, end
		for len(entities) > 0 && entities[0].End <= start {
			entities, broken = entities[1:], true
		}
		if word.Marker || len(entities) > 0 && entities[0].Start < end {
			broken = true
			continue
		}
		found.words = append(found.words, schemas.Span{Start: start, End: end})
		texts, joined = append(texts, word.Text), append(joined, !broken)
		broken = false
	}
	for i := range texts {
		text := ""
		for n := 0; n < r.longest && i+n < len(texts) && (n == 0 || joined[i+n]); n++ {
			if n > 0 {
				text += " "
			}
			text += texts[i+n]
			found.grams = append(found.grams, gram{text, i, i + n})
			if r.digests[text] == nil {
				r.digests[text] = r.hasher.Gram(text)
			}
		}
	}
	return found
}

// identifying returns the words of a text that are in an n-gram that too few individuals use.
func (r *reader) identifying(g *live.Graph, text *wording) []schemas.Span {
	marked := make([]bool, len(text.words))
	for _, x := range text.grams {
		if !g.Safe(r.digests[x.text]) {
			for i := x.first; i <= x.last; i++ {
				marked[i] = true
			}
		}
	}
	var spans []schemas.Span
	for i, is := range marked {
		if is {
			spans = append(spans, text.words[i])
		}
	}
	return spans
}

func (r *reader) link(g *live.Graph, who live.Individual, text *wording) {
	for _, x := range text.grams {
		g.Link(r.digests[x.text], who)
	}
}

// individual returns who says an event of a call, as configured.
func (w *worker) individual(r *reader, id string, clean *schemas.CleanEvent) live.Individual {
	if w.s.p.settings.IndirectBy == config.BySpeaker && clean.Speaker != nil {
		return r.hasher.Individual(id + "\x00" + clean.Speaker.ID)
	}
	return r.hasher.Individual(id)
}

// countCall counts a call that ends, and marks or masks the indirect identifiers in its final
// version. It returns what the END says of them; nil if there is no graph.
func (w *worker) countCall(t *task, f *closedCall) *schemas.IndirectSummary {
	if t.graph == nil {
		return nil
	}
	r := w.reader(t.graph)
	before, after := make([]wording, len(f.events)), make([]wording, len(f.events))
	who := make([]live.Individual, len(f.events))
	for i := range f.events {
		e := &f.events[i]
		before[i], after[i] = r.read(e.clean), r.read(&e.final)
		who[i] = w.individual(r, t.id, e.clean)
	}
	g := t.enter()
	sum := &schemas.IndirectSummary{Calls: int64(g.Calls()), Judged: g.Calls() >= uint64(w.s.p.settings.IndirectMinCalls)}
	for i := range f.events {
		r.link(g, who[i], &after[i])
	}
	if t.closes {
		g.CountCall()
	}
	if !sum.Judged {
		return sum
	}
	for i := range f.events {
		e := &f.events[i]
		for _, s := range r.identifying(g, &before[i]) {
			sum.Count++
			if len(sum.Words) < maxMarkedWords {
				sum.Words = append(sum.Words, schemas.MarkedWord{Seq: e.clean.Seq, Start: s.Start, End: s.End})
			}
		}
		e.lost = !w.protect(t, &e.final, r.identifying(g, &after[i]))
	}
	return sum
}

// countLate counts an event that arrives after the END of its call, and returns the event for the
// final topic; nil if it must not go there.
func (w *worker) countLate(t *task, clean *schemas.CleanEvent) *schemas.CleanEvent {
	if t.graph == nil {
		return clean
	}
	r := w.reader(t.graph)
	text, who := r.read(clean), w.individual(r, t.id, clean)
	g := t.enter()
	r.link(g, who, &text)
	if g.Calls() < uint64(w.s.p.settings.IndirectMinCalls) {
		return clean
	}
	final := *clean
	if !w.protect(t, &final, r.identifying(g, &text)) {
		return nil
	}
	return &final
}

// protect marks or masks words of an event, as configured. If the engine panics, the event is
// unchanged and protect returns false.
func (w *worker) protect(t *task, final *schemas.CleanEvent, marked []schemas.Span) (ok bool) {
	if w.s.p.settings.Indirect == config.MarkIndirect {
		final.Indirect = slices.Clip(marked)
		return true
	}
	c, tenant := t.call, final.Tenant
	memory := c.Pending.Clone()
	final.Tenant = t.meta.Tenant // the policy is that of the raw one
	defer func() {
		final.Tenant = tenant
		if recover() != nil {
			w.s.p.log.Error("the engine panicked when it masked indirect identifiers; the final version lacks the event", "at", panics.Site(6))
			ok = false
		}
	}()
	masked, changed := w.s.p.engine.Load().MaskWords(memory, final, marked)
	if changed {
		c.Pending, c.Changed = memory, true
	}
	*final = masked
	return true
}

// writeGraphs writes what changed in the graphs of the partitions that the transaction changes.
// What changed because of the keys waits for such a transaction: only that one fails if another
// member owns the partition.
func (s *session) writeGraphs() {
	for _, id := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[id]
		if p.Graph == nil || !p.Graph.NeedsRecords() || !p.Consumed() && !slices.Contains(s.fence, id) {
			continue
		}
		s.counts.Forgotten += p.Graph.Forgotten()
		p.Graph.Records(func(key, value []byte) {
			s.produce(&kgo.Record{Topic: s.p.settings.TopicIndirect, Partition: id, Key: key, Value: value})
		})
	}
}

// restoreGraph reads the graph of a partition, if one is kept.
func (s *session) restoreGraph(ctx context.Context, r *topic.Reader, p *partition.Partition, at *partition.Checkpoint) error {
	if p.Graph = s.p.newGraph(p.ID); p.Graph == nil {
		return nil
	}
	name := s.p.settings.TopicIndirect
	end, _, err := r.End(ctx, name, p.ID)
	if err != nil {
		return err
	}
	halt := func(err error) error { return fmt.Errorf("%w: %s partition %d: %w", errHalted, name, p.ID, err) }
	lost := func(why string) error {
		return halt(fmt.Errorf("%w: %s; see \"The graph\" in docs/training/stream.md", live.ErrLost, why))
	}
	if why := at.CutOffGraph(end); why != "" && end > 0 { // of an empty one, there is more to say
		return lost(why)
	}
	err = r.Read(ctx, name, p.ID, topic.Earliest, end, func(rec *kgo.Record) error {
		if err := p.Graph.Restore(rec.Key, rec.Value); err != nil {
			return halt(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.GraphEnd = end
	err = p.Graph.Restored(at.Graph)
	if why := at.LostGraph(end, p.Graph.Sum()); err == nil && why != "" {
		return lost(why)
	}
	if err != nil {
		return halt(fmt.Errorf("%w; see \"The graph\" in docs/training/stream.md", err))
	}
	return nil
}
