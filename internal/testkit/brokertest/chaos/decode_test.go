package chaos

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

func record(t *testing.T, partition int32, offset int64, v any) *kgo.Record {
	t.Helper()
	value, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return &kgo.Record{Topic: "topic", Partition: partition, Offset: offset, Value: value}
}

func TestEventsOfRecords(t *testing.T) {
	no, two, five := false, 2, 5
	raw := RawEvents([]*kgo.Record{
		record(t, 1, 2, schemas.RawEvent{CallID: "c", Seq: 3, Text: "hm Otto", Speaker: &schemas.Speaker{Label: "Pam"}}),
		record(t, 1, 3, schemas.RawEvent{CallID: "c", Seq: 4, Final: &no}),
		{Partition: 1, Offset: 4, Value: []byte("{")},
	}, JSON[schemas.RawEvent])
	if want := []Raw{
		{Partition: 1, Offset: 2, CallID: "c", Seq: 3, Text: "hm Otto", Label: "Pam"},
		{Partition: 1, Offset: 3, CallID: "c", Seq: 4, Dropped: true},
		{Partition: 1, Offset: 4, Bad: true},
	}; !reflect.DeepEqual(raw, want) {
		t.Errorf("raw events: got %+v", raw)
	}

	clean, err := CleanEvents([]*kgo.Record{
		record(t, 0, 7, schemas.CleanEvent{
			CallID: "c", Seq: 3, Speaker: &schemas.Speaker{Label: "[PERSON_NAME_12]"},
			Entities: []schemas.Entity{{Type: "PERSON_NAME", ID: 2, RawStart: &two, RawEnd: &five}, {Type: "NUMERIC"}},
		}),
		record(t, 0, 8, schemas.CleanEvent{CallID: "c", Seq: 4, Call: &schemas.CallSummary{ClosedBy: schemas.ClosedByIdle}}),
	}, JSON[schemas.CleanEvent])
	if err != nil {
		t.Fatal(err)
	}
	if want := []Tag{
		{Type: "PERSON_NAME", ID: 2, RawStart: 2, RawEnd: 5}, {Type: "NUMERIC"},
		{Type: "PERSON_NAME", ID: 12, Label: true},
	}; !reflect.DeepEqual(clean[0].Tags, want) {
		t.Errorf("tags: got %+v", clean[0].Tags)
	}
	if clean[0].Extra || !clean[1].Extra {
		t.Error("only the END of an idle call answers no raw event")
	}
	if !strings.Contains(clean[0].Body, `"seq":3`) {
		t.Errorf("body is %s", clean[0].Body)
	}

	dead, err := DeadLetters([]*kgo.Record{record(t, 0, 0, schemas.DeadLetter{Partition: 4, Offset: 9})}, JSON[schemas.DeadLetter])
	if err != nil || !reflect.DeepEqual(dead, []Dead{{4, 9}}) {
		t.Errorf("dead letters: got %+v, %v", dead, err)
	}
}

func TestErrorsOfRecordsShowNoContent(t *testing.T) {
	bad := &kgo.Record{Topic: "topic", Partition: 2, Offset: 5, Value: []byte(secret)}
	_, clean := CleanEvents([]*kgo.Record{bad}, JSON[schemas.CleanEvent])
	_, dead := DeadLetters([]*kgo.Record{bad}, JSON[schemas.DeadLetter])
	for _, err := range []error{clean, dead} {
		if err == nil || err.Error() != "topic, partition 2, offset 5 cannot be decoded" {
			t.Errorf("error is %v", err)
		}
	}
}

func TestLabelTag(t *testing.T) {
	for label, want := range map[string]Tag{
		"[PERSON_NAME_1]": {Type: "PERSON_NAME", ID: 1, Label: true},
		"[NUMERIC_20]":    {Type: "NUMERIC", ID: 20, Label: true},
		"[PERSON_NAME]":   {},
		"[_1]":            {},
		"Agent":           {},
		"[X_1":            {},
		"":                {},
	} {
		if got, ok := labelTag(label); got != want || ok != (want != Tag{}) {
			t.Errorf("%q: got %+v, %v", label, got, ok)
		}
	}
}
