// Command playground is the engine for a browser: docs/playground is its page. It defines the
// function sottoAnonymize(text, strategy), which returns JSON, and keeps nothing.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"syscall/js"

	"sotto/anonymize"
	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/files/formats/plaintext"
	"sotto/schemas"
)

func main() {
	js.Global().Set("sottoAnonymize", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return answer(args[0].String(), args[1].String())
	}))
	js.Global().Call("sottoReady")
	select {}
}

// line is an anonymized line "Speaker: words".
type line struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Masks   []mask `json:"masks"`
}

// mask is what was masked from one code point to another, and why.
type mask struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

type response struct {
	Lines []line `json:"lines"`
	// About says what the infoTypes of the masks are.
	About map[string]string `json:"about"`
	Error string            `json:"error,omitempty"`
}

// answer anonymizes the lines of one call. The value of a panic may hold text, so it is dropped.
func answer(text, strategy string) (out string) {
	var r response
	defer func() {
		if recover() != nil {
			r = response{Error: "the engine failed on this text"}
		}
		b, _ := json.Marshal(r)
		out = string(b)
	}()
	engineOf := tags
	if strategy == "entity" {
		engineOf = surrogates
	}
	engine, err := engineOf()
	if err != nil {
		r.Error = err.Error()
		return
	}
	if r.Lines, err = anonymizeCall(engine, text); err != nil {
		r.Error = "a line is too long"
	}
	r.About = map[string]string{}
	for _, l := range r.Lines {
		for _, m := range l.Masks {
			if row := detectors.InfoType(m.Type).Row(); row != nil {
				r.About[m.Type] = row.About
			}
		}
	}
	return
}

// anonymizeCall reads the call twice, so that what is learned late is masked early too.
func anonymizeCall(engine *anonymize.Engine, text string) ([]line, error) {
	call := anonymize.NewConversation(engine)
	var outputs []anonymize.Output
	err := plaintext.Read(strings.NewReader(text), func(ev *schemas.RawEvent) error {
		p := engine.Prepare(ev)
		p.Explain = new([]anonymize.Explanation)
		outputs = append(outputs, call.Apply(p))
		return nil
	})
	lines := []line{}
	events := make([]*schemas.CleanEvent, len(outputs))
	for i := range outputs {
		events[i] = &outputs[i].Clean
	}
	if err := call.Finish(context.Background(), events); err != nil {
		return nil, err
	}
	for i, clean := range events {
		l := line{Text: clean.Text, Masks: []mask{}}
		for _, e := range clean.Entities {
			l.Masks = append(l.Masks, mask{e.Start, e.End, e.Type, reason(e, outputs[i].Explanations)})
		}
		if clean.Speaker != nil {
			l.Speaker = clean.Speaker.Label
		}
		lines = append(lines, l)
	}
	return lines, err
}

// reason says why a value was masked. What has no explanation became known when the whole call was read.
func reason(e schemas.Entity, why []anonymize.Explanation) string {
	for _, x := range why {
		if x.Left == "" && *x.Entity.RawStart == *e.RawStart {
			return fmt.Sprintf("%s, on %s, score %.2f", x.Detector, x.Evidence, e.Score)
		}
	}
	return fmt.Sprintf("%s, when the whole call was read, score %.2f", e.Detector, e.Score)
}

// The engines, which are built when they are first needed. Surrogates are drawn with a random key that is not kept.
var (
	tags       = sync.OnceValues(func() (*anonymize.Engine, error) { return newEngine("typed-numbered") })
	surrogates = sync.OnceValues(func() (*anonymize.Engine, error) { return newEngine("entity") })
)

func newEngine(strategy string) (*anonymize.Engine, error) {
	choice, err := replace.ParseChoice(strategy)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails since Go 1.24
	plan, err := replace.New(replace.Config{Choice: choice, Key: key, Probability: 1})
	if err != nil {
		return nil, err
	}
	return anonymize.New(anonymize.Options{Replace: plan, RawOffsets: true})
}
