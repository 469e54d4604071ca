package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// secret stands for personal information: no message may show it.
const secret = "Wilhelmina"

// good is a history without a fault: a call with an interim event, one with a bad record, and one
// that was closed because it was idle, each in its own raw partition.
func good() History {
	return History{
		Raw: []Raw{
			{Partition: 0, Offset: 0, CallID: "a", Seq: 1, Text: "I am " + secret, Label: secret},
			{Partition: 0, Offset: 1, CallID: "a", Seq: 2, Dropped: true},
			{Partition: 0, Offset: 2, CallID: "a", Seq: 3, Text: strings.ToUpper(secret) + " and Otto"},
			{Partition: 1, Offset: 5, Bad: true},
			{Partition: 1, Offset: 6, CallID: "b", Seq: 1, Text: "Otto"},
		},
		Clean: []Clean{
			{Partition: 3, Offset: 0, CallID: "a", Seq: 1, Body: "a1", Tags: []Tag{
				{Type: "PERSON_NAME", ID: 1, RawStart: 5, RawEnd: 15}, {Type: "PERSON_NAME", ID: 1, Label: true},
			}},
			{Partition: 3, Offset: 4, CallID: "a", Seq: 3, Body: "a3", Tags: []Tag{
				{Type: "PERSON_NAME", ID: 1, RawStart: 0, RawEnd: 10}, {Type: "PERSON_NAME", ID: 2, RawStart: 15, RawEnd: 19},
			}},
			{Partition: 3, Offset: 2, CallID: "b", Seq: 1, Body: "b1", Tags: []Tag{
				{Type: "PERSON_NAME", ID: 1, RawStart: 0, RawEnd: 4}, {Type: "NUMERIC"},
			}},
			{Partition: 3, Offset: 9, CallID: "b", Seq: 2, Body: "b2", Extra: true},
		},
		Dead:   []Dead{{1, 5}},
		Entity: func(_, value string) string { return strings.ToLower(value) },
		Reference: map[string][]string{
			"a": {"a1", "a3"},
			"b": {"b1", "b2"},
		},
	}
}

func kinds(found []Violation) []Kind {
	var all []Kind
	for _, v := range found {
		all = append(all, v.Kind)
	}
	return all
}

func TestCheckFindsEachFault(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*History)
		want  []Kind
	}{
		{"nothing is wrong", func(*History) {}, nil},
		{"nothing is wrong without a reference", func(h *History) { h.Reference = nil }, nil},
		{"an event is lost", func(h *History) { h.Clean = h.Clean[1:] }, []Kind{Different, Lost}},
		{"the last event is lost", func(h *History) { h.Clean = h.Clean[:3] }, []Kind{Different}},
		{"a call is lost", func(h *History) { h.Clean = h.Clean[:2] }, []Kind{Different, Lost}},
		{"an event is doubled", func(h *History) {
			h.Clean = append(h.Clean, Clean{Partition: 3, Offset: 11, CallID: "a", Seq: 3, Body: "a3"})
		}, []Kind{Different, Doubled}},
		{"a clean event of nothing", func(h *History) {
			h.Clean = append(h.Clean, Clean{Partition: 3, Offset: 11, CallID: "c", Seq: 1})
		}, []Kind{Different, Unexpected}},
		{"an interim event has an outcome", func(h *History) {
			h.Clean = append(h.Clean, Clean{Partition: 3, Offset: 1, CallID: "a", Seq: 2})
		}, []Kind{Different, Unexpected}},
		{"a bad record has no dead letter", func(h *History) { h.Dead = nil }, []Kind{Lost}},
		{"a dead letter is doubled", func(h *History) { h.Dead = append(h.Dead, h.Dead[0]) }, []Kind{Doubled}},
		{"a dead letter of nothing", func(h *History) { h.Dead = append(h.Dead, Dead{0, 99}) }, []Kind{Unexpected}},
		{"a dead letter of an interim event", func(h *History) { h.Dead = append(h.Dead, Dead{0, 1}) }, []Kind{Unexpected}},
		{"a dead letter beside the clean event", func(h *History) {
			h.Dead = append(h.Dead, Dead{0, 2})
		}, []Kind{Unexpected}},
		{"a dead letter in place of the clean event", func(h *History) {
			h.Reference = nil
			h.Dead = append(h.Dead, Dead{1, 6})
			h.Clean = slices.Delete(h.Clean, 2, 3)
		}, nil},
		{"two events change places", func(h *History) {
			h.Reference = nil
			h.Clean[0].Offset, h.Clean[1].Offset = h.Clean[1].Offset, h.Clean[0].Offset
		}, []Kind{Reordered}},
		{"a call is in two partitions", func(h *History) {
			h.Clean[1].Partition = 4
		}, []Kind{Scattered}},
		{"a name has another number in the next event", func(h *History) { h.Clean[1].Tags[0].ID = 3 }, []Kind{Renumbered}},
		{"a label has another number than the text", func(h *History) { h.Clean[0].Tags[1].ID = 3 },
			[]Kind{Renumbered, Renumbered}},
		{"two names have one number", func(h *History) { h.Clean[1].Tags[1].ID = 1 }, []Kind{Merged}},
		{"a span outside of the text", func(h *History) { h.Clean[1].Tags[1].RawEnd = 20 }, []Kind{Misplaced}},
		{"an event differs from the reference", func(h *History) { h.Clean[1].Body = "a3'" }, []Kind{Different}},
		{"a call of the reference never was", func(h *History) { h.Reference["c"] = []string{"c1"} }, []Kind{Different}},
		{"a call is idle twice", func(h *History) {
			h.Reference = nil
			h.Clean = append(h.Clean, Clean{Partition: 3, Offset: 10, CallID: "b", Seq: 3, Extra: true})
		}, []Kind{Doubled}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := good()
			tt.spoil(&h)
			found := h.Check()
			if got := kinds(found); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", found, tt.want)
			}
			if strings.Contains(strings.ToLower(fmt.Sprint(found)), strings.ToLower(secret)) {
				t.Error("a message shows the raw text")
			}
		})
	}
}

func TestWithoutEntitiesDifferentSpellingsMayShareANumber(t *testing.T) {
	h := good()
	h.Entity = nil
	if found := h.Check(); found != nil {
		t.Errorf("found %v", found)
	}
}

// drawHistory draws a history without a fault: calls spread over raw
// partitions, their clean events interleaved.
func drawHistory(t *rapid.T) History {
	var h History
	h.Reference = make(map[string][]string)
	var at int64
	seqs := make(map[string]int64)
	for range rapid.IntRange(2, 40).Draw(t, "events") {
		n := rapid.IntRange(0, 4).Draw(t, "call")
		id := fmt.Sprint("c", n)
		seqs[id]++
		at++
		raw := Raw{Partition: int32(n % 2), Offset: at, CallID: id, Seq: seqs[id]}
		switch rapid.IntRange(0, 5).Draw(t, "outcome") {
		case 0:
			raw.Dropped = true
		case 1:
			raw.Bad = true
			h.Dead = append(h.Dead, Dead{raw.Partition, raw.Offset})
		default:
			body := fmt.Sprint(id, "/", raw.Seq)
			h.Clean = append(h.Clean, Clean{Partition: int32(n % 3), Offset: at, CallID: id, Seq: raw.Seq, Body: body})
			h.Reference[id] = append(h.Reference[id], body)
		}
		h.Raw = append(h.Raw, raw)
	}
	return h
}

func TestAnyGoodHistoryPassesAndAnyFaultIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		h.Clean = rapid.Permutation(h.Clean).Draw(t, "order")
		if rapid.Bool().Draw(t, "without reference") {
			h.Reference = nil
		}
		if found := h.Check(); found != nil {
			t.Fatalf("a good history: %v", found)
		}
		if len(h.Clean) == 0 {
			return
		}
		i := rapid.IntRange(0, len(h.Clean)-1).Draw(t, "event")
		e := h.Clean[i]
		switch rapid.IntRange(0, 3).Draw(t, "fault") {
		case 0:
			h.Clean = slices.Delete(h.Clean, i, i+1)
		case 1:
			e.Offset = 1000
			h.Clean = append(h.Clean, e)
		case 2:
			h.Clean[i].Seq += 1000
		case 3:
			h.Clean[i].CallID = "other"
		}
		if found := h.Check(); found == nil {
			t.Fatal("the fault is not found")
		}
	})
}
