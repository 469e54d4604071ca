package processor

import (
	"slices"
	"strings"
	"testing"

	"sotto/schemas"
)

func TestMetricsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		switch {
		case seen[m.Name]:
			t.Errorf("%s is there twice", m.Name)
		case !strings.HasSuffix(m.Help, "."):
			t.Errorf("%s: help is no sentence: %q", m.Name, m.Help)
		case (m.Type == "counter") != strings.HasSuffix(m.Name, "_total"):
			t.Errorf("%s is a %s", m.Name, m.Type)
		case slices.Contains(m.Labels, "call") || slices.Contains(m.Labels, "call_id"):
			t.Errorf("%s has a label for the call", m.Name)
		}
		seen[m.Name] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d metrics", len(seen))
	}
}

func TestRedactedCharacters(t *testing.T) {
	for _, tc := range []struct {
		name, raw, clean string
		entities         []schemas.Entity
		redacted         int
	}{
		{"nothing found", "Good morning", "Good morning", nil, 0},
		{"one name", "I am Søren", "I am [PERSON_NAME_1]", []schemas.Entity{{Start: 5, End: 20}}, 5},
		{"all of it", "Tom", "[PERSON_NAME_1]", []schemas.Entity{{Start: 0, End: 15}}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c counts
			c.characters(tc.raw, &schemas.CleanEvent{Text: tc.clean, Entities: tc.entities})
			if c.redactedChars != tc.redacted || c.inputChars != len([]rune(tc.raw)) {
				t.Errorf("%d of %d, want %d", c.redactedChars, c.inputChars, tc.redacted)
			}
		})
	}
}

func TestOldestOpenCall(t *testing.T) {
	now := int64(1_000_000_000)
	p := newPartition(0, limits{idle: 60_000, grace: 60_000, open: 10, closed: 10, workers: 1, refresh: 1 << 40,
		futureSkew: 60_000, draw: func(string) float64 { return 1 }, wallClock: func() int64 { return now }})
	hear := func(id string, at int64, kind schemas.EventType) {
		p.begin()
		p.advance(at, p.calls[id])
		p.admit(id, &schemas.RawEvent{CallID: id, Type: kind, Text: "hello", TimestampMS: at})
		p.commit()
	}
	hear("a", now-50_000, schemas.Utterance)
	hear("b", now-20_000, schemas.Utterance)
	hear("a", now-10_000, schemas.Utterance)
	if _, oldest := p.survey(); oldest != 40_000 {
		t.Errorf("oldest open call: %d ms", oldest)
	}
	hear("a", now-5_000, schemas.End)
	if _, oldest := p.survey(); oldest != 15_000 {
		t.Errorf("after its end the next is the oldest: %d ms", oldest)
	}
}

// What a dashboard shows of a stream must be there once it has run.
func TestProgressIsExported(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a")
	r.feed(r.raw(0, &schemas.RawEvent{CallID: "c-1", Seq: 1, Type: schemas.Utterance, Text: "Hi, this is Wilhelmina Quickly"}))
	for _, want := range []string{
		`sotto_lag_records{partition="0"}`, `sotto_assigned_partitions{session="0"} 1`, "sotto_end_to_end_seconds_count 1",
		"sotto_input_characters_total 30", "sotto_detections_total{", `sotto_oldest_open_call_seconds{session="0"}`,
	} {
		eventually(t, want+" is exported", func() bool { return strings.Contains(scrape(t, in), want) })
	}
	if code, _ := get(in, "/startupz"); code != 200 {
		t.Errorf("/startupz: %d", code)
	}
}
