// Package consumers has no code of its own in Go: it tests the programs of this folder on Apache Kafka.
package consumers

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
	"sotto/schemas"
	"sotto/schemas/registry"
)

func TestMain(m *testing.M) { brokertest.Main(m) }

// A consumer returns what it makes of a topic, as JSON lines.
type consumer func(t *testing.T, broker, topic string) string

// Each program makes the rows of the released call out of a topic with repeats, aborted transactions and calls that may not be used.
func TestConsumers(t *testing.T) {
	if os.Getenv(brokertest.EnvBroker) != "kafka" {
		t.Skip("make test-kafka runs it")
	}
	fake := srfake.New()
	t.Cleanup(fake.Close)
	client, err := sr.NewClient(sr.URLs(fake.URL()))
	if err != nil {
		t.Fatal(err)
	}
	plain := schemas.Options{Format: schemas.FormatJSON}
	for name, tt := range map[string]struct {
		options schemas.Options
		read    consumer
	}{
		"Java":                    {plain, java},
		"Flink SQL":               {plain, flink},
		"Python, Schema Registry": {schemas.Options{Registry: registry.New(client, false)}, python("--registry", fake.URL())},
		"Python, no registry":     {schemas.Options{}, python("--schema", "../../schemas/CleanEvent.avsc")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := brokertest.Open(t)
			w := cleantopic.ForReaders(t, cluster, tt.options)
			cleantopic.CheckRows(t, tt.read(t, strings.Join(cluster.Brokers(), ","), w.Topic))
		})
	}
}

func java(t *testing.T, broker, topic string) string {
	versions, err := filepath.Glob("../../.cache/kafka/*/complete.xml")
	if err != nil || len(versions) == 0 {
		t.Fatal("there are no jars of Kafka: run 'make kafka-fetch'")
	}
	return output(t, "java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", filepath.Join(filepath.Dir(versions[0]), "*"), "ReadCalls.java", broker, topic)
}

func python(how ...string) consumer {
	return func(t *testing.T, broker, topic string) string {
		return output(t, cached(t, "consumers/bin/python"), append([]string{"read_calls.py", broker, topic}, how...)...)
	}
}

func flink(t *testing.T, broker, topic string) string {
	text, err := os.ReadFile("calls.sql")
	if err != nil {
		t.Fatal(err)
	}
	dir, script := t.TempDir(), string(text)
	rows, changed := filepath.Join(dir, "rows"), filepath.Join(dir, "calls.sql")
	for documented, here := range map[string]string{"localhost:9092": broker, "calls.final": topic, "/tmp/utterances": rows} {
		if strings.Count(script, documented) != 1 {
			t.Fatalf("calls.sql has %s not once", documented)
		}
		script = strings.Replace(script, documented, here, 1)
	}
	if err := os.WriteFile(changed, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	// It runs for seconds, which a better compiler would not make fewer.
	output(t, "java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-Djava.io.tmpdir="+dir,
		"-cp", filepath.Join(cached(t, "flink"), "*"), "RunSql.java", changed)
	var lines strings.Builder
	err = filepath.WalkDir(rows, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		lines.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// cached returns the path of something that hack/consumers installs.
func cached(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("../../.cache", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("run 'hack/consumers': %v", err)
	}
	return path
}

func output(t *testing.T, name string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	return string(out)
}
