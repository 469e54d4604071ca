package eval_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/eval"
)

const goldLine = `{"id":"g-1","source":"s","context":"sales","domain":"x","utterances":[{"speaker":"agent","text":"Hi Zoë","entities":[{"start":3,"end":6,"type":"PERSON_NAME","text":"Zoë","label":"l"}],"intent":"greet"}]}`

func TestReadGold(t *testing.T) {
	got, err := eval.Read(strings.NewReader(goldLine+"\n\n  \n"+goldLine), "g.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Line != 1 || got[1].Line != 4 || got[0].Context != "sales" ||
		got[0].Utterances[0].Entities[0] != (eval.Span{Start: 3, End: 6, Type: "PERSON_NAME"}) {
		t.Errorf("read %+v", got)
	}
}

func TestReadGoldErrorsNameThePlaceOnly(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"id":"secret"`, "g.jsonl:2: not a JSON object"},
		{`secret`, "g.jsonl:2: not a JSON object"},
		{`{"id":"secret"}`, "no utterances"},
		{`["secret"]`, "not a labelled conversation"},
		{`{"utterances":[{"text":7}]}`, "utterances.text has the wrong type"},
		{`{"utterances":[{"text":"secret","entities":[{"start":0,"end":"secret","type":"X"}]}]}`, "entities.end has the wrong type"},
		{`{"utterances":[{"text":"secret"},{"text":"secret","entities":[{"start":0,"end":1,"type":"X"},{"start":2,"end":7,"type":"X"}]}]}`, "utterance 2, entity 2: positions 2 to 7 are not within a text of 6 code points"},
		{`{"utterances":[{"text":"secret","entities":[{"start":3,"end":3,"type":"X"}]}]}`, "positions 3 to 3"},
		{`{"utterances":[{"text":"secret","entities":[{"start":-1,"end":3,"type":"X"}]}]}`, "positions -1 to 3"},
		{`{"utterances":[{"text":"secret","entities":[{"start":0,"end":3}]}]}`, "entity 1 has no type"},
		{"{\"utterances\":[{\"text\":\"secret\xff\"}]}", "not valid UTF-8"},
	} {
		_, err := eval.Read(strings.NewReader(goldLine+"\n"+c.line), "g.jsonl")
		switch {
		case err == nil:
			t.Errorf("a line that should fail with %q was read", c.want)
		case !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "g.jsonl:2: "):
			t.Errorf("error %q, want g.jsonl:2 and %q", err, c.want)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("error %q repeats the input", err)
		}
	}
}

func FuzzReadGold(f *testing.F) {
	f.Add([]byte(goldLine))
	f.Add([]byte(`{"utterances":[{"text":"a","entities":[{"start":0,"end":1,"type":"X"}]}]}`))
	f.Add([]byte("{}\n\n["))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := eval.Read(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		// What was read can be measured, in every variant.
		for _, c := range [][]eval.Conversation{got, eval.Lower(got), eval.Unpunct(got), eval.Unpunct(eval.Lower(got))} {
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
			run, err := eval.Run([]eval.Set{{Conversations: c}}, perfect, eval.Options{Errors: true, Workers: 1})
			if err != nil || run.Masked != run.Gold {
				t.Fatalf("a perfect anonymizer: %d of %d spans masked, error %v", run.Masked, run.Gold, err)
			}
		}
	})
}

// corpora is where the labelled conversations of the project lie, when they
// are there.
const corpora = "../../shared/corpora/dev"

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
		conversations, err := eval.Read(f, filepath.Base(file))
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
