package eval_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"sotto/internal/gold"
	"sotto/training/eval"
)

const goldLine = `{"id":"g-1","utterances":[{"speaker":"agent","text":"Hi Zoë","entities":[{"start":3,"end":6,"type":"PERSON_NAME"}]}]}`

func FuzzReadGold(f *testing.F) {
	f.Add([]byte(goldLine))
	f.Add([]byte(`{"utterances":[{"text":"a","entities":[{"start":0,"end":1,"type":"X"}]}]}`))
	f.Add([]byte("{}\n\n["))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := gold.Read(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		// A conversation that was read can be measured, in every variant.
		for _, c := range [][]gold.Conversation{got, gold.Lower(got), gold.Unpunct(got), gold.Unpunct(gold.Lower(got))} {
			for _, conversation := range c {
				for _, u := range conversation.Utterances {
					n := utf8.RuneCountInString(u.Text)
					for _, s := range u.Entities {
						if s.Start < 0 || s.End <= s.Start || s.End > n {
							t.Fatalf("span %d to %d of a text of %d", s.Start, s.End, n)
						}
					}
				}
			}
			run, err := eval.Run([]eval.Set{{Conversations: c}}, perfect, eval.Options{Errors: true})
			if err != nil || run.Masked != run.Gold {
				t.Fatalf("a perfect anonymizer: %d of %d spans masked, error %v", run.Masked, run.Gold, err)
			}
		}
	})
}

// corpora is the folder of the project's labelled conversations, if it exists.
const corpora = "../../../shared/corpora/dev"

func TestCorporaCanBeReadAndMeasured(t *testing.T) {
	files, err := filepath.Glob(corpora + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Skipf("no labelled conversations in %s", corpora)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		conversations, err := gold.Read(f, filepath.Base(file))
		f.Close()
		if err != nil {
			t.Error(err)
			continue
		}
		name := filepath.Base(file)
		r, err := eval.Run([]eval.Set{{Name: name, Conversations: conversations}}, perfect, eval.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Calls == 0 || r.Gold == 0 || r.Masked != r.Gold || r.OverMaskedTokens.Part != 0 || r.ResidualRisk.Max != 0 {
			t.Errorf("%s: a perfect anonymizer masks %d of %d spans, %d tokens too many, worst score %v",
				name, r.Masked, r.Gold, r.OverMaskedTokens.Part, r.ResidualRisk.Max)
		}
	}
}
