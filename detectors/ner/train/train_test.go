package train

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
)

// utterance makes a labelled one of a text in which names stand in braces,
// "{P Ann} of {O Acme}".
func utterance(speaker, text string) gold.Utterance {
	types := map[byte]detectors.InfoType{'P': detectors.PersonName, 'O': detectors.OrganizationName, 'L': detectors.Location, 'A': detectors.StreetAddress}
	u := gold.Utterance{Speaker: speaker}
	for {
		before, rest, ok := strings.Cut(text, "{")
		u.Text += before
		if !ok {
			return u
		}
		name, after, _ := strings.Cut(rest, "}")
		start := utf8.RuneCountInString(u.Text)
		u.Text += name[2:]
		u.Entities = append(u.Entities, gold.Span{Start: start, End: utf8.RuneCountInString(u.Text), Type: string(types[name[0]])})
		text = after
	}
}

// someSet makes calls from our own invention.
func someSet(n int) Set {
	people := strings.Fields("Pam Jim Zoe Mark Ada Ravi Mei Omar Ines Lars Nadia Kofi")
	places := strings.Fields("Lisbon Hamilton Saskatoon Leeds Nagpur")
	s := Set{Name: "own"}
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	for i := range n {
		s.Conversations = append(s.Conversations, gold.Conversation{ID: fmt.Sprint("own-", i), Utterances: []gold.Utterance{
			utterance("agent", "Thank you for calling {O Blue Harbor}, this is {P "+pick(people)+"} speaking. May I have your name?"),
			utterance("customer", "{P "+pick(people)+"}"),
			utterance("customer", "I would like to change the plan that I have in {L "+pick(places)+"}."),
			utterance("agent", "Okay, let me have a look at that for you."),
		}})
	}
	return s
}

func TestTrainIsDeterministicAndLearns(t *testing.T) {
	o := Options{Passes: 3, Bits: 14, Seed: 5}
	var files [2][]byte
	for i := range files {
		w, report, err := Train([]Set{someSet(80)}, o)
		if err != nil {
			t.Fatal(err)
		}
		if f := report.Words[1][0].f1(); f < 0.9 {
			t.Errorf("F1 of people in lower case is %.2f", f)
		}
		if files[i], err = ner.Encode(w); err != nil {
			t.Fatal(err)
		}
		var card bytes.Buffer
		if err := report.WriteCard(&card, o, map[string]string{"own": "ours"}, files[i]); err != nil || !strings.Contains(card.String(), "| own | ours |") {
			t.Errorf("model card: %v\n%s", err, card.String())
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two trainings gave two models")
	}
	o.Seed++
	w, _, err := Train([]Set{someSet(80)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := ner.Encode(w); err != nil || bytes.Equal(other, files[0]) {
		t.Error("the seed changes nothing", err)
	}
}

func TestTrainNeedsNames(t *testing.T) {
	s := Set{Name: "none", Conversations: []gold.Conversation{{ID: "a", Utterances: []gold.Utterance{utterance("agent", "How may I help you?")}}}}
	if _, _, err := Train([]Set{s}, Options{Passes: 1, Bits: 10}); err == nil {
		t.Error("trained on nothing")
	}
}

func TestTurnsExpectWhatWasAsked(t *testing.T) {
	c := gold.Conversation{Utterances: []gold.Utterance{
		utterance("agent", "May I have your name?"),
		utterance("customer", "just a second"),
		utterance("customer", "{P Ines}"),
		utterance("customer", "that is it"),
	}}
	got := turns(&c)
	for i, want := range []float32{0, 1, 0.8, 0} {
		strength := float32(0)
		for _, e := range got[i].expect {
			if e.Type == detectors.PersonName {
				strength = e.Strength
			}
		}
		if strength != want {
			t.Errorf("turn %d expects a name by %v, want %v", i, strength, want)
		}
	}
}

func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"hi {P Ann O'Neil}, of {O Blue Harbor}":   "0 1 2 0 3 4",
		"{P Ann}'s dog":                           "1 0 0",
		"at {A 4 Elm Road, Leeds} now":            "0 [0 5 6] [0 5 6] [0 5 6] [0 5 6] 0",
		"thanks @ {P harborfan} and {P #zoe} bye": "0 [0 1 2 3 4 5 6 7 8] 0 [0 1 2 3 4 5 6 7 8] 0",
	} {
		tr := &trainer{vocabulary: feature.NewVocabulary()}
		u := utterance("agent", text)
		tr.prepare(&u, &example{utterance: &u})
		var got []string
		for _, set := range tr.allowed {
			var labels []int
			for y := range crf.Label(crf.NumLabels) {
				if set.Has(y) {
					labels = append(labels, int(y))
				}
			}
			if len(labels) == 1 {
				got = append(got, fmt.Sprint(labels[0]))
			} else {
				got = append(got, fmt.Sprint(labels))
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, g, want)
		}
	}
}

// Whatever is put in the place of names, the labels still cover names.
func TestReplaceKeepsLabels(t *testing.T) {
	set := newCorpus(someSet(40))
	p := newPool([]*corpus{set})
	names := map[string]bool{}
	for k := range p {
		for n := range p[k] {
			for _, s := range p[k][n] {
				names[s] = true
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := rapid.SampledFrom(set.train).Draw(t, "example")
		u := p.replace(*x.utterance, rng)
		runes := []rune(u.Text)
		if len(u.Entities) != len(x.utterance.Entities) {
			t.Fatal("labels were lost")
		}
		for _, e := range u.Entities {
			if s := string(runes[e.Start:e.End]); !names[s] {
				t.Fatalf("a label covers %q", s)
			}
		}
	})
}

// A curve never falls and stays a probability, whatever the points.
func TestFitIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []point
		for range rapid.IntRange(0, 400).Draw(t, "n") {
			points = append(points, point{rapid.Float32Range(0, 1).Draw(t, "raw"), rapid.Bool().Draw(t, "right")})
		}
		c := fit(points)
		last := float32(0)
		for _, y := range c {
			if !(y >= last && y <= 1) {
				t.Fatalf("the curve falls: %v", c)
			}
			last = y
		}
	})
}

func TestFitCalibrates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var points []point
	for range 4000 {
		raw := rng.Float32()
		points = append(points, point{raw, rng.Float32() < raw*raw})
	}
	curve, identity := fit(points[:2000]), ner.Identity()
	before, after := calibrationError(points[2000:], &identity), calibrationError(points[2000:], &curve)
	if after > 0.04 || before < 2*after {
		t.Errorf("calibration error %.3f before and %.3f after", before, after)
	}
}
