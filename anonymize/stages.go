package anonymize

import (
	"slices"

	"sotto/anonymize/dialogue"
	"sotto/detectors"
	"sotto/detectors/pattern"
	"sotto/detectors/spoken"
	"sotto/schemas"
)

// route is a way of a text through the stages; in stages, a set of them.
type route uint8

const (
	onTurn    route = 1 << iota // the text of an event
	onForm                      // its unformatted form
	onLabel                     // the label of its speaker
	onDoubt                     // a text by itself, to judge it
	onClosing                   // a clean event, after its call

	onAll = onTurn | onForm | onLabel | onDoubt | onClosing
)

// step is a stage by its place.
type step int

// The steps, in their order.
const (
	splitWords step = iota
	joinSpoken
	findPatterns
	findOwn
	readTagger
	readQuestions

	continueDictation
	weigh
	encode
	decide
	findExplained

	matchKnown
	addReread
	settle
	adjust

	findTimes
	filter
	typeAnswers
	dropMasked
	joinLetters
	resolve
	dropWords
	dropTags
	join
	addUnformatted

	steps
)

// stages are all steps in which findings come about, change and become disjoint: the only place that says in which order. A text
// takes those of its route; run does them. docs/detection.md has the same table, and a test compares the two.
var stages = [steps]struct {
	does string // the function, as the page names it
	on   route
	tags bool // left out where the tagger does not read: it knows English only
}{
	// Read.
	splitWords:    {"detectors.Reset", onAll, false},
	joinSpoken:    {"detectors/spoken.Scan", onAll, false},
	findPatterns:  {"detectors/pattern.Find", onTurn | onForm | onLabel | onDoubt, false},
	findOwn:       {"anonymize/policy.Find", onTurn | onForm | onLabel | onDoubt, false},
	readTagger:    {"detectors/ner.Read", onTurn | onForm | onDoubt, true},
	readQuestions: {"anonymize/dialogue.ReadQuestions", onTurn | onDoubt, false},

	// Find by the dialogue.
	continueDictation: {"anonymize/dialogue.ContinueDictation", onTurn, false},
	weigh:             {"detectors/ner.Weigh", onTurn | onForm | onDoubt, true},
	encode:            {"anonymize.encode", onTurn | onForm | onDoubt, true},
	decide:            {"detectors/ner.Decide", onTurn | onForm | onDoubt, true},
	findExplained:     {"anonymize/dialogue.FindExplained", onTurn, false},

	// Query the call for what it knows, and the user's rules.
	matchKnown: {"anonymize/mention.Match", onTurn | onForm | onClosing, false},
	addReread:  {"anonymize.addReread", onClosing, false},
	settle:     {"detectors/ner.Settle", onTurn, false},
	adjust:     {"anonymize/policy.Adjust", onTurn | onForm, false},

	// Resolve what overlaps.
	findTimes:      {"detectors/pattern.Times", onTurn | onForm | onLabel | onDoubt, false},
	filter:         {"anonymize/policy.Filter", onAll, false},
	typeAnswers:    {"anonymize/dialogue.TypeAnswers", onTurn, false},
	dropMasked:     {"anonymize.withoutMasked", onClosing, false},
	joinLetters:    {"anonymize.joinSpelled", onAll, false},
	resolve:        {"detectors.Resolve", onAll, false},
	dropWords:      {"anonymize.withoutWords", onAll, false},
	dropTags:       {"anonymize.withoutTags", onAll, false},
	join:           {"anonymize.joinParts", onAll, false},
	addUnformatted: {"anonymize.addLexical", onTurn, false},
}

// run does the steps of a route from one to another, both inclusive. The functions behind them are called by name, so that the pass
// of an event stays off the heap.
func (p *eventPass) run(w *workspace, on route, from, to step) {
	for s := from; s <= to; s++ {
		switch {
		case stages[s].on&on == 0 || stages[s].tags && !p.isTagged():
		case s < continueDictation:
			p.read(w, s)
		case s < findTimes:
			p.find(w, s)
		default:
			p.settleOverlaps(w, s, on)
		}
	}
}

// isTagged reports whether the tagger reads the text.
func (p *eventPass) isTagged() bool { return !p.engine.untagged && !p.foreign }

// read does a step that needs no state.
func (p *eventPass) read(w *workspace, s step) {
	d := &w.doc
	switch s {
	case splitWords:
		d.Reset(w.text)
		d.Role, d.HotwordWindow = roleOf(p.event.Speaker), p.engine.rules.HotwordWindow()
	case joinSpoken:
		spoken.Scan(d)
	case findPatterns:
		pattern.Find(d)
	case findOwn:
		p.engine.rules.Find(d, p.event.Tenant)
	case readTagger:
		w.tagger.Read(d)
	case readQuestions:
		w.asked.ReadQuestions(d)
	}
}

// find does a step that depends on the call.
func (p *eventPass) find(w *workspace, s step) {
	d := &w.doc
	switch s {
	case continueDictation:
		dialogue.ContinueDictation(d, p.call, p.turn)
	case weigh:
		p.context, w.reading.read = dialogue.ContextOf(p.call, p.turn), false
		p.uncertain = w.tagger.Weigh(d, &p.context)
	case encode:
		if p.reading = nil; p.uncertain && p.engine.encoder != nil {
			p.reading = p.encode(w)
		}
	case decide:
		w.tagger.Decide(d, &p.context, p.reading)
	case findExplained:
		dialogue.FindExplained(d, p.call, p.turn)
	case matchKnown:
		w.matcher.Match(d, p.call)
	case addReread:
		p.addReread(d)
	case settle:
		w.tagger.Settle(d)
	case adjust:
		p.engine.rules.Adjust(d)
	}
}

// settleOverlaps does a step after which the findings are disjoint. They are the workspace's until the next resolve.
func (p *eventPass) settleOverlaps(w *workspace, s step, on route) {
	d, x := &w.doc, p.explainer
	if on != onTurn {
		x = nil
	}
	switch s {
	case findTimes:
		if p.engine.rules.Masks(detectors.Time) {
			pattern.Times(d)
		}
	case filter:
		p.engine.rules.Filter(d, p.event.Tenant, x.dropped())
		w.resolver.Explain = x != nil
	case typeAnswers:
		dialogue.TypeAnswers(d, p.call, p.turn, &w.mentions, p.engine.rules.Masks)
	case dropMasked:
		d.Findings = withoutMasked(d, p.published.Entities)
	case joinLetters:
		joinSpelled(d)
	case resolve:
		w.found = w.resolver.Resolve(d)
	case dropWords:
		w.found = withoutWords(d, w.found)
	case dropTags:
		w.found = withoutTags(d, w.found)
	case join:
		w.found = joinParts(d, w.found)
	case addUnformatted:
		if p.addLexical(w, w.found) {
			p.run(w, on, joinLetters, join)
		}
	}
}

// disjoint makes the findings of an event's text disjoint, once more if some were added, and returns them.
func (p *eventPass) disjoint(w *workspace) []detectors.Finding {
	p.run(w, onTurn, findTimes, join)
	return w.found
}

// addReread adds what Reread found in a published event, but for what is within a value that the call knows.
func (p *eventPass) addReread(d *detectors.Document) {
	known := d.Findings
	for _, f := range p.again {
		if !leadsToMask(d, &f, p.published.Entities) && !slices.ContainsFunc(known, func(k detectors.Finding) bool { return k.Start <= f.Start && f.End <= k.End }) {
			d.Add(f)
		}
	}
}

// withoutMasked drops what is masked already.
func withoutMasked(d *detectors.Document, masks []schemas.Entity) []detectors.Finding {
	return slices.DeleteFunc(d.Findings, func(f detectors.Finding) bool {
		start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
		return slices.ContainsFunc(masks, func(m schemas.Entity) bool { return start < m.End && m.Start < end })
	})
}
