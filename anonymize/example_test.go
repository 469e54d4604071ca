package anonymize_test

import (
	"fmt"
	"testing"

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
		"Hi, this is Marc calling from Harbor Paper, what's your phone number?",
		"It's 555 0134, Mark.",
	} {
		out := conversation.Add(&schemas.RawEvent{CallID: "c-42", Seq: int64(i + 1), Type: schemas.Utterance, Text: text})
		fmt.Println(out.Clean.Text)
	}
	// Output:
	// Hi, this is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], what's your phone number?
	// It's [PHONE_NUMBER_1], [PERSON_NAME_1].
}

// An event without a type, or with one in small letters, is an error, and nothing of it gets out.
func TestAddRefusesAnEventWithoutAType(t *testing.T) {
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []schemas.EventType{"", "utterance"} {
		out := anonymize.NewConversation(engine).Add(&schemas.RawEvent{CallID: "c", Seq: 1, Type: kind, Text: "This is Ines Quimby."})
		if out.Err == nil || out.Clean.Text != "" {
			t.Errorf("type %q: error %v", kind, out.Err)
		}
	}
	if out := anonymize.NewConversation(engine).Add(&schemas.RawEvent{Type: schemas.End}); out.Err != nil {
		t.Error(out.Err)
	}
}

func ExampleNewConversation() {
	event := &schemas.RawEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "Hi, this is Ines Quimby."}

	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	fmt.Println(conversation.Add(event).Clean.Text)
	// Output: Hi, this is [PERSON_NAME_1].
}

// Once a call has ended, its clean events can be masked again with everything that became known after
// they were published.
func ExampleEngine_ClosingPass() {
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := anonymize.NewConversation(engine)
	published := schemas.CleanEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "The account of Quimbolt is closed."}
	conversation.Add(&schemas.RawEvent{CallID: "c-42", Seq: 2, Type: schemas.Utterance, Text: "My name is Rosa Quimbolt."})

	final, added, _ := engine.ClosingPass(conversation.Call(), &published, nil)
	fmt.Println(final.Text, len(added))
	// Output: The account of [PERSON_NAME_1] is closed. 1
}
