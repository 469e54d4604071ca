package ner

import (
	"bytes"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/ner/internal/feature"
	"sotto/detectors/spoken"
)

func document(text string) *detectors.Document {
	d := new(detectors.Document)
	d.Reset(text)
	spoken.Scan(d)
	return d
}

// found tags a text and returns the names, each with its infoType.
func found(d *detectors.Document) []string {
	NewDetector(Builtin()).Detect(d)
	var out []string
	for _, f := range d.Findings {
		out = append(out, d.Text[f.Start:f.End]+" "+string(f.Type))
	}
	return out
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"My colleague Priyanka Deshmukh will call you from Lisbon.":  "Priyanka Deshmukh PERSON_NAME, Lisbon LOCATION",
		"my colleague priyanka deshmukh will call you from lisbon":   "priyanka deshmukh PERSON_NAME, lisbon LOCATION",
		"Can you tell Okonkwo that the parcel is here?":              "Okonkwo PERSON_NAME",
		"thank you for calling blue harbor bank this is zoe":         "blue harbor bank ORGANIZATION_NAME, zoe PERSON_NAME",
		"i will mark it as paid and grant you access in may":         "",
		"Will you be able to drive there before the rain, or later?": "",
		"the bill is on the table next to the open door":             "",
		"marc kowalsky met the driver at the door":                   "marc kowalsky PERSON_NAME",
		"yesterday priya raman called me about it":                   "priya raman PERSON_NAME",
		"there is a table at copper kettle bistro at 6 pm":           "copper kettle bistro ORGANIZATION_NAME",
		"Your train leaves Halloway Street Station at noon.":         "Halloway Street Station LOCATION",
		"The tag is on the badge, and the staff id is below it.":     "",
		"Your plan renews in May and the price drops by ten percent": "",
		"¿Cómo está usted? Muy bien, gracias.":                       "",
	} {
		if got := strings.Join(found(document(text)), ", "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// What was asked for decides about words that could be anything.
func TestExpected(t *testing.T) {
	d := document("quill brandt")
	d.Expect = append(d.Expect, detectors.Expectation{Type: detectors.PersonName, Strength: 1})
	if got := strings.Join(found(d), ", "); got != "quill brandt PERSON_NAME" {
		t.Errorf("got %q", got)
	}
}

func TestAffiliation(t *testing.T) {
	for text, want := range map[string]detectors.Hint{
		"I am calling from Dunmore Freight Systems about the invoice.": detectors.HintOfSpeaker,
		"We had ordered it at Dunmore Freight Systems last year.":      0,
	} {
		d := document(text)
		NewDetector(Builtin()).Detect(d)
		if len(d.Findings) != 1 || d.Findings[0].Type != detectors.OrganizationName || d.Findings[0].Hint != want {
			t.Errorf("%s: %+v", text, d.Findings)
		}
	}
}

// A name that a cue began is completed, one within an address left alone.
func TestMerge(t *testing.T) {
	cue := detectors.Finding{Start: 10, End: 14, Type: detectors.PersonName, Evidence: detectors.ByCue}
	address := detectors.Finding{Start: 5, End: 40, Type: detectors.StreetAddress, Evidence: detectors.ByStructure | detectors.ByHotword}
	name := detectors.Finding{Start: 10, End: 20, Type: detectors.PersonName, Evidence: detectors.ByModel}
	for _, c := range []struct {
		what     string
		findings []detectors.Finding
		done     bool
		end      int
	}{
		{"nothing there", nil, false, 0},
		{"a cue's", []detectors.Finding{cue}, true, 20},
		{"within an address", []detectors.Finding{address}, true, 40},
		{"a cue's, in part an address", []detectors.Finding{cue, {Start: 15, End: 30, Type: detectors.StreetAddress}}, false, 14},
	} {
		var o others
		o.begin(&detectors.Document{Findings: c.findings}, true)
		if done := o.merge(c.findings, &name); done != c.done || len(c.findings) > 0 && c.findings[0].End != c.end {
			t.Errorf("%s: %v, %+v", c.what, done, c.findings)
		}
	}
}

// What a process holds of the model stays under 64 MB.
func TestModelIsSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, err := Decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := after.HeapAlloc - before.HeapAlloc + uint64(len(packed)); n > 64<<20 || n < 1<<20 {
		t.Errorf("the model takes %d bytes", n)
	}
	runtime.KeepAlive(m)
}

func TestTaggerAllocatesNothing(t *testing.T) {
	d := document("Thank you for calling Blue Harbor, this is Pam Halloway speaking, how may I help you today?")
	tagger := NewTagger(Builtin())
	tagger.Tag(d)
	if n := testing.AllocsPerRun(100, func() { tagger.Tag(d) }); n != 0 {
		t.Errorf("%v allocations a text", n)
	}
}

// Every name lies within the text, has a score that is a probability, and
// overlaps no other.
func TestNamesAreApart(t *testing.T) {
	words := strings.Fields("my name is Pam pam Kowalski, at Blue Harbor Inc. in new york 555 o'neil , . & -- é 李 A-B iPhone and of")
	tagger := NewTagger(Builtin())
	rapid.Check(t, func(t *rapid.T) {
		d := document(strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "words"), " "))
		at := -1
		for _, n := range tagger.Tag(d) {
			if n.First <= at || n.Last < n.First || n.Last >= len(d.Tokens) || !(n.Score >= 0 && n.Score <= 1) || !(n.Raw >= 0 && n.Raw <= 1.0001) {
				t.Fatalf("name %+v after token %d of %d", n, at, len(d.Tokens))
			}
			at = n.Last
		}
	})
}

// someWeights makes a small model.
func someWeights() *Weights {
	rng := rand.New(rand.NewPCG(1, 2))
	w := &Weights{Rows: make([][8]float32, 1<<minBits), Vocabulary: feature.NewVocabulary()}
	for i := range w.Rows {
		for k := range w.Rows[i] {
			w.Rows[i][k] = float32(rng.NormFloat64())
		}
	}
	for k := range w.Curves {
		w.Curves[k] = Identity()
	}
	return w
}

func TestEncodeDecode(t *testing.T) {
	w := someWeights()
	data, err := Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Rows {
		for k, want := range w.Rows[i] {
			got := (float64(m.rows[i]>>(8*k)&0xff) - 128) * float64(m.scale)
			if math.Abs(got-float64(min(max(want, -maxWeight), maxWeight))) > float64(m.scale)*0.51 {
				t.Fatalf("row %d, label %d: %v became %v", i, k+1, want, got)
			}
		}
	}
}

// reseal makes a file's hash right again.
func reseal(data []byte) []byte {
	head := len(magic) + 1 + sha256.Size
	sum := sha256.Sum256(data[head:])
	copy(data[len(magic)+1:], sum[:])
	return data
}

func TestDecodeRefusesWhatIsNoModel(t *testing.T) {
	good, err := Encode(someWeights())
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func([]byte) []byte) []byte { return f(bytes.Clone(good)) }
	for what, data := range map[string][]byte{
		"nothing":         nil,
		"another file":    []byte("PK\x03\x04 and more and more and more and more and more and more"),
		"a later version": change(func(b []byte) []byte { b[len(magic)]++; return b }),
		"a changed byte":  change(func(b []byte) []byte { b[len(b)/2] ^= 1; return b }),
		"a cut file":      change(func(b []byte) []byte { return b[:len(b)-1] }),
		"a cut body":      change(func(b []byte) []byte { return reseal(b[:len(b)-100]) }),
		"no body":         change(func(b []byte) []byte { return reseal(b[:len(magic)+1+sha256.Size]) }),
	} {
		if _, err := Decode(data); err == nil {
			t.Errorf("%s was read", what)
		}
	}
	w := someWeights()
	w.Transitions[0][1] = float32(math.NaN())
	bad, err := Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(bad); err == nil {
		t.Error("weights that are no numbers were read")
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(someWeights())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(magic)+1+sha256.Size:])
	f.Add([]byte{})
	d := document("this is Pam from Blue Harbor")
	f.Fuzz(func(t *testing.T, body []byte) {
		file := append([]byte(magic), version)
		file = append(file, make([]byte, sha256.Size)...)
		m, err := Decode(reseal(append(file, body...)))
		if err == nil {
			NewTagger(m).Tag(d)
		}
	})
}

func BenchmarkTag(b *testing.B) {
	texts := []string{
		"Thank you for calling Blue Harbor, this is Pam Halloway speaking.",
		"How may I help you today?",
		"hi i need to change the address on my account",
		"My name is Mark Kowalski.",
		"It's 604-555-0134.",
		"okay thank you",
		"And what's the postcode on the account?",
		"No, that's all. Have a good day.",
	}
	var docs []*detectors.Document
	for _, t := range texts {
		docs = append(docs, document(t))
	}
	tagger := NewTagger(Builtin())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tagger.Tag(docs[i%len(docs)])
	}
}
