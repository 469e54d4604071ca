package anonymize

import (
	"reflect"
	"strings"
	"testing"

	"sotto/detectors/ner"
	"sotto/files/formats/plaintext"
	"sotto/schemas"
	"sotto/state"
)

// newEngine makes an engine for what does not depend on the operating point. It masks little without
// need, so that a test shows what it is about.
func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	if o.Sensitivity == "" {
		o.Sensitivity = ner.Balanced
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// converse anonymizes a call given as lines of text.
func converse(t testing.TB, e *Engine, text string) string {
	t.Helper()
	conversation := NewConversation(e)
	var lines []string
	if err := plaintext.Read(strings.NewReader(text), func(ev *schemas.RawEvent) error {
		out := conversation.Add(ev)
		lines = append(lines, plaintext.Format(&out.Clean))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func utterance(seq int64, label, text string) *schemas.RawEvent {
	return &schemas.RawEvent{
		CallID: "c-42", Seq: seq, Type: schemas.Utterance, Text: text,
		Speaker: &schemas.Speaker{ID: "id of " + label, Label: label, Role: schemas.RoleAgent},
	}
}

// The event of DESIGN 1.2, which is the example of Table 1 of the paper.
func TestEventOfTheContract(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	ms := func(n int64) *int64 { return &n }
	at := func(n int) *int { return &n }
	clean, changed := e.Apply(state.NewCall(), e.Prepare(&schemas.RawEvent{
		CallID: "c-42", Seq: 3, Type: schemas.Utterance, Context: "customer_support", Tenant: "acme",
		Speaker:  &schemas.Speaker{ID: "pam@example.com", Label: "Pam", Role: schemas.RoleAgent},
		Text:     "This is Pam calling from Dunder Mifflin, may I speak to Jim?",
		Language: "en-US", StartMS: ms(1200), EndMS: ms(4100), TimestampMS: 1763683200000,
	}))
	want := schemas.CleanEvent{
		CallID: "c-42", Seq: 3, Type: schemas.Utterance, Context: "customer_support", Tenant: "acme",
		Speaker: &schemas.Speaker{ID: "s1", Label: "[PERSON_NAME_1]", Role: schemas.RoleAgent},
		Text:    "This is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], may I speak to [PERSON_NAME_2]?",
		Entities: []schemas.Entity{
			{Start: 8, End: 23, Type: "PERSON_NAME", ID: 1, RawStart: at(8), RawEnd: at(11), Detector: "speaker", Score: 1},
			{Start: 37, End: 58, Type: "ORGANIZATION_NAME", ID: 1, RawStart: at(25), RawEnd: at(39), Detector: "model", Score: clean.Entities[1].Score},
			{Start: 75, End: 90, Type: "PERSON_NAME", ID: 2, RawStart: at(56), RawEnd: at(59), Detector: "model", Score: clean.Entities[2].Score},
		},
		Policy: e.Policy(), Strategy: "typed-numbered", Language: "en-US",
		StartMS: ms(1200), EndMS: ms(4100), TimestampMS: 1763683200000,
	}
	if !changed {
		t.Error("nothing was learned")
	}
	if !reflect.DeepEqual(clean, want) {
		t.Errorf("got  %+v\nwant %+v", clean, want)
	}
}

func TestRawPositionsAreOptional(t *testing.T) {
	e := newEngine(t, Options{})
	clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", "My name is Zoë, and I am calling for Renée.")))
	if clean.Text != "My name is [PERSON_NAME_1], and I am calling for [PERSON_NAME_2]." {
		t.Errorf("text %q", clean.Text)
	}
	for _, x := range clean.Entities {
		if x.RawStart != nil || x.RawEnd != nil {
			t.Error("an entity has raw positions")
		}
	}
}

func TestPositionsCountCodePoints(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	raw := "It’s fine – my name is Renée Dubois."
	clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", raw)))
	if len(clean.Entities) != 1 {
		t.Fatalf("%d entities", len(clean.Entities))
	}
	x := clean.Entities[0]
	if got := string([]rune(clean.Text)[x.Start:x.End]); got != "[PERSON_NAME_1]" {
		t.Errorf("the clean positions give %q", got)
	}
	if got := string([]rune(raw)[*x.RawStart:*x.RawEnd]); got != "Renée Dubois" {
		t.Errorf("the raw positions give %q", got)
	}
}

func TestParticipantsAreMaskedInAnySpelling(t *testing.T) {
	e := newEngine(t, Options{})
	c := state.NewCall()
	start, changed := e.Apply(c, e.Prepare(&schemas.RawEvent{
		CallID: "c", Seq: 1, Type: schemas.Start, Context: "sales",
		Participants: []schemas.Participant{{
			SpeakerID: "u1", Names: []string{"Mark Kowalski", "Marky"}, Organization: "Blue Harbor Ltd.",
			Emails: []string{"mk21@example.com"}, Phones: []string{"+1 604-555-0134"}, Other: []string{"Q7X", "Project Nightjar"},
		}},
	}))
	if !changed {
		t.Error("START did not change the state")
	}
	if start.Text != "" || len(start.Entities) != 0 || start.Speaker != nil || start.Context != "sales" {
		t.Errorf("START's clean event is %+v", start)
	}
	if len(c.Entities()) != 0 {
		t.Error("values that were not said are counted")
	}
	for _, x := range []struct{ raw, want string }{
		{"is KOWALSKI here today", "is [PERSON_NAME_1] here today"},
		{"they asked marky about it", "they asked [PERSON_NAME_1] about it"},
		{"that is marc kowalsky again", "that is [PERSON_NAME_1] again"},
		{"they build things at blue harbor every day", "they build things at [ORGANIZATION_NAME_1] every day"},
		{"the q7x thing is project nightjar", "the [GENERIC_ID_1] thing is [GENERIC_ID_2]"},
	} {
		clean, _ := e.Apply(c, e.Prepare(utterance(2, "Agent", x.raw)))
		if clean.Text != x.want {
			t.Errorf("got  %s\nwant %s", clean.Text, x.want)
		}
		for _, n := range clean.Entities {
			if n.Detector != "participant" || n.Score != 1 {
				t.Errorf("%s: detector %s, score %v", clean.Text, n.Detector, n.Score)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	e := newEngine(t, Options{})
	for label, want := range map[string]string{
		"":                 "",
		"Agent":            "Agent",
		"Speaker 1":        "Speaker 1",
		"SPEAKER_00":       "SPEAKER_00",
		"speaker2":         "speaker2",
		"Person A":         "Person A",
		"Customer Service": "Customer Service",
		"Pam":              "[PERSON_NAME_1]",
		"pam beesly":       "[PERSON_NAME_1]",
		"Agent Jannie":     "Agent [PERSON_NAME_1]",
		"Beesly, Pam":      "[PERSON_NAME_1]",
		"Dr. Pam Beesly":   "Dr. [PERSON_NAME_1]",
		"Xqzzt":            "[PERSON_NAME_1]",
		"Jack's phone":     "[PERSON_NAME_1]",
	} {
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, label, "okay")))
		if clean.Speaker.Label != want {
			t.Errorf("%q became %q, want %q", label, clean.Speaker.Label, want)
		}
	}
}

func TestSpeakersAreNamedInOrderOfAppearance(t *testing.T) {
	e := newEngine(t, Options{})
	c := state.NewCall()
	var got []string
	for i, label := range []string{"Jim", "Pam", "Jim"} {
		clean, _ := e.Apply(c, e.Prepare(utterance(int64(i), label, "okay")))
		got = append(got, clean.Speaker.ID+clean.Speaker.Label)
	}
	if g := strings.Join(got, " "); g != "s1[PERSON_NAME_1] s2[PERSON_NAME_2] s1[PERSON_NAME_1]" {
		t.Error(g)
	}
}

func TestFreeStringsPassOnlyAsIdentifiers(t *testing.T) {
	e := newEngine(t, Options{})
	ev := utterance(1, "Agent", "okay")
	ev.Context, ev.Tenant, ev.Language = "the call with Pam", "pam@example.com", strings.Repeat("x", 40)
	ev.Speaker.Role, ev.Type = "Pam", "Pam"
	clean, _ := e.Apply(state.NewCall(), e.Prepare(ev))
	if clean.Context != "" || clean.Tenant != "" || clean.Language != "" || clean.Speaker.Role != schemas.RoleUnknown || clean.Type != schemas.Utterance {
		t.Errorf("%+v", clean)
	}
}

func TestTagsBeyondTheLimitHaveNoNumber(t *testing.T) {
	e := newEngine(t, Options{MaxEntities: 2})
	got := converse(t, e, "Agent: My name is Ann.\nAgent: May I speak to Bob?\nAgent: May I speak to Carl?\nAgent: My name is Ann.")
	want := "Agent: My name is [PERSON_NAME_1].\nAgent: May I speak to [PERSON_NAME_2]?\nAgent: May I speak to [PERSON_NAME]?\nAgent: My name is [PERSON_NAME_1]."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAPlainTurnChangesNothing(t *testing.T) {
	e := newEngine(t, Options{})
	c := state.NewCall()
	for i, x := range []struct {
		text    string
		changed bool
	}{
		{"Hi, my name is Ann Lee.", true},
		{"I would like to return the paper that we bought.", false},
		{"As I said, my name is Ann Lee.", true}, // what a turn contains bears on the next ones
		{"It was on the table.", false},
		{"One moment please.", false},
	} {
		before, _ := c.MarshalBinary()
		_, changed := e.Apply(c, e.Prepare(utterance(int64(i+1), "Agent", x.text)))
		after, _ := c.MarshalBinary()
		if changed != x.changed || changed != (string(before) != string(after)) {
			t.Errorf("turn %d: changed is %v", i+1, changed)
		}
	}
}

func TestAPreparedEventMayBeAppliedAgain(t *testing.T) {
	e := newEngine(t, Options{})
	p := e.Prepare(utterance(1, "Agent", "My name is Ann."))
	a, _ := e.Apply(state.NewCall(), p)
	b, _ := e.Apply(state.NewCall(), p)
	if !reflect.DeepEqual(a, b) {
		t.Error("the second time differs")
	}
}

func TestEndAndEmptyEventsCarryNoText(t *testing.T) {
	e := newEngine(t, Options{})
	for _, ev := range []*schemas.RawEvent{
		{CallID: "c", Seq: 1, Type: schemas.End, Text: "My name is Ann."},
		{CallID: "c", Seq: 2, Type: schemas.Start, Text: "My name is Ann."},
		{CallID: "c", Seq: 3, Type: schemas.Utterance},
	} {
		clean, _ := e.Apply(state.NewCall(), e.Prepare(ev))
		if clean.Text != "" || clean.Entities == nil || len(clean.Entities) != 0 || clean.Call != nil {
			t.Errorf("%s: %+v", ev.Type, clean)
		}
	}
}

func TestPolicyDependsOnWhatDecides(t *testing.T) {
	seen := map[string]bool{}
	for i, o := range []Options{{}, {MaxEntities: 5}, {RemoteTiers: "presidio 1"}, {Settings: "gate off"}} {
		p := newEngine(t, o).Policy()
		if len(p) != 12 || seen[p] {
			t.Errorf("options %d: policy %s", i, p)
		}
		seen[p] = true
	}
	if !seen[newEngine(t, Options{RawOffsets: true}).Policy()] {
		t.Error("raw positions change the policy hash")
	}
	if _, err := New(Options{MaxEntities: -1}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

// An organization that a speaker belongs to is distinguished from one that is only mentioned.
func TestOrganizationOfASpeaker(t *testing.T) {
	e := newEngine(t, Options{})
	for text, want := range map[string]bool{
		"This is Pam calling from Larkmoor Mutual.":                    true,
		"I am calling from Dunmore Freight Systems about the invoice.": true,
		"We had ordered it at Dunmore Freight Systems last year.":      false,
	} {
		c := state.NewCall()
		e.Apply(c, e.Prepare(utterance(1, "Agent", text)))
		if n := c.Entities()["ORGANIZATION_NAME"]; n != 1 {
			t.Errorf("%s: %d organizations", text, n)
		}
		if got := c.OfSpeaker(state.Ref{Type: "ORGANIZATION_NAME", N: 1}); got != want {
			t.Errorf("%s: of a speaker %v", text, got)
		}
	}
	c := state.NewCall()
	e.Apply(c, e.Prepare(&schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Start, Participants: []schemas.Participant{{SpeakerID: "s", Organization: "Larkmoor Mutual"}}}))
	e.Apply(c, e.Prepare(utterance(2, "Agent", "Thanks, Larkmoor Mutual it is.")))
	if !c.OfSpeaker(state.Ref{Type: "ORGANIZATION_NAME", N: 1}) {
		t.Error("the organization of a participant is not of a speaker")
	}
}
