// Command sink gives the calls that are released for training to a service: it reads clean events, a JSON object a
// line, and PUTs each released call under its ID. The service may get a call twice, under the same ID.
//
//	sotto anonymize --events calls/ -o events.jsonl
//	go run ./examples/sink http://localhost:8080/calls <events.jsonl
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"sotto/schemas"
	"sotto/training/corpus/transcripts"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sink URL <events.jsonl")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdin, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, address string) error {
	// The assembler puts the events of calls together, which may be interleaved, and knows what releases a call:
	// every END of it does. No event follows the last line, so that it need not wait for late ones.
	assembler := transcripts.NewAssembler(0)
	var calls []*transcripts.Transcript
	if err := transcripts.Read(in, "standard input", func(e *schemas.CleanEvent) error {
		calls = append(calls, assembler.Add(e, 0, 0)...)
		return nil
	}); err != nil {
		return err
	}
	for _, call := range append(calls, assembler.Flush()...) {
		if !call.Released() {
			continue
		}
		if err := put(ctx, address, call); err != nil {
			return err
		}
	}
	return nil
}

// row is what the service gets.
type row struct {
	CallID string `json:"call_id"`
	Turns  []turn `json:"turns"`
}

type turn struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

func put(ctx context.Context, address string, call *transcripts.Transcript) error {
	r := row{CallID: call.ID}
	for _, e := range call.Events {
		r.Turns = append(r.Turns, turn{cmp.Or(e.Speaker, &schemas.Speaker{}).ID, e.Text})
	}
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address+"/"+url.PathEscape(call.ID), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("the service answers %s", response.Status)
	}
	return nil
}
