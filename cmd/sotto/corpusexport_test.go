package main

import (
	"fmt"
	"maps"
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
		value := fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "", "entities": [], "policy": "01b469cc5ecd", "strategy": "typed", "timestamp_ms": %d, "call": {"release": true, "utterances": 1, "entities": {}}}`, call, at, kind, at)
		if kind == "UTTERANCE" {
			value = fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "policy": "01b469cc5ecd", "strategy": "typed", "timestamp_ms": %d}`, call, at, kind, call, at)
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
		x.write(call, fmt.Sprintf(`{"call_id": %q, "seq": %d, "type": %q, "text": "hello %s", "entities": [], "policy": "01b469cc5ecd", "strategy": "typed", "timestamp_ms": %d, %s}`,
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

const canary = "Quimbolt"

// engineEvents are the events of a call as the engine writes them; raw ones have the canary.
func engineEvents(id string) string {
	return fmt.Sprintf(`{"call_id":%q,"seq":1,"type":"UTTERANCE","speaker":{"id":"s1","role":"AGENT"},"text":"call %s of [PERSON_NAME_1]","entities":[{"start":%d,"end":%d,"type":"PERSON_NAME","id":1,"score":1}],"policy":"01b469cc5ecd","strategy":"typed-numbered"}
{"call_id":%q,"seq":2,"type":"END","text":"","entities":[],"policy":"01b469cc5ecd","strategy":"typed-numbered","call":{"utterances":1,"entities":{},"release":true}}
`, id, id, len(id)+9, len(id)+24, id)
}

// rawCalls are calls that no engine has anonymized, in all forms that the commands for training read.
func rawCalls(id string) map[string]string {
	events := engineEvents(id)
	return map[string]string{
		"a conversation":           fmt.Sprintf(`{"id":%q,"utterances":[{"speaker":"agent","text":"this is %s","entities":[{"start":8,"end":16,"type":"PERSON_NAME"}]}]}`+"\n", id, canary),
		"a conversation, no label": fmt.Sprintf(`{"id":%q,"utterances":[{"speaker":"agent","text":"this is %s"}]}`+"\n", id, canary),
		"raw events":               fmt.Sprintf(`{"call_id":%q,"seq":1,"type":"UTTERANCE","text":"this is %s"}`+"\n"+`{"call_id":%q,"seq":2,"type":"END"}`+"\n", id, canary, id),
		"raw events with an END":   fmt.Sprintf(`{"call_id":%q,"seq":1,"type":"UTTERANCE","text":"this is %s"}`+"\n", id, canary) + strings.SplitAfter(events, "\n")[1],
		"a value in its entity":    strings.Replace(events, "[PERSON_NAME_1]", canary+"_______", 1),
		"a speaker":                strings.Replace(events, `"s1"`, `"`+canary+`"`, 1),
		"an open call":             strings.Replace(strings.SplitAfter(events, "\n")[0], `"policy":"01b469cc5ecd"`, `"policy":"`+canary+`"`, 1),
	}
}

// holds reports whether a folder has files, and whether any of them has the canary.
func holds(t *testing.T, dir string) (files, canaries int) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(data), canary) || strings.Contains(path, canary) {
			canaries++
		}
		return nil
	})
	return files, canaries
}

// FuzzCorpusExport makes files of calls of an engine and of raw ones, in any order and form, with labels, customers and a blacklist.
func FuzzCorpusExport(f *testing.F) {
	f.Add([]byte{}, "", "rows", "", "")
	for i := range len(rawCalls("")) {
		f.Add([]byte{0, 0, byte(i) + 1}, "", "rows", "", "")
		f.Add([]byte{byte(i) + 1, 0}, "", "rows", canary, canary+"\n")
	}
	f.Add([]byte{0, 0}, `{"call_id":"c0","summary":"`+canary+` calls","purpose":"`+canary+`"}`, "", "", "")
	f.Add([]byte{0, 3}, `{"call_id":"c0","summary":"call c0"}`, "", "", "")
	f.Add([]byte{0, 0}, "", "chat", canary, "")
	f.Add([]byte{0, 0}, "", "rows", canary+"\t"+canary, strings.ToLower(canary)+"\n")
	f.Add([]byte{0, 0}, "", "rows", "", "# "+canary+"\n\x00"+canary)
	f.Add([]byte{2, 0}, "", "chat", "", "")
	f.Fuzz(func(t *testing.T, kinds []byte, labels, form, customer, blacklist string) {
		dir := t.TempDir()
		var raw bool
		var files, customers []string
		for i, kind := range kinds {
			id := fmt.Sprintf("c%d", i)
			text := engineEvents(id)
			all := rawCalls(id)
			if names := slices.Sorted(maps.Keys(all)); int(kind) > 0 {
				text, raw = all[names[int(kind)%len(names)]], true
			}
			files = append(files, write(t, id+".jsonl", text))
			customers = append(customers, id+"\t"+customer)
		}
		out := filepath.Join(dir, "data")
		args := append([]string{"corpus", "export", "-o", out, "--shard-rows", "1"}, files...)
		if labels != "" {
			args = append(args, "--task", write(t, "labels", labels))
		} else {
			args = append(args, "--form", form)
		}
		if customer != "" {
			args = append(args, "--by", "customer", "--customers", write(t, "customers", strings.Join(customers, "\n")))
		}
		if blacklist != "" {
			args = append(args, "--blacklist", write(t, "blacklist", "# sotto blacklist, k = 2, n = 1\n"+blacklist))
		}
		o := sotto(t, nil, "", args...)
		n, canaries := holds(t, out)
		if canaries > 0 || strings.Contains(o.out+o.errors, canary) && !strings.Contains(form, canary) {
			t.Errorf("the canary is in the output: %s%s", o.out, o.errors)
		}
		if raw && (o.code == cli.Done || n > 0) {
			t.Errorf("status %d, and %d files were written of raw calls", o.code, n)
		}
	})
}

// Nothing raw is exported, in no form, and the error says where it stands.
func TestOnlyCallsOfAnEngineAreExported(t *testing.T) {
	dir := t.TempDir()
	check := func(name, file string, line int) {
		t.Helper()
		for _, flags := range [][]string{nil, {"--form", "chat"}} {
			out := filepath.Join(dir, "data")
			o := sotto(t, nil, "", append([]string{"corpus", "export", "-o", out, file}, flags...)...)
			if n, _ := holds(t, out); o.code != cli.Failed || n > 0 || o.out != "" || !strings.HasPrefix(o.errors, fmt.Sprintf("sotto: %s:%d: this call was not anonymized", file, line)) {
				t.Errorf("%s %v: status %d, %d files, %q", name, flags, o.code, n, o.errors)
			}
		}
	}
	for name, text := range rawCalls("b") {
		file := filepath.Join(dir, "calls.jsonl")
		if err := os.WriteFile(file, []byte(engineEvents("a")+text), 0o600); err != nil {
			t.Fatal(err)
		}
		check(name, file, 3)
	}
	check("marked-up text", write(t, "calls.txt", "### id=b context=sales\nAGENT: this is {{PERSON_NAME|"+canary+"}}.\n"), 1)
	if o := sotto(t, nil, "", "corpus", "export", "-o", "-", write(t, "a.jsonl", engineEvents("a"))); o.code != cli.Done || !strings.Contains(o.out, "call a of") {
		t.Errorf("status %d, %s", o.code, o.errors)
	}
}

// A customer whose call is not there is a mistake in the IDs, and a call without a customer too.
func TestUnmatchedCustomers(t *testing.T) {
	calls := write(t, "calls.jsonl", engineEvents("a")+engineEvents("b"))
	for customers, want := range map[string]int{"a\tx\nb\tx\n": cli.Done, "a\tx\n": cli.Failed, "a\tx\nb\tx\nc\ty\n": cli.Failed} {
		file := write(t, "customers.tsv", customers)
		if o := sotto(t, nil, "", "corpus", "blacklist", calls, "--by", "customer", "--customers", file); o.code != want {
			t.Errorf("blacklist, %q: status %d, %s", customers, o.code, o.errors)
		}
		out := filepath.Join(t.TempDir(), "data")
		o := sotto(t, nil, "", "corpus", "export", calls, "-o", out, "--by", "customer", "--customers", file)
		if n, _ := holds(t, out); o.code != want || (n > 0) != (want == cli.Done) {
			t.Errorf("export, %q: status %d, %d files, %s", customers, o.code, n, o.errors)
		}
	}
}

// The calls of marked-up text have the IDs of their headers.
func TestCallsOfMarkedUpTextHaveTheirIDs(t *testing.T) {
	text := "### id=a context=sales\nCUSTOMER: zither\n\n### id=b context=sales\nCUSTOMER: zither\n"
	for name, text := range map[string]string{"calls.txt": text, "calls.jsonl": sotto(t, nil, "", "corpus", "convert", write(t, "c.txt", text)).out} {
		o := sotto(t, nil, "", "corpus", "blacklist", write(t, name, text), "--by", "customer", "--customers", write(t, "customers.tsv", "a\tx\nb\tx\n"), "-o", "-")
		if o.code != cli.Done || !strings.Contains(o.out, "zither") {
			t.Errorf("%s: status %d, a word of one customer is safe: %s%s", name, o.code, o.out, o.errors)
		}
	}
}
