package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// rawBombs are values of raw events, by name: texts that would take much memory or time, and JSON that is
// deep, wide, ambiguous or no text at all.
func rawBombs() map[string][]byte {
	const longest, tooLong, first = 64 << 10, 7_500_000, `"seq":1,"text":"a"`
	all := map[string][]byte{
		"binary":  bytes.Repeat([]byte{0xC3, 0x01, 0xff}, 1_000_000),
		"lengths": append([]byte{0xC3, 0x01}, bytes.Repeat([]byte{0xff}, 2_000_000)...),
	}
	for name, more := range map[string]string{
		"deep":      first + `,"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deeper":    first + `,"x":` + strings.Repeat(`{"a":`, 1_000_000),
		"wide":      first + `,"x":[` + strings.Repeat(`"a",`, 1_800_000) + `"a"]`,
		"keys":      `"seq":1,` + strings.Repeat(`"text":"Ines Quimby",`, 300_000) + `"text":"b"`,
		"number":    `"text":"a","seq":9007199254740993`,
		"numbers":   `"text":"a","seq":` + strings.Repeat("9", 1_000_000),
		"exponent":  `"text":"a","seq":1e999999999`,
		"invalid":   "\"seq\":1,\"text\":\"a\xff\xfe\"",
		"surrogate": `"seq":1,"text":"\ud800 \udfff"`,
	} {
		all[name] = onlyTurn(name, more)
	}
	for name, unit := range map[string]string{"my": "my ", "addresses": "a@b.co ", "letters": "a.", "hosts": "www.", "word": "x", "digits": "7",
		"spoken": "seven ", "spelled": "a as in apple ", "marks": "e\u0301\u0301\u0301", "lines": `Ines Quimby: my name is Ines\n`, "tags": "[PERSON_NAME_1] ", "questions": "what is your name? "} {
		all[name] = onlyTurn(name, `"seq":1,"text":"`+strings.Repeat(unit, longest/len(unit))+`"`)
		all[name+", too long"] = onlyTurn(name+", too long", `"seq":1,"text":"`+strings.Repeat(unit, tooLong/len(unit))+`"`)
	}
	return all
}

// onlyTurn returns a raw event as the only one of its call, with all other fields as they are given.
func onlyTurn(call, fields string) []byte {
	return fmt.Appendf(nil, `{"call_id":%q,"type":"UTTERANCE","timestamp_ms":1,%s}`, call, fields)
}

// TestTheStreamSurvivesBombs sends every bomb through a stream with 512 MiB of memory, with each reading.
// Each becomes a clean event or a dead letter, and so does what comes after them.
func TestTheStreamSurvivesBombs(t *testing.T) {
	if hostileTime(t) == 0 {
		t.Skip("it takes minutes; make test-hostile runs it")
	}
	for _, reading := range []string{"fast", "encoder"} {
		t.Run(reading, func(t *testing.T) {
			c := brokertest.Open(t)
			topics, err := brokertest.CreateTopics(t.Context(), c, 1)
			if err != nil {
				t.Fatal(err)
			}
			cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.ProducerBatchMaxBytes(brokertest.MaxRecord), kgo.DefaultProduceTopic(topics.Raw),
				kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ConsumeTopics(topics.Clean, topics.DeadLetter), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			environ := runEnviron(t, c.Brokers(), "off")
			maps.Copy(environ, map[string]string{"SOTTO_CODEC": "json", "SOTTO_READING": reading, "SOTTO_KAFKA_GROUP": c.Name("group"),
				"SOTTO_TOPIC_RAW": topics.Raw, "SOTTO_TOPIC_CLEAN": topics.Clean, "SOTTO_TOPIC_AUDIT": topics.Audit,
				"SOTTO_TOPIC_STATE": topics.State, "SOTTO_TOPIC_DEAD_LETTER": topics.DeadLetter})
			ended, pid, log := startStream(t, environ)
			all := rawBombs()
			names := slices.Sorted(maps.Keys(all))
			peak := make(chan int, 1)
			go func() { mib, _ := highest(ended, pid); peak <- mib }()
			for _, name := range names {
				becomes(t, cl, name, all[name])
			}
			if got := becomes(t, cl, "a name", onlyTurn("a name", `"seq":1,"text":"my name is Ines Quimby"`)); !strings.Contains(got, "[PERSON_NAME_1]") {
				t.Errorf("after the bombs: %.200s", got)
			}
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			most := <-peak
			t.Logf("%d bombs, at most %d MiB resident", len(names), most)
			if most > 512 {
				t.Errorf("%d MiB were resident", most)
			}
			if text := log(); strings.Contains(text, "panic") || strings.Contains(text, "Quimby") {
				t.Error("the log has a panic or a text")
			}
		})
	}
}

// becomes produces the raw event of a call and returns what became of it.
func becomes(t *testing.T, cl *kgo.Client, name string, value []byte) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	began := time.Now()
	if err := cl.ProduceSync(ctx, &kgo.Record{Key: []byte(name), Value: value}).FirstErr(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	fetches := cl.PollFetches(ctx)
	records := fetches.Records()
	if err := fetches.Err0(); err != nil || len(records) != 1 {
		t.Fatalf("%s: %d records after %.1fs: %v", name, len(records), time.Since(began).Seconds(), err)
	}
	t.Logf("%-20s %5d KiB: %s after %.1fs: %.100q", name, len(value)>>10, records[0].Topic, time.Since(began).Seconds(), records[0].Value)
	if strings.Contains(records[0].Topic, "dead-letter") && bytes.Contains(records[0].Value, []byte("Quimby")) {
		t.Errorf("%s: the dead letter has its text", name)
	}
	return string(records[0].Value)
}

// startStream runs the stream in a process with little memory, until the test ends.
func startStream(t *testing.T, environ map[string]string) (ended chan error, pid int, log func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "run")
	cmd.Args[0] = "sotto"
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "SOTTO_") }), envMain+"=1", "GOMEMLIMIT=320MiB", "GOTRACEBACK=none")
	for name, value := range environ {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log = func() string {
		text, _ := os.ReadFile(file.Name())
		return string(text)
	}
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		if t.Failed() {
			t.Logf("%.2000s", log())
		}
	})
	return ended, cmd.Process.Pid, log
}
