package anonymize

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize/replace"
	"sotto/schemas"
	"sotto/state"
)

func planned(t testing.TB, c replace.Config) *Engine {
	t.Helper()
	c.Key = []byte("a key for tests that is no secret")
	p, err := replace.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return newEngine(t, Options{RawOffsets: true, Replace: p, Fast: true})
}

var strategies = map[string]replace.Config{
	"typed-numbered":     {},
	"typed":              {Choice: replace.Choice{Default: replace.Typed}},
	"redact":             {Choice: replace.Choice{Default: replace.Redact}},
	"named":              {Choice: replace.Choice{Default: replace.Named}},
	"word":               {Choice: replace.Choice{Default: replace.Word}},
	"entity-coherent":    {Choice: replace.Choice{Default: replace.Entity}},
	"entity-independent": {Choice: replace.Choice{Default: replace.Entity}, Independent: true},
	"entity-neutral":     {Choice: replace.Choice{Default: replace.Entity}, Neutral: true},
	"mixed": {Choice: replace.Choice{Default: replace.Typed, ByType: map[string]replace.Strategy{
		"PERSON_NAME": replace.Entity, "PHONE_NUMBER": replace.Redact, "EMAIL_ADDRESS": replace.TypedNumbered}}},
	"half": {Choice: replace.Choice{Default: replace.Entity}, Probability: 0.5, RiskAccepted: true},
}

var update = flag.Bool("update", false, "write what comes out as the golden conversations of the strategies")

// Each strategy has a file with the output for the same call.
func TestGoldenStrategies(t *testing.T) {
	raw, err := os.ReadFile("testdata/strategies/call.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range strategies {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata/strategies", name+".golden")
			clean := converse(t, planned(t, c), string(raw))
			if *update {
				if err := os.WriteFile(file, []byte(clean+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(clean, "\n")
			for i, w := range strings.Split(strings.TrimSpace(string(want)), "\n") {
				if i >= len(got) || got[i] != w {
					t.Errorf("line %d\ngot  %s\nwant %s", i+1, got[min(i, len(got)-1)], w)
				}
			}
		})
	}
}

// Whatever the strategy, the entities mark the replacements: with the raw text put back there, the
// clean text is the raw text.
func TestPositionsOfEachStrategy(t *testing.T) {
	for name, c := range strategies {
		e := planned(t, c)
		rapid.Check(t, func(t *rapid.T) {
			call := state.NewCall()
			for seq := range rapid.Int64Range(1, 12).Draw(t, "events") {
				ev := events().Draw(t, "event")
				ev.Seq = seq
				clean, _ := e.Apply(call, e.Prepare(ev))
				raw, out := []rune(ev.Text), []rune(clean.Text)
				if ev.Type != schemas.Utterance {
					continue
				}
				var back []rune
				at := 0
				for _, x := range clean.Entities {
					if x.Start < at || x.End <= x.Start || x.End > len(out) {
						t.Fatalf("%s: entity from %d to %d in a text of %d", name, x.Start, x.End, len(out))
					}
					back = append(append(back, out[at:x.Start]...), raw[*x.RawStart:*x.RawEnd]...)
					at = x.End
				}
				if string(append(back, out[at:]...)) != ev.Text {
					t.Fatalf("%s: the positions do not lead back", name)
				}
			}
		})
	}
}

// A call whose state was sealed and opened, also after a key rotation, continues with the same
// surrogates.
func TestAFailoverKeepsSurrogates(t *testing.T) {
	for name, c := range strategies {
		e, rotated := planned(t, c), planned(t, c)
		c.Key = []byte("the key after it was rotated")
		p, err := replace.New(c)
		if err != nil {
			t.Fatal(err)
		}
		rotated.plan = p
		rapid.Check(t, func(t *rapid.T) {
			kept, restored := state.NewCall(), state.NewCall()
			e.Apply(kept, e.Prepare(utterance(0, "Mark", "This is Mark.")))
			e.Apply(restored, e.Prepare(utterance(0, "Mark", "This is Mark.")))
			for seq := range rapid.Int64Range(1, 10).Draw(t, "events") {
				ev := events().Draw(t, "event")
				ev.Seq = seq + 1
				data, err := restored.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				restored = state.NewCall()
				if err := restored.UnmarshalBinary(data); err != nil {
					t.Fatal(err)
				}
				before, _ := kept.MarshalBinary()
				a, changed := e.Apply(kept, e.Prepare(ev))
				after, _ := kept.MarshalBinary()
				if !changed && string(before) != string(after) {
					t.Fatalf("%s: a change was not reported", name)
				}
				b, _ := rotated.Apply(restored, rotated.Prepare(ev))
				ja, _ := json.Marshal(a)
				jb, _ := json.Marshal(b)
				if string(ja) != string(jb) {
					t.Fatalf("%s: the call continues differently", name)
				}
			}
		})
	}
}

func TestPolicyDependsOnTheReplacement(t *testing.T) {
	seen := map[string]string{newEngine(t, Options{}).Policy(): "typed-numbered"}
	for name, c := range strategies {
		e := planned(t, c)
		if other := seen[e.Policy()]; other != "" && other != name {
			t.Errorf("%s and %s have the same policy", name, other)
		}
		seen[e.Policy()] = name
	}
}

// Numbers would reveal which mentions are the same, which surrogates hide.
func TestNumbersAreShownOnlyWhereTheTextShowsThem(t *testing.T) {
	for name, shown := range map[string]bool{
		"typed-numbered": true, "typed": false, "redact": false, "named": false, "word": false, "entity-coherent": true, "entity-independent": false,
	} {
		clean, _ := planned(t, strategies[name]).Apply(state.NewCall(), planned(t, strategies[name]).Prepare(utterance(1, "Agent", "My name is Zoe.")))
		if len(clean.Entities) != 1 || (clean.Entities[0].ID > 0) != shown {
			t.Errorf("%s: entities %+v", name, clean.Entities)
		}
	}
}

// Masks that the closing pass adds are replaced like the others, and their positions are correct.
func TestClosingPassReplacesByTheStrategy(t *testing.T) {
	for name, want := range map[string]string{"redact": "ask [REDACTED] please", "typed": "ask [PERSON_NAME] please", "named": "ask smith please"} {
		e := planned(t, strategies[name])
		c := state.NewCall()
		early := schemas.CleanEvent{CallID: "c", Seq: 1, Type: schemas.Utterance, Text: "ask quimbolt please"}
		e.Apply(c, e.Prepare(utterance(2, "Agent", "My name is Rosa Quimbolt.")))
		final, added, _ := e.ClosingPass(c, &early, nil)
		if final.Text != want || len(added) != 1 || added[0].End != len(want)-len(" please") {
			t.Errorf("%s: got %q, added %+v", name, final.Text, added)
		}
	}
	for _, name := range []string{"word", "entity-coherent", "entity-independent"} {
		e := planned(t, strategies[name])
		c := state.NewCall()
		early := schemas.CleanEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "ask quimbolt please"}
		introduced, _ := e.Apply(c, e.Prepare(utterance(2, "Agent", "My name is Rosa Quimbolt.")))
		final, _, _ := e.ClosingPass(c, &early, nil)
		surname := strings.ToLower(strings.TrimSuffix(introduced.Text[strings.LastIndexByte(introduced.Text, ' ')+1:], "."))
		if same := final.Text == "ask "+surname+" please"; same != (name == "entity-coherent") || strings.Contains(final.Text, "quimbolt") {
			t.Errorf("%s: %q and then %q", name, introduced.Text, final.Text)
		}
	}
}

// BenchmarkStrategies runs the whole engine over generated conversations with
// each strategy.
func BenchmarkStrategies(b *testing.B) {
	calls := corpus(b, "callgen")
	for _, name := range slices.Sorted(maps.Keys(strategies)) {
		b.Run(name, func(b *testing.B) {
			e := planned(b, strategies[name])
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				events = 0
				for _, call := range calls {
					c := state.NewCall()
					for _, ev := range call {
						e.Apply(c, e.Prepare(ev))
						events++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}

// Parts of a phone number that is dictated become a number that belongs to nobody.
func TestDictatedPhoneNumbersBelongToNobody(t *testing.T) {
	e := planned(t, strategies["entity-coherent"])
	for _, parts := range [][]string{{"604", "298", "7731"}, {"604 298", "7731"}, {"604 298", "77", "31"}} {
		text := "Agent: What is your phone number?\n"
		for _, p := range parts {
			text += "Customer: " + p + "\nAgent: okay\n"
		}
		var digits []byte
		for i, line := range strings.Split(converse(t, e, text), "\n") {
			if i%2 == 1 {
				digits = append(digits, strings.ReplaceAll(strings.TrimPrefix(line, "Customer: "), " ", "")...)
			}
		}
		if len(digits) != 10 || string(digits[3:8]) != "55501" {
			t.Errorf("%v became %s", parts, digits)
		}
	}
}
