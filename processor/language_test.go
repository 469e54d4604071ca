package processor

import (
	"strings"
	"testing"

	"sotto/schemas"
)

// A turn in another language is masked, held or passed, and its call is released only if it was
// passed. An English call in the same partition is unaffected.
func TestOtherLanguages(t *testing.T) {
	const spanish, english = "hola, quiero cambiar la mesa de mi cuenta", "hello, I would like to change the table of my account"
	for _, c := range []struct {
		decision string
		text     string // of the clean event, if it is masked; "" for a dead letter
		release  bool
		want     int
	}{
		{"mask", "hola, quiero [SPELLED_WORD] la [SPELLED_WORD] de mi [SPELLED_WORD]", false, 4},
		{"hold", "", false, 3},
		{"pass", "anonymized as English", true, 4},
	} {
		t.Run(c.decision, func(t *testing.T) {
			r := newRig(t, 1)
			r.Set.OtherLanguages, r.Set.RiskGate = c.decision, "off"
			in := r.start("a")
			r.Feed(r.Raw(0, utterance("spanish", 1, "x", spanish)), r.Raw(0, ended("spanish", 2)),
				r.Raw(0, utterance("english", 1, "x", english)), r.Raw(0, ended("english", 2)))
			for _, e := range r.Clean(r.Await(r.Topics.Clean, c.want)) {
				switch {
				case e.Type == schemas.End:
					release := c.release || e.CallID == "english"
					if e.Call.Release != release || release != (e.Call.Reason == "") {
						t.Errorf("the END of the %s call: release %v, reason %q", e.CallID, e.Call.Release, e.Call.Reason)
					}
				case e.CallID == "english":
					if e.Text != english {
						t.Error("the English turn is changed")
					}
				case c.text == "":
					t.Error("the held turn has a clean event")
				case c.decision == "mask" && e.Text != c.text:
					t.Errorf("the turn became %q, want %q", e.Text, c.text)
				}
			}
			dead := r.DeadLetters()
			if c.text != "" && len(dead) != 0 || c.text == "" && (len(dead) != 1 || dead[0].Reason != reasonOtherLanguage || dead[0].Offset != 0) {
				t.Errorf("%d dead letters", len(dead))
			}
			eventually(t, "the metrics to count the turn", func() bool { // after the commit that readers see
				return strings.Contains(scrape(t, in), `sotto_other_language_utterances_total{decision="`+c.decision+`",language="es"} 1`)
			})
			if strings.Contains(scrape(t, in), "sotto_transactions_aborted_total{") {
				t.Error("a transaction was aborted")
			}
		})
	}
}
