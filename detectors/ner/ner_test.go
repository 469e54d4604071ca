package ner

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
	"sotto/detectors/spoken"
)

func document(text string) *detectors.Document {
	d := new(detectors.Document)
	d.Reset(text)
	spoken.Scan(d)
	return d
}

// found tags a text, of which no rule knows anything, and returns what is found with its infoType,
// without the infoTypes that are off.
func found(d *detectors.Document, c *Context) string {
	tagger := NewTagger(Builtin(), points[Balanced], nil)
	tagger.Read(d)
	tagger.Find(d, c)
	var out []string
	for _, f := range d.Findings {
		if !f.Type.Row().Off {
			out = append(out, d.Text[f.Start:f.End]+" "+string(f.Type))
		}
	}
	return strings.Join(out, ", ")
}

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"My colleague Priyanka Deshmukh will call you from Lisbon.":  "Priyanka Deshmukh PERSON_NAME, Lisbon LOCATION",
		"my colleague priyanka deshmukh will call you from lisbon":   "priyanka deshmukh PERSON_NAME, lisbon LOCATION",
		"Can you tell Okonkwo that the parcel is here?":              "Okonkwo PERSON_NAME",
		"thank you for calling blue harbor bank this is zoe":         "blue harbor bank ORGANIZATION_NAME, zoe PERSON_NAME",
		"i will mark it as paid and grant you access in may":         "",
		"Will you be able to drive there before the rain, or later?": "",
		"the bill is on the table next to the open window":           "",
		"i gave it to marc kowalsky at the door":                     "marc kowalsky PERSON_NAME",
		"my grandson just turned eleven and he wears glasses":        "eleven AGE",
		"they put my dad on metformin for his diabetes":              "metformin MEDICAL_TERM, diabetes MEDICAL_TERM",
	} {
		if got := found(document(text), &Context{}); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// What was asked for decides about words that could be anything.
func TestWhatWasAskedForCounts(t *testing.T) {
	question := document("and what's your date of birth")
	tagger := NewTagger(Builtin(), points[Balanced], nil)
	tagger.Read(question)
	if got := tagger.Asked().Level(sequence.Birth); got != 3 {
		t.Fatalf("a date of birth is asked for with level %d", got)
	}
	c := NewContext([]Turn{{Speaker: 1, Seq: 1, TimeMS: -1, Asked: tagger.Asked()}}, 2, 2, -1)
	if got := found(document("four nine eighty one"), &c); got != "four nine eighty one DATE_OF_BIRTH" {
		t.Errorf("the answer: %s", got)
	}
}

func TestContext(t *testing.T) {
	ask := Asked(3 << (2 * sequence.Phone))
	turns := []Turn{
		{Speaker: 1, Seq: 1, TimeMS: -1, Asked: ask},
		{Speaker: 2, Seq: 2, TimeMS: -1, Kinds: 1 << sequence.Phone, End: sequence.Phone},
		{Speaker: 1, Seq: 3, TimeMS: 50_000, Asked: Asked(2 << (2 * sequence.Age))},
	}
	for _, c := range []struct {
		what         string
		speaker      int
		seq, startMS int64
		want         Context
	}{
		{"the next turn", 2, 4, -1, Context{Asked: turns[2].Asked, Pending: ask, Own: sequence.Phone, Near: true}},
		{"the asker's own", 1, 4, -1, Context{Near: true, Other: turns[1].Kinds, OtherLast: sequence.Phone}},
		{"two turns later", 2, 6, -1, Context{Pending: ask | turns[2].Asked, Own: sequence.Phone}},
		{"much later", 2, 100, -1, Context{}},
		{"much later by number, soon by time", 2, 100, 60_000, Context{Pending: turns[2].Asked}},
		{"before", 2, 1, -1, Context{}},
	} {
		got := NewContext(turns, c.speaker, c.seq, c.startMS)
		got.Known, c.want.Known = nil, nil
		if got.Asked != c.want.Asked || got.Own != c.want.Own || got.Near != c.want.Near || got.Other != c.want.Other || got.OtherLast != c.want.OtherLast {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
		if c.what != "two turns later" && got.Pending != c.want.Pending {
			t.Errorf("%s: pending %b, want %b", c.what, got.Pending, c.want.Pending)
		}
	}
}

func TestAffiliation(t *testing.T) {
	for text, want := range map[string]detectors.Hint{
		"I am calling from Dunmore Freight Systems about the invoice.": detectors.HintOfSpeaker,
		"We had ordered it at Dunmore Freight Systems last year.":      0,
	} {
		d := document(text)
		found(d, &Context{})
		if len(d.Findings) != 1 || d.Findings[0].Type != detectors.OrganizationName || d.Findings[0].Hint != want {
			t.Errorf("%s: %+v", text, d.Findings)
		}
	}
}

// What a process holds of the model stays under 64 MB, and its file under 24 MB.
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
	if n := after.HeapAlloc - before.HeapAlloc; n > 64<<20 || n < 1<<20 || len(packed) > 24<<20 {
		t.Errorf("the model takes %d bytes, its file %d", n, len(packed))
	}
	runtime.KeepAlive(m)
}

func TestTaggerAllocatesNothing(t *testing.T) {
	d := document("Thank you for calling Blue Harbor, this is Pam Halloway speaking, how may I help you today?")
	tagger := NewTagger(Builtin(), points[Balanced], nil)
	run := func() {
		d.Findings, d.Subthreshold = d.Findings[:0], d.Subthreshold[:0]
		tagger.Read(d)
		tagger.Find(d, &Context{})
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations a text", n)
	}
}

// Every span lies within the text, has a probability, and overlaps no other.
func TestSpansAreApart(t *testing.T) {
	words := strings.Fields("my name is Pam pam Kowalski, at Blue Harbor Inc. in new york 555 o'neil , . & -- é 李 A-B iPhone and of")
	tagger := NewTagger(Builtin(), points[Balanced], nil)
	rapid.Check(t, func(t *rapid.T) {
		d := document(strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "words"), " "))
		tagger.Read(d)
		tagger.Tag(d, &Context{Asked: Asked(rapid.Uint32Range(0, 1<<30-1).Draw(t, "asked"))})
		at := -1
		for _, s := range tagger.Spans(d) {
			if s.First <= at || s.Last < s.First || s.Last >= tagger.Len() || !(s.P >= 0 && s.P <= 1.0001) {
				t.Fatalf("span %+v after element %d of %d", s, at, tagger.Len())
			}
			at = s.Last
		}
	})
}

// someWeights makes a small model.
func someWeights() *Weights {
	rng := rand.New(rand.NewPCG(1, 2))
	w := &Weights{
		Vocabulary: sequence.NewVocabulary(), Asked: make([][sequence.NumLabels]float32, 16), Coarse: make([]float32, 1<<sequence.CoarseBits),
		CoarseBias: -1,
	}
	for i := range w.Coarse {
		w.Coarse[i] = rng.Float32()*2 - 1
	}
	key := uint32(0)
	for range 300 {
		key += 1 + rng.Uint32N(1<<22)
		row := [sequence.NumLabels]float32{}
		for y := 1; y < sequence.NumLabels; y++ {
			row[y] = rng.Float32()*4 - 2
		}
		w.Keys, w.Rows = append(w.Keys, key), append(w.Rows, row)
	}
	for k := range w.Curves {
		w.Curves[k] = Identity()
	}
	w.Vocabulary.Add(12345 << 20)
	w.Transitions[2][3] = -1.5
	return w
}

func TestEncodeAndDecode(t *testing.T) {
	w := someWeights()
	data, err := Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range w.Keys {
		var v sequence.Vector
		got.table.addRows([]uint32{k}, got.scale, &v)
		for y := 1; y < sequence.NumLabels; y++ {
			if diff := v[y] - w.Rows[i][y]; diff > got.scale || diff < -got.scale {
				t.Fatalf("feature %d, label %d: %v, want %v", i, y, v[y], w.Rows[i][y])
			}
		}
	}
	var v sequence.Vector
	if got.table.addRows([]uint32{w.Keys[0] + 1}, got.scale, &v); v != (sequence.Vector{}) {
		t.Errorf("a feature that the model does not know weighs %v", v)
	}
	for _, f := range []uint32{0, 1 << 31, 1<<32 - 1} {
		want := w.Coarse[f>>(32-sequence.CoarseBits)]
		if diff := got.coarse.sum([]uint32{f}) - want; diff > coarseStep*got.coarse.scale || diff < -coarseStep*got.coarse.scale {
			t.Errorf("coarse feature %x: %v off", f, diff)
		}
	}
	again, err := Encode(w)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("encoding twice gives different files, %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	data, err := Encode(someWeights())
	if err != nil {
		t.Fatal(err)
	}
	body := func(b []byte) []byte { // with a hash that holds
		sum := sha256.Sum256(b)
		return append(append(append([]byte(magic), version), sum[:]...), b...)
	}
	head := len(magic) + 1 + sha256.Size
	changed := bytes.Clone(data)
	changed[len(changed)-1] ^= 1
	later := bytes.Clone(data)
	later[len(magic)] = version + 1
	for what, file := range map[string][]byte{
		"empty": nil, "other": []byte("hello, this is not a model file at all, but a text"), "changed": changed, "later": later,
		"truncated": data[:len(data)/2], "no body": body(nil), "half a body": body(data[head : len(data)-20]),
	} {
		if _, err := Decode(file); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(someWeights())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		// Most changes break the hash; the body is tried by itself as well.
		Decode(data)
		m, err := decodeBody(data)
		if err != nil {
			return
		}
		tagger := NewTagger(m, points[High], nil)
		d := document("my name is Pam Kowalski")
		tagger.Read(d)
		tagger.Find(d, &Context{})
	})
}
