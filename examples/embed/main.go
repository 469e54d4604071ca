// Command embed anonymizes a call in a program of its own, without Kafka: it reads turns as "speaker: text" from its
// input, and prints them without personal information.
//
//	printf 'Ines: This is Ines Quimby.\nTom: Thanks, Ines.\n' | go run ./examples/embed
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/anonymize"
	"sotto/schemas"
)

func main() {
	if err := embed(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func embed(in io.Reader, out io.Writer) error {
	// An engine takes a second to make, and any number of goroutines may use it.
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		return err
	}
	// A conversation is one call: it keeps the numbers of the tags, the open questions and the dictation. One goroutine
	// gives it the events in their order.
	conversation := anonymize.NewConversation(engine)
	seq := int64(0)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		speaker, text, ok := strings.Cut(lines.Text(), ": ")
		if !ok {
			continue
		}
		seq++
		event := conversation.Add(&schemas.RawEvent{
			CallID: "call-1", Seq: seq, Type: schemas.Utterance, Text: text,
			Speaker: &schemas.Speaker{ID: speaker, Label: speaker},
		}).Clean
		if _, err := fmt.Fprintf(out, "%s: %s\n", event.Speaker.ID, event.Text); err != nil {
			return err
		}
	}
	return lines.Err()
}
