package files

import (
	"bytes"
	"encoding/json"
	"testing"

	"sotto/config"
	"sotto/internal/testkit/endtest"
	"sotto/schemas"
)

func TestEndOfACall(t *testing.T) {
	endtest.Run(t, func(t *testing.T, set func(*config.Settings), utterances []string) *schemas.CallSummary {
		s, err := config.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		set(&s)
		e, err := s.NewEngine()
		if err != nil {
			t.Fatal(err)
		}
		var in, out bytes.Buffer
		lines := json.NewEncoder(&in)
		for i, text := range append(utterances, "") {
			event := map[string]any{"call_id": "c", "seq": i + 1, "type": "UTTERANCE", "context": endtest.Context, "text": text}
			if i == len(utterances) {
				event["type"] = "END"
			}
			if err := lines.Encode(event); err != nil {
				t.Fatal(err)
			}
		}
		j := &Job{Engine: e, Gate: s.Gate()}
		if n, err := j.Events(t.Context(), &in, &out); err != nil || n.Bad > 0 {
			t.Fatalf("%d lines are bad, %v", n.Bad, err)
		}
		var end schemas.CleanEvent
		for line := range bytes.Lines(out.Bytes()) {
			end = schemas.CleanEvent{}
			if err := json.Unmarshal(line, &end); err != nil {
				t.Fatal(err)
			}
		}
		return end.Call
	})
}
