package anonymize

import (
	"sotto/anonymize/dialogue"
	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/ner"
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
	// text is what the document is made of.
	text     string
	doc      detectors.Document
	matcher  mention.Matcher
	resolver detectors.Resolver
	tagger   *ner.Tagger
	reading  reading
	mentions mention.Reader
	// asked is what the text asks for.
	asked dialogue.Asked
	// found are the findings that were made disjoint.
	found []detectors.Finding

	refs []state.Ref
	out  []byte
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
	w.text = ev.Text
	p := eventPass{engine: e, event: ev}
	p.run(w, onTurn, splitWords, readQuestions)
	return w
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
	w.matcher, w.text, w.found = mention.Matcher{}, "", nil
	if len(w.doc.Text) <= maxKept {
		e.scratch.Put(w)
	}
}
