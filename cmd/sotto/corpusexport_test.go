package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// Each run goes on where the last one stopped. A call that was open then is read again from its
// first event, and the calls between are not exported twice.
func TestCorpusExportOfATopic(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "calls.clean"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	at := int64(1_700_000_000_000)
	write := func(call, kind string) {
		t.Helper()
		at += 60_000
		value := fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "", "entities": [], "timestamp_ms": %d, "call": {"release": true, "utterances": 1, "entities": {}}}`, call, at, kind, at)
		if kind == "UTTERANCE" {
			value = fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "timestamp_ms": %d}`, call, at, kind, call, at)
		}
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "calls.clean", Key: []byte(call), Value: []byte(value)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "data")
	environ := runEnviron(t, c.ListenAddrs(), "off")
	environ["SOTTO_CALL_GRACE"] = "1m"
	export := func(want ...string) {
		t.Helper()
		o := sotto(t, environ, "", "corpus", "export", "--topic", "clean", "-o", dir, "--shard-rows", "1")
		if o.code != exitDone {
			t.Fatalf("status %d: %s", o.code, o.errors)
		}
		if got := exportedCalls(t, dir); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
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
	if o := sotto(t, environ, "", "corpus", "export", "-o", dir, "--check"); o.code != exitDone {
		t.Error(o.errors)
	}
}

// In the final topic, too, events may follow the END within the grace period, and a second END may
// withhold the call. What the stream has marked is not learnt.
func TestCorpusExportOfTheFinalTopic(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "calls.final"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	write := func(call string, second int, kind, more string) {
		t.Helper()
		value := fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "timestamp_ms": %d, %s}`, call, second, kind, call, 1_700_000_000_000+1000*second, more)
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "calls.final", Key: []byte(call), Value: []byte(value)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	const graph = `"indirect": {"calls": 9, "judged": true, "count": 1}`
	end := func(call string, second int, release bool) {
		t.Helper()
		write(call, second, "END", fmt.Sprintf(`"call": {"release": %t, "utterances": 1, "entities": {}, %s}`, release, graph))
	}
	dir := filepath.Join(t.TempDir(), "data")
	environ := runEnviron(t, c.ListenAddrs(), "off")
	environ["SOTTO_CALL_GRACE"], environ["SOTTO_TOPIC_FINAL"] = "1m", "calls.final"
	export := func(want ...string) {
		t.Helper()
		o := sotto(t, environ, "", "corpus", "export", "--topic", "final", "-o", dir, "--validation", "0")
		if o.code != exitDone {
			t.Fatalf("status %d: %s", o.code, o.errors)
		}
		if got := exportedCalls(t, dir); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
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
	shards, err := filepath.Glob(filepath.Join(dir, "train-*.jsonl"))
	if err != nil || len(shards) != 1 {
		t.Fatal(shards, err)
	}
	data, err := os.ReadFile(shards[0])
	if err != nil {
		t.Fatal(err)
	}
	if row := string(data); !strings.Contains(row, `"indirect":[{"start":15,"end":16}]`) || !strings.Contains(row, `"loss_mask":[1,1,0]`) {
		t.Errorf("the marked word is learnt: %s", row)
	}
}

func TestCorpusExportUsage(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join("testdata", "calls.golden.jsonl")
	for _, args := range [][]string{
		{}, {in}, {"-o", dir}, {in, "-o", dir, "--format", "csv"}, {in, "-o", dir, "--form", "poem"}, {in, "-o", dir, "--by", "speaker"},
		{in, "-o", dir, "--validation", "1"}, {in, "-o", dir, "--shard-rows", "0"}, {in, "-o", dir, "--tokenizer", in}, {in, "-o", dir, "--check"},
		{"missing.jsonl", "-o", dir},
	} {
		if o := sotto(t, nil, "", append([]string{"corpus", "export"}, args...)...); o.code != exitUsage {
			t.Errorf("%q: status %d, %q", args, o.code, o.errors)
		}
	}
	if o := sotto(t, nil, "", "corpus", "export", "-o", dir, "--check"); o.code != exitFailed && o.code != exitCheck {
		t.Errorf("an empty folder: status %d", o.code)
	}
}
