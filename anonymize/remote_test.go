package anonymize

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// remoteFindings are any that a remote tier may answer about a text.
func remoteFindings(t *rapid.T, text string) []detectors.Finding {
	var at []int
	for i := range text {
		at = append(at, i)
	}
	at = append(at, len(text))
	var out []detectors.Finding
	for range rapid.IntRange(0, 3).Draw(t, "remote findings") {
		if len(at) < 2 {
			break
		}
		from := rapid.IntRange(0, len(at)-2).Draw(t, "from")
		to := rapid.IntRange(from+1, len(at)-1).Draw(t, "to")
		score := float32(rapid.IntRange(1, 99).Draw(t, "score")) / 100
		out = append(out, detectors.Finding{
			Start: at[from], End: at[to], Type: rapid.SampledFrom(detectors.InfoTypes()).Draw(t, "type"),
			Score: score, Likelihood: detectors.LikelihoodOf(score), Detector: "remote", Evidence: detectors.ByModel,
		})
	}
	return out
}

// covered marks the letters and digits of a text that the entities of its clean event replace.
func covered(text string, clean *schemas.CleanEvent) []bool {
	out := make([]bool, utf8.RuneCountInString(text))
	for _, e := range clean.Entities {
		for i := *e.RawStart; i < *e.RawEnd; i++ {
			out[i] = true
		}
	}
	return out
}

// Whatever a remote tier answers, all that is masked without it stays masked, and all that it
// finds is masked too, unless its infoType is off.
func TestARemoteTierOnlyAddsMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := New(Options{RawOffsets: true, RemoteTiers: "test"})
		if err != nil {
			t.Fatal(err)
		}
		c := state.NewCall()
		for i := range rapid.IntRange(1, 8).Draw(t, "events") {
			ev := events().Draw(t, "event")
			ev.Seq = int64(i)
			local, _ := e.Apply(c.Clone(), e.Prepare(ev))
			p := e.Prepare(ev)
			p.Remote = &RemoteAnswer{Tiers: []string{LocalTier, "remote"}, Findings: remoteFindings(t, ev.Text)}
			both, _ := e.Apply(c, p)
			if ev.Type != schemas.Utterance {
				continue
			}
			checkClean(t, ev.Text, &both)
			want, got := covered(ev.Text, &local), covered(ev.Text, &both)
			for _, f := range p.Remote.Findings {
				if !f.Type.OffByDefault() {
					for n := utf8.RuneCountInString(ev.Text[:f.Start]); n < utf8.RuneCountInString(ev.Text[:f.End]); n++ {
						want[n] = true
					}
				}
			}
			var d detectors.Document
			d.Reset(ev.Text)
			for i := range d.Tokens {
				n := utf8.RuneCountInString(ev.Text[:d.Tokens[i].Start])
				for _, r := range d.Raw(i) {
					if d.Tokens[i].Class != detectors.Punct && want[n] && !got[n] && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
						t.Fatalf("%q: letter %d is not masked with %+v: %q", ev.Text, n, p.Remote.Findings, both.Text)
					}
					n++
				}
			}
			if len(both.Tiers) != 2 {
				t.Fatalf("the tiers are %v", both.Tiers)
			}
		}
	})
}

// What is made of staged events depends on the state alone: whatever fails, and whatever the tiers
// answer when they are asked again.
func TestStagedEventsComeOutAsTheStateHasThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := New(Options{RawOffsets: true, RemoteTiers: "test"})
		if err != nil {
			t.Fatal(err)
		}
		direct, staged := NewConversation(e), NewConversation(e)
		var want, got []string
		note := func(list *[]string, out Output) {
			v, _ := json.Marshal(out.Clean)
			*list = append(*list, string(v))
		}
		release := func(from Conversation) (out []string) {
			for _, r := range from.Release() {
				note(&out, from.Apply(r.Prepared))
			}
			return out
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "events") {
			ev := events().Draw(t, "event")
			ev.Seq = int64(i)
			p, q := e.Prepare(ev), e.Prepare(ev)
			p.Remote = &RemoteAnswer{Tiers: []string{LocalTier, "remote"}, Findings: remoteFindings(t, ev.Text)}
			q.Remote = p.Remote
			note(&want, direct.Apply(p))
			if !staged.Stage(q, state.RecordPosition{Offset: int64(i)}) {
				t.Fatal("there is no room")
			}
			if !rapid.Bool().Draw(t, "commit") {
				continue
			}
			// The first attempt fails after it has produced its events, and another process
			// continues with the sealed state.
			saved, err := staged.Call().MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			lost := release(staged)
			staged = NewConversation(e)
			if err := staged.Call().UnmarshalBinary(saved); err != nil {
				t.Fatal(err)
			}
			again := release(staged)
			if fmt.Sprint(lost) != fmt.Sprint(again) {
				t.Fatalf("the second attempt gives other bytes:\n%v\n%v", lost, again)
			}
			got = append(got, again...)
		}
		got = append(got, release(staged)...)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("staging changes the outcome:\n%v\n%v", got, want)
		}
	})
}

func TestRemoteTiersAreAPartOfThePolicy(t *testing.T) {
	a, b := newEngine(t, Options{}), newEngine(t, Options{RemoteTiers: "presidio 1"})
	if a.Policy() == b.Policy() {
		t.Error("the policy does not show the remote tiers")
	}
}

// The user's policy also applies to the findings of a remote tier, so that a service that knows only a
// part of it masks no more: exclusions, infoTypes that are off, least likelihoods.
func TestThePolicyHoldsForRemoteFindings(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true, RemoteTiers: "test", Policy: policyOf(map[string]string{
		"ORGANIZATION_NAME.exclude.txt": "Verify\n",
		"policy.yaml":                   "info_types: {URL: {enabled: false}, LOCATION: {min_likelihood: VERY_LIKELY}}",
	})})
	for infoType, masked := range map[detectors.InfoType]bool{
		detectors.OrganizationName: false, detectors.URL: false, detectors.Location: false, detectors.PersonName: true,
	} {
		p := e.Prepare(&schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Utterance, Text: "we can verify that for you"})
		p.Remote = NewRemoteAnswer("dlp", []detectors.Finding{{
			Start: 7, End: 13, Type: infoType, Score: 0.6, Likelihood: detectors.Possible, Detector: "dlp", Evidence: detectors.ByModel,
		}}, nil)
		clean := NewConversation(e).Apply(p).Clean
		if strings.Contains(clean.Text, "verify") == masked {
			t.Errorf("%s: %s", infoType, clean.Text)
		}
	}
}

func TestDoubt(t *testing.T) {
	e := newEngine(t, Options{})
	judge := func(text string) Doubt { return e.Doubt(e.Prepare(utterance(1, "Ann", text))) }
	if d := judge("thanks so much for your help today"); d.Unknown != 0 || d.Asks || d.Found {
		t.Errorf("a plain sentence: %+v", d)
	}
	if d := judge("it is for the zorblatt grumwick"); d.Unknown == 0 && !d.Found {
		t.Errorf("unknown words: %+v", d)
	}
	if d := judge("can I have your last name please"); !d.Asks {
		t.Errorf("a question: %+v", d)
	}
	if d := judge("my email is ann@example.com"); !d.Found {
		t.Errorf("an address: %+v", d)
	}
}

// An event about which nobody is asked becomes what it becomes without doubt.
func TestDoubtChangesNothing(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	judged, plain := NewConversation(e), NewConversation(e)
	for i, text := range []string{"this is Ines Quimby, can I have your last name please", "my email is ines@example.com", "no, it's Quimby with a Q"} {
		p := e.Prepare(utterance(int64(i+1), "Ann", text))
		e.Doubt(p)
		got, want := judged.Apply(p), plain.Add(utterance(int64(i+1), "Ann", text))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q becomes %+v, want %+v", text, got, want)
		}
	}
}

// answered applies an utterance of which a remote tier finds one part.
func answered(t *testing.T, e *Engine, c *state.Call, text, part string, infoType detectors.InfoType) string {
	t.Helper()
	start := strings.Index(text, part)
	p := e.Prepare(utterance(1, "Agent", text))
	p.Remote = &RemoteAnswer{Tiers: []string{LocalTier, "remote"}, Findings: []detectors.Finding{{
		Start: start, End: start + len(part), Type: infoType, Score: 0.9, Likelihood: detectors.LikelihoodOf(0.9), Detector: "remote", Evidence: detectors.ByModel,
	}}}
	clean, _ := e.Apply(c, p)
	return clean.Text
}

// "may I" is no name, unless a remote tier says so.
func TestARemoteTierMasksAMonth(t *testing.T) {
	e := newEngine(t, Options{RemoteTiers: "test"})
	if got := answered(t, e, state.NewCall(), "Hello from here, may I speak to Jim?", "may", detectors.PersonName); strings.Contains(got, "may") {
		t.Errorf("got %q", got)
	}
}

// Words of grammar that are masked with a name do not make it another one.
func TestGrammarBesideAName(t *testing.T) {
	e, c := newEngine(t, Options{RemoteTiers: "test"}), state.NewCall()
	for _, x := range []struct{ text, part, want string }{
		{"ask wrenfield", "wrenfield", "ask [PERSON_NAME_1]"},
		{"then of wrenfield", "of wrenfield", "then [PERSON_NAME_1]"},
		{"wrenfield your", "wrenfield your", "[PERSON_NAME_1]"},
	} {
		if got := answered(t, e, c, x.text, x.part, detectors.PersonName); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}
