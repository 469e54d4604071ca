package anonymize

import (
	"sotto/anonymize/dialogue"
	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/cue"
	"sotto/detectors/ner"
	"sotto/detectors/pattern"
	"sotto/detectors/refine"
	"sotto/detectors/spoken"
	"sotto/schemas"
	"sotto/state"
)

// Prepared is an event after all the work that needs no state. Events may be prepared
// ahead, in any order and in parallel.
type Prepared struct {
	Event *schemas.RawEvent
	// Subthreshold is filled by Apply: what was found in the text and not masked, because it was
	// not likely enough.
	Subthreshold []detectors.SubthresholdFinding
	// LanguageDecision is filled by Apply.
	LanguageDecision
	// Remote is what remote tiers answered about the text; the caller fills it before Accept,
	// Stage or Apply. nil means that none was asked.
	Remote *RemoteAnswer
	// work is nil until Prepare fills it and after Apply used it up.
	work *workspace
}

// workspace is what an event is worked on with.
type workspace struct {
	doc      detectors.Document
	matcher  mention.Matcher
	resolver detectors.Resolver
	tagger   *ner.Tagger
	mentions mention.Reader
	// asked is what the text asks for.
	asked dialogue.Asked
	// parts are what the event contains of findings of which other events, deferred with
	// it, contain the rest.
	parts []dialogue.SpanPart

	// byWords are the findings of the first detector, before any other step.
	byWords []detectors.Finding

	refs  []state.Ref
	split []detectors.Finding
	out   []byte
}

// Prepare does the part of the work that needs no state. The event must not change until
// it is applied.
func (e *Engine) Prepare(ev *schemas.RawEvent) *Prepared {
	// So short that it is inlined, and what is applied at once needs no memory of its own.
	return &Prepared{Event: ev, work: e.prepare(ev)}
}

// prepare reads the text of an event in a workspace, which the caller releases. It returns nil if
// there is none.
func (e *Engine) prepare(ev *schemas.RawEvent) *workspace {
	if ev.Type != schemas.Utterance || ev.Text == "" {
		return nil
	}
	w := e.workspace()
	e.read(w, ev.Text, roleOf(ev), ev.Tenant)
	w.asked.ReadQuestions(&w.doc)
	return w
}

// read runs the rules on a text, and gives it to the tagger. It needs no state.
func (e *Engine) read(w *workspace, text string, role detectors.Role, tenant string) {
	e.readByRules(w, text, role, tenant)
	if !e.untagged {
		w.tagger.Read(&w.doc)
	}
}

// readByRules tokenizes a text and runs the rules that need no state.
func (e *Engine) readByRules(w *workspace, text string, role detectors.Role, tenant string) {
	d := &w.doc
	d.Reset(text)
	d.Role, d.HotwordWindow = role, e.rules.HotwordWindow()
	spoken.Scan(d)
	e.find(w, tenant)
}

// find runs the detectors that need no state.
func (e *Engine) find(w *workspace, tenant string) {
	d := &w.doc
	if wordTrigger.Fires(d) {
		words.Detect(d)
	}
	w.byWords = append(w.byWords[:0], d.Findings...)
	e.findCodes(w, tenant)
}

// findAgain is find for the same text, now with an expected answer. The findings of the first
// detector do not depend on that and are kept.
func (e *Engine) findAgain(w *workspace, tenant string) {
	w.doc.Findings = append(w.doc.Findings[:0], w.byWords...)
	e.findCodes(w, tenant)
}

// findCodes runs the steps of find that follow the first detector.
func (e *Engine) findCodes(w *workspace, tenant string) {
	if codeTrigger.Fires(&w.doc) {
		codes.Detect(&w.doc)
	}
	refine.Findings(&w.doc)
	e.rules.Find(&w.doc, tenant)
}

// The rules: words that reveal names and places, and the forms of numbers, codes and addresses. Only
// the latter depend on an expected answer.
var (
	words cue.Detector
	codes pattern.Detector

	wordTrigger, codeTrigger = words.Trigger(), codes.Trigger()
)

// Rules are the detectors that look at one text alone. The tagger is not among them: it weighs what
// they find in the light of the call.
func Rules() []detectors.Detector { return []detectors.Detector{words, codes} }

func roleOf(ev *schemas.RawEvent) detectors.Role {
	if ev.Speaker != nil {
		switch ev.Speaker.Role {
		case schemas.RoleAgent:
			return detectors.RoleAgent
		case schemas.RoleCustomer:
			return detectors.RoleCustomer
		}
	}
	return detectors.RoleUnknown
}

// maxKept bounds the text whose workspace is kept for further events.
const maxKept = 1 << 16

func (e *Engine) workspace() *workspace { return e.scratch.Get().(*workspace) }

// release keeps a workspace for further events. Nothing of the call stays in it.
func (e *Engine) release(w *workspace) {
	w.parts, w.matcher = nil, mention.Matcher{}
	if len(w.doc.Text) <= maxKept {
		e.scratch.Put(w)
	}
}
