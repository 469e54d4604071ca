package processor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

const (
	benchPartitions = 12
	// benchOverlap is the number of calls at the same time.
	benchOverlap = 1000
	// benchCalls makes about 480,000 records.
	benchCalls = 14000
	// corpusCopies of each call of a corpus, under other IDs, make about as many.
	corpusCopies = 16
)

// generated are the events of generated calls in the order of their times.
func generated(calls, overlap int) []*schemas.RawEvent {
	var all []*schemas.RawEvent
	for e := range callgen.New(callgen.Config{Seed: 1}).Events(0, calls, overlap) {
		all = append(all, &e.RawEvent)
	}
	return all
}

// corpusSets are the conversations that the engine's benchmark takes, too.
var corpusSets = []string{"callgen", "callgen_asr", "fakevcons", "fakevcons_asr", "ckm", "evi", "multidogo", "multidogo_asr", "sgd", "sgd_asr"}

// corpusEvents are the events of the conversations of ../shared/corpora/dev beside the repository, in
// an order in which equal texts are far apart: of a text that it has just read, the engine has all
// tables in the processor's cache. The benchmark is skipped if they are missing.
func corpusEvents(b *testing.B) []*schemas.RawEvent {
	b.Helper()
	var calls [][]*schemas.RawEvent
	for _, set := range corpusSets {
		f, err := os.Open(filepath.Join("..", "..", "shared", "corpora", "dev", set+".jsonl"))
		if err != nil {
			b.Skip("no corpora beside the repository")
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			for copied := range corpusCopies {
				calls = append(calls, corpusCall(b, lines.Bytes(), fmt.Sprint(set, "-", len(calls), "-", copied)))
			}
		}
		if err := lines.Err(); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return interleave(calls)
}

func corpusCall(b *testing.B, line []byte, id string) []*schemas.RawEvent {
	b.Helper()
	var c struct {
		Utterances []struct{ Speaker, Text string }
	}
	if err := json.Unmarshal(line, &c); err != nil {
		b.Fatal("a conversation does not decode")
	}
	var events []*schemas.RawEvent
	for i, u := range c.Utterances {
		role := schemas.RoleUnknown
		switch u.Speaker {
		case "agent":
			role = schemas.RoleAgent
		case "customer":
			role = schemas.RoleCustomer
		}
		events = append(events, &schemas.RawEvent{
			CallID: id, Seq: int64(i + 1), Type: schemas.Utterance, Text: u.Text, Context: "customer_support",
			Speaker: &schemas.Speaker{ID: u.Speaker, Label: u.Speaker, Role: role},
		})
	}
	return append(events, &schemas.RawEvent{CallID: id, Seq: int64(len(events) + 1), Type: schemas.End})
}

// interleave takes an event of each of benchOverlap calls in turn. When a call ends, the next one
// begins.
func interleave(calls [][]*schemas.RawEvent) []*schemas.RawEvent {
	var all []*schemas.RawEvent
	open := make([][]*schemas.RawEvent, benchOverlap)
	for next, left := 0, true; left; {
		left = false
		for i := range open {
			if len(open[i]) == 0 && next < len(calls) {
				open[i] = calls[next]
				next++
			}
			if len(open[i]) == 0 {
				continue
			}
			e := open[i][0]
			e.TimestampMS = 1_700_000_000_000 + int64(len(all))
			all, open[i], left = append(all, e), open[i][1:], true
		}
	}
	return all
}

// load fills the raw topic and returns the number of records.
func load(b *testing.B, r *rig, events []*schemas.RawEvent) int {
	b.Helper()
	recs := make([]*kgo.Record, len(events))
	for i, e := range events {
		h := fnv.New32a()
		h.Write([]byte(e.CallID))
		recs[i] = r.Raw(int32(h.Sum32()%benchPartitions), e)
	}
	r.Feed(recs...)
	return len(recs)
}

// openCalls are the events of calls that are all open at the end.
func openCalls(calls int) []*schemas.RawEvent {
	return slices.DeleteFunc(generated(calls, calls), func(e *schemas.RawEvent) bool { return e.Type == schemas.End })
}
