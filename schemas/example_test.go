package schemas_test

import (
	"context"
	"errors"
	"fmt"

	"sotto/schemas"
)

// A codec reads every encoding and writes the configured one.
func ExampleCodec() {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		fmt.Println(err)
		return
	}
	raw, err := codec.DecodeRaw([]byte(`{"call_id": "c-42", "seq": 3, "type": "UTTERANCE", "text": "It's Pam."}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	record, err := codec.AppendClean(nil, &schemas.CleanEvent{
		CallID: raw.CallID, Seq: raw.Seq, Type: raw.Type,
		Text:     "It's [PERSON_NAME_1].",
		Entities: []schemas.Entity{{Start: 5, End: 20, Type: "PERSON_NAME", ID: 1, Score: 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(record))
	// Output:
	// {"call_id":"c-42","seq":3,"type":"UTTERANCE","text":"It's [PERSON_NAME_1].","entities":[{"start":5,"end":20,"type":"PERSON_NAME","id":1,"score":1}],"policy":"","strategy":""}
}

// The error of a bad record says what is wrong without quoting the record.
func ExampleDecodeError() {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = codec.DecodeRaw([]byte(`{"call_id": "c-42", "seq": 3, "type": "UTTERANCE", "text": It's Pam.}`))
	var bad *schemas.DecodeError
	switch {
	case errors.As(err, &bad):
		fmt.Printf("dead letter, reason %s: %v\n", bad.Reason, bad)
	case errors.Is(err, schemas.ErrUnavailable):
		fmt.Println("try again later")
	}
	// Output:
	// dead letter, reason invalid_json: the record is not valid JSON
}
