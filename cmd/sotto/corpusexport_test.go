package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// exportedCalls returns the calls of the shards in a folder.
func exportedCalls(t *testing.T, dir string) (calls []string) {
	t.Helper()
	shards, err := filepath.Glob(filepath.Join(dir, "[tv]*-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range shards {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			id, _, _ := strings.Cut(strings.TrimPrefix(line, `{"call_id":"`), `"`)
			calls = append(calls, id)
		}
	}
	slices.Sort(calls)
	return calls
}

// topicExport exports the calls of a topic on an embedded broker, clean or final.
type topicExport struct {
	t       *testing.T
	topic   string // its name is "calls." and this
	dir     string
	client  *kgo.Client
	environ map[string]string
}

func newTopicExport(t *testing.T, topic string) *topicExport {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "calls."+topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic("calls."+topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	environ := runEnviron(t, c.ListenAddrs(), "off")
	environ["SOTTO_CALL_GRACE"], environ["SOTTO_TOPIC_FINAL"] = "1m", "calls.final"
	return &topicExport{t, topic, filepath.Join(t.TempDir(), "data"), cl, environ}
}

// write appends an event of a call.
func (x *topicExport) write(call, event string) {
	x.t.Helper()
	if err := x.client.ProduceSync(x.t.Context(), &kgo.Record{Key: []byte(call), Value: []byte(event)}).FirstErr(); err != nil {
		x.t.Fatal(err)
	}
}

// run exports once, and compares the calls of all exports so far.
func (x *topicExport) run(flags []string, want ...string) {
	x.t.Helper()
	o := sotto(x.t, x.environ, "", append([]string{"corpus", "export", "--topic", x.topic, "-o", x.dir}, flags...)...)
	if o.code != cli.Done {
		x.t.Fatalf("status %d: %s", o.code, o.errors)
	}
	if got := exportedCalls(x.t, x.dir); !slices.Equal(got, want) {
		x.t.Errorf("got %v, want %v", got, want)
	}
}

// Each run goes on where the last one stopped. A call that was open then is read again from its
// first event, and the calls between are not exported twice.
func TestCorpusExportOfATopic(t *testing.T) {
	x := newTopicExport(t, "clean")
	at := int64(1_700_000_000_000)
	write := func(call, kind string) {
		t.Helper()
		at += 60_000
		value := fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "", "entities": [], "timestamp_ms": %d, "call": {"release": true, "utterances": 1, "entities": {}}}`, call, at, kind, at)
		if kind == "UTTERANCE" {
			value = fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "timestamp_ms": %d}`, call, at, kind, call, at)
		}
		x.write(call, value)
	}
	export := func(want ...string) {
		t.Helper()
		x.run([]string{"--shard-rows", "1"}, want...)
	}
	export()
	write("a", "UTTERANCE") // open for long
	write("b", "UTTERANCE")
	write("b", "END")
	write("c", "UTTERANCE")
	write("c", "END") // in its grace period
	export("b")
	write("a", "UTTERANCE")
	export("b", "c")
	write("a", "END")
	write("d", "UTTERANCE")
	export("a", "b", "c")
	export("a", "b", "c")
	if o := sotto(t, x.environ, "", "corpus", "export", "-o", x.dir, "--check"); o.code != cli.Done {
		t.Error(o.errors)
	}
}

// In the final topic, too, events may follow the END within the grace period, and a second END may
// withhold the call. Words that the stream has marked are not learned.
func TestCorpusExportOfTheFinalTopic(t *testing.T) {
	x := newTopicExport(t, "final")
	write := func(call string, second int, kind, more string) {
		t.Helper()
		x.write(call, fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "timestamp_ms": %d, %s}`,
			call, second, kind, call, 1_700_000_000_000+1000*second, more))
	}
	const graph = `"indirect": {"calls": 9, "judged": true, "count": 1}`
	end := func(call string, second int, release bool) {
		t.Helper()
		write(call, second, "END", fmt.Sprintf(`"call": {"release": %t, "utterances": 1, "entities": {}, %s}`, release, graph))
	}
	export := func(want ...string) {
		t.Helper()
		x.run([]string{"--validation", "0"}, want...)
	}
	const mark = `"indirect": [{"start": 6, "end": 7}]`
	write("a", 0, "UTTERANCE", mark)
	end("a", 1, true)
	write("b", 2, "UTTERANCE", mark)
	end("b", 3, true)
	export()
	end("b", 30, false)
	write("d", 200, "UTTERANCE", mark)
	export("a")
	shards, err := filepath.Glob(filepath.Join(x.dir, "train-*.jsonl"))
	if err != nil || len(shards) != 1 {
		t.Fatal(shards, err)
	}
	data, err := os.ReadFile(shards[0])
	if err != nil {
		t.Fatal(err)
	}
	if row := string(data); !strings.Contains(row, `"indirect":[{"start":15,"end":16}]`) || !strings.Contains(row, `"loss_mask":[1,1,0]`) {
		t.Errorf("the marked word is learned: %s", row)
	}
}

func TestCorpusExportUsage(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join("testdata", "calls.golden.jsonl")
	for _, args := range [][]string{
		{}, {in}, {"-o", dir}, {in, "-o", dir, "--format", "csv"}, {in, "-o", dir, "--form", "poem"}, {in, "-o", dir, "--by", "speaker"},
		{in, "-o", dir, "--validation", "1"}, {in, "-o", dir, "--shard-rows", "0"}, {in, "-o", dir, "--check"},
		{"missing.jsonl", "-o", dir},
	} {
		if o := sotto(t, nil, "", append([]string{"corpus", "export"}, args...)...); o.code != cli.Usage {
			t.Errorf("%q: status %d, %q", args, o.code, o.errors)
		}
	}
	if o := sotto(t, nil, "", "corpus", "export", "-o", dir, "--check"); o.code != cli.Failed && o.code != cli.Check {
		t.Errorf("an empty folder: status %d", o.code)
	}
}
