package lm

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func train(o Options, texts ...string) *Model {
	var list [][]string
	for _, t := range texts {
		list = append(list, strings.Fields(t))
	}
	return Train(slices.Values(list), o)
}

// prob is the probability of a word after two others.
func prob(m *Model, before2, before1, word string) float64 {
	return m.prob(m.id(before2), m.id(before1), m.id(word))
}

func logProb(m *Model, text []string) (sum float64) {
	u, v := uint32(begin), uint32(begin)
	for _, word := range text {
		w := m.id(word)
		sum += math.Log(max(m.prob(u, v, w), 1e-12))
		u, v = v, w
	}
	return sum
}

// After every context, the probabilities of all words add up to 1.
func TestProbabilitiesAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom(strings.Fields("a b c d e [MASK]"))
		texts := rapid.SliceOfN(rapid.SliceOfN(word, 0, 6), 0, 12).Draw(rt, "texts")
		m := Train(slices.Values(texts), Options{Vocabulary: []string{"never", "said"}})
		for range 5 {
			u, v := uint32(rapid.IntRange(0, len(m.Words)-1).Draw(rt, "u")), uint32(rapid.IntRange(0, len(m.Words)-1).Draw(rt, "v"))
			sum := 0.0
			for w := range m.Words {
				sum += m.prob(u, v, uint32(w))
			}
			if math.Abs(sum-1) > 1e-4 {
				rt.Fatalf("the words after %s %s have %f", m.Words[u], m.Words[v], sum)
			}
		}
	})
}

func TestKneserNey(t *testing.T) {
	m := train(Options{}, "see san diego", "in san diego", "at san diego", "the blue cat", "a blue dog", "one blue hat")
	// diego is as frequent as blue, but follows one word only.
	if a, b := prob(m, "<unk>", "<unk>", "diego"), prob(m, "<unk>", "<unk>", "blue"); a >= b {
		t.Errorf("diego has %f and blue %f", a, b)
	}
	if p := prob(m, "see", "san", "diego"); p < 0.3 {
		t.Errorf("diego after see san has %f", p)
	}
	if p := prob(m, "the", "blue", "unheard"); p <= 0 {
		t.Errorf("an unknown word has %f", p)
	}
}

func TestFill(t *testing.T) {
	m := train(Options{}, "i live in dale now", "i live in dale now", "i live in york", "we live near dale", "i work in york now", "[PERSON_NAME_1] is here")
	got := m.Fill([]string{"i", "live", "in"}, []string{"now"}, 3)
	if len(got) != 3 || got[0].Word != "dale" {
		t.Errorf("%+v", got)
	}
	for _, c := range m.Fill(nil, []string{"is"}, 100) {
		if c.Word == "[PERSON_NAME_1]" || c.Word == "<s>" {
			t.Errorf("%s is proposed", c.Word)
		}
	}
	again := m.Fill([]string{"i", "live", "in"}, []string{"now"}, 3)
	if !slices.Equal(got, again) {
		t.Error("not the same again")
	}
}

func TestMoreTextIsLessSurprising(t *testing.T) {
	vocabulary := strings.Fields("i live in dale york now we work")
	little := train(Options{Vocabulary: vocabulary, Closed: true}, "we work")
	much := train(Options{Vocabulary: vocabulary, Closed: true}, "we work", "i live in dale now", "i work in york", "zz zz")
	text := strings.Fields("i live in york now")
	a, b := logProb(little, text), logProb(much, text)
	if a >= b || len(little.Words) != len(much.Words) {
		t.Errorf("%f and %f, %d and %d words in the vocabulary", a, b, len(little.Words), len(much.Words))
	}
}

func TestFile(t *testing.T) {
	m := train(Options{}, "i live in dale now")
	path := filepath.Join(t.TempDir(), "model")
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if prob(again, "i", "live", "in") != prob(m, "i", "live", "in") {
		t.Error("the probabilities differ")
	}
	for _, data := range [][]byte{nil, []byte("secret"), b.Bytes()[:b.Len()-1]} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
}

// Whatever is in a file, looking words up does not panic.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := train(Options{}, "i live in dale now", "we work").Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	for _, at := range []int{41, 60, 120, 300} {
		damaged := bytes.Clone(b.Bytes())
		damaged[at%len(damaged)] ^= 0xff
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, c := range m.Fill([]string{"live", "in"}, []string{"now", "we"}, 5) {
			if p := prob(m, "live", "in", c.Word); !(p >= 0 && p <= 1) {
				t.Fatalf("a probability of %f", p)
			}
		}
	})
}
