package adversary

import (
	"path/filepath"
	"testing"

	"sotto/internal/testkit/llamacpp"
)

// A real server with a model of random weights: what it says is nonsense. The protocol holds, answers that cannot be
// read are none, and nothing that it quotes counts unless a call has it.
func TestRealLlamaCPP(t *testing.T) {
	o := options(llamacpp.Start(t, "../..") + "/v1")
	o.Concurrency = 1
	if err := Probe(t.Context(), o); err != nil {
		t.Error(err)
	}
	calls := planted[:2]
	answers, refused, err := Run(t.Context(), o, calls, journal(t, filepath.Join(t.TempDir(), "j")))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d answers could not be read", refused, 4)
	for i, a := range answers {
		for _, h := range a.Evidence {
			if text := []rune(calls[i].Utterances[h.Turn].Text); h.Start < 0 || h.End <= h.Start || h.End > len(text) {
				t.Errorf("a hint at %d to %d of %d", h.Start, h.End, len(text))
			}
		}
	}
}
