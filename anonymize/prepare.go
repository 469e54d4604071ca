package anonymize

import (
	"sotto/anonymize/dialogue"
	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/pattern"
	"sotto/detectors/place"
	"sotto/detectors/spoken"
	"sotto/schemas"
	"sotto/state"
)

// Prepared is an event after all the work that needs no state. Events may be prepared
// ahead, in any order and in parallel.
type Prepared struct {
	Event *schemas.RawEvent
	// Explain is where Apply puts the reasons for each entity of the text, nil for nowhere.
	Explain *[]Explanation
	// Subthreshold is filled by Apply: what was found in the text and not masked, because it was
	// not likely enough.
	Subthreshold []detectors.SubthresholdFinding
	// LanguageDecision is filled by Apply.
	LanguageDecision
	// Remote is what remote tiers answered about the text; the caller fills it before Stage
	// or Apply. nil means that none was asked.
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
	reading  reading
	mentions mention.Reader
	// asked is what the text asks for.
	asked dialogue.Asked
	// places counts the findings that are places, which come first.
	places int

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
	e = e.of(ev.Tenant, ev.Context)
	w := e.workspace()
	e.read(w, ev.Text, roleOf(ev.Speaker), ev.Tenant)
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
	place.Find(d)
	w.places = len(d.Findings)
	e.findValues(w, tenant)
}

// findValues runs those rules that weigh words by what is expected. The places are found already.
func (e *Engine) findValues(w *workspace, tenant string) {
	w.doc.Findings = w.doc.Findings[:w.places]
	pattern.Find(&w.doc)
	e.rules.Find(&w.doc, tenant)
}

var roles = map[schemas.Role]detectors.Role{schemas.RoleAgent: detectors.RoleAgent, schemas.RoleCustomer: detectors.RoleCustomer}

func roleOf(s *schemas.Speaker) detectors.Role {
	if s == nil {
		return detectors.RoleUnknown
	}
	return roles[s.Role]
}

// maxKept bounds the text whose workspace is kept for further events.
const maxKept = 1 << 16

func (e *Engine) workspace() *workspace { return e.scratch.Get().(*workspace) }

// release keeps a workspace for further events. Nothing of the call stays in it.
func (e *Engine) release(w *workspace) {
	w.matcher = mention.Matcher{}
	if len(w.doc.Text) <= maxKept {
		e.scratch.Put(w)
	}
}
