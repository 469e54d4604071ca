package anonymize_test

import (
	"fmt"
	"strings"
	"time"

	"sotto/anonymize"
	"sotto/schemas"
)

func Example() {
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	for i, text := range []string{
		"Hi, this is Marc calling from Dunder Mifflin, what's your phone number?",
		"It's 555 0134, Mark.",
	} {
		for _, out := range conversation.Add(&schemas.RawEvent{CallID: "c-42", Seq: int64(i + 1), Type: schemas.Utterance, Text: text}) {
			fmt.Println(out.Clean.Text)
		}
	}
	// Output:
	// Hi, this is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], what's your phone number?
	// It's [PHONE_NUMBER_1], [PERSON_NAME_1].
}

func ExampleNewConversation() {
	event := &schemas.RawEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "Hi, this is Ines Quimby."}

	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	for _, out := range conversation.Add(event) {
		fmt.Println(out.Clean.Text)
	}
	// Output: Hi, this is [PERSON_NAME_1].
}

// With hold-back, an utterance that ends within a value is deferred until the speaker has
// continued, so that its part of the value gets the right infoType.
func ExampleConversation_Add() {
	engine, err := anonymize.New(anonymize.Options{HoldBack: 4, HoldBackTime: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	write := func(outputs []anonymize.Output) {
		for _, out := range outputs {
			fmt.Println(out.Clean.Speaker.ID, out.Clean.Text)
		}
	}
	for i, line := range []string{"a: my card is four five three two", "b: okay", "a: one five one one two eight three oh three six six"} {
		speaker, text, _ := strings.Cut(line, ": ")
		outputs := conversation.Add(&schemas.RawEvent{
			CallID: "c-42", Seq: int64(i + 1), Type: schemas.Utterance, Text: text, Speaker: &schemas.Speaker{ID: speaker},
		})
		fmt.Println("anonymized:", len(outputs))
		write(outputs)
	}
	write(conversation.Flush())
	// Output:
	// anonymized: 0
	// anonymized: 0
	// anonymized: 3
	// s1 my card is [CREDIT_CARD_NUMBER_1]
	// s2 okay
	// s1 [CREDIT_CARD_NUMBER_1]
}

// Once a call has ended, its clean events can be reviewed with everything that became known after
// they were published.
func ExampleConversation_Review() {
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	published := schemas.CleanEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "The account of Quimbolt is closed."}
	conversation.Add(&schemas.RawEvent{CallID: "c-42", Seq: 2, Type: schemas.Utterance, Text: "My name is Rosa Quimbolt."})

	final, added, _ := conversation.Review(&published)
	fmt.Println(final.Text, len(added))
	// Output: The account of [PERSON_NAME_1] is closed. 1
}
