package eval

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/detectors/remote/llm"
	"sotto/detectors/remote/presidio"
	"sotto/internal/gold"
	"sotto/schemas"
)

// remotely is an engine whose most doubtful utterances come with the findings of a remote tier.
type remotely struct {
	*anonymize.Engine
	find     func(u *gold.Utterance) []detectors.Finding
	minDoubt float32
}

func (r remotely) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	conversation := anonymize.NewConversation(r.Engine)
	masks := make([][]Mask, len(c.Utterances))
	for i, doubt := range subthreshold(r.Engine, c) {
		p := r.Prepare(utteranceEvent(c, i))
		if doubt >= r.minDoubt {
			p.Remote = anonymize.NewRemoteAnswer("remote", r.find(&c.Utterances[i]), nil)
		}
		clean := conversation.Apply(p).Clean
		masks[i], _ = masksOf(c.Utterances[i].Text, &clean)
	}
	return masks, nil
}

func utteranceEvent(c *gold.Conversation, i int) *schemas.RawEvent {
	u := &c.Utterances[i]
	return &schemas.RawEvent{CallID: "eval", Seq: int64(i + 1), Type: schemas.Utterance, Context: c.Context,
		Speaker: &schemas.Speaker{ID: u.Speaker, Role: schemas.Role(u.Role())}, Text: u.Text}
}

// subthreshold returns the doubt about each utterance of a conversation, as the stream computes it.
func subthreshold(e *anonymize.Engine, c *gold.Conversation) []float32 {
	all, asked := make([]float32, len(c.Utterances)), false
	for i := range c.Utterances {
		d := e.Doubt(e.Prepare(utteranceEvent(c, i)))
		all[i], asked = d.Value(asked), d.Asks
	}
	return all
}

// labels are the findings of a service that makes no mistake.
func labels(u *gold.Utterance) (found []detectors.Finding) {
	runes := []rune(u.Text)
	for _, s := range u.Entities {
		found = append(found, detectors.Finding{Start: len(string(runes[:s.Start])), End: len(string(runes[:s.End])), Type: detectors.InfoType(s.Type),
			Score: 0.9, Likelihood: detectors.VeryLikely, Detector: "remote", Evidence: detectors.ByModel})
	}
	return found
}

// TestRemoteCurve prints how much recall each share of sent utterances buys; see docs/remote.md.
func TestRemoteCurve(t *testing.T) {
	files := strings.Fields(os.Getenv("SOTTO_REMOTE_CURVE"))
	if len(files) == 0 {
		t.Skip("'make remote-curve GOLD=...' names labelled conversations")
	}
	e, err := anonymize.New(anonymize.Options{RawOffsets: true, RemoteTiers: "curve"})
	if err != nil {
		t.Fatal(err)
	}
	var sets []Set
	var all []float32
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := gold.Read(f, file)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, Set{Name: file, Conversations: calls})
		for i := range calls {
			all = append(all, subthreshold(e, &calls[i])...)
		}
	}
	slices.SortFunc(all, func(a, b float32) int { return cmp.Compare(b, a) })
	refused := 0
	services := map[string]func(*gold.Utterance) []detectors.Finding{"perfect": labels}
	if url := os.Getenv("SOTTO_REMOTE_CURVE_URL"); url != "" {
		var service remote.Service = presidio.New(url)
		types := remote.PresidioTypes()
		if model := os.Getenv("SOTTO_REMOTE_CURVE_MODEL"); model != "" {
			types = remote.LLMTypes()
			service = llm.New(url, model, func() (string, error) { return os.Getenv("SOTTO_REMOTE_CURVE_KEY"), nil }, types, policy.Default())
		}
		tier := remote.NewTier(service, remote.Options{Types: types, PerMinute: 1_000_000, Deadline: 1 << 36})
		services[service.Name()] = func(u *gold.Utterance) []detectors.Finding {
			r := tier.Ask(t.Context(), []remote.Utterance{{Text: u.Text}})[0]
			if errors.Is(r.Err, remote.ErrUnavailable) {
				t.Error(r.Err)
			} else if r.Err != nil {
				refused++
			}
			return r.Findings
		}
	}
	for name, find := range services {
		for _, least := range leastDoubts(all) {
			sent := 0
			for sent < len(all) && all[sent] >= least {
				sent++
			}
			r, err := Run(sets, remotely{e, find, least}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-8s doubt from %.3f: %5.1f %% sent (%d refused), recall %.4f (characters %.4f), precision %.4f", name, least,
				100*float64(sent)/float64(len(all)), refused, r.Recall.Value(), r.RecallChars.Value(), r.Precision.Value())
			refused = 0
		}
	}
}

// leastDoubts returns the doubts from which on about some shares of the utterances are sent: none, 5 to
// 50 percent, all with any doubt, and all. The doubts are in descending order.
func leastDoubts(all []float32) []float32 {
	least := []float32{2}
	for _, share := range []float64{0.05, 0.1, 0.25, 0.5} {
		if n := int(share * float64(len(all))); n > 0 && all[n-1] > 0 {
			least = append(least, all[n-1])
		}
	}
	if none := slices.Index(all, 0); none > 0 {
		least = append(least, all[none-1])
	}
	return slices.Compact(append(least, 0))
}
