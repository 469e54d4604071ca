package consumers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/parquet-go/parquet-go"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
	"sotto/schemas"
)

// bucket is the one that iceberg.properties names.
const bucket = "sotto-calls"

// icebergRow is a row of the table, and icebergPlace that of its record in the topic.
type (
	icebergRow struct {
		Event string `parquet:"event"`
		icebergPlace
	}
	icebergPlace struct {
		Partition int32 `parquet:"partition"`
		Offset    int64 `parquet:"offset"`
	}
)

// Kafka Connect writes the committed events of a topic, each once, as a table of Apache Iceberg into objects of an S3 server, and a
// query that follows the rules of readers finds the rows of the released call in them.
func TestKafkaConnectIceberg(t *testing.T) {
	if os.Getenv(brokertest.EnvBroker) != "kafka" {
		t.Skip("make test-kafka runs it")
	}
	t.Parallel()
	cluster := brokertest.Open(t)
	w := cleantopic.ForReaders(t, cluster, schemas.Options{Format: schemas.FormatJSON})
	control := cluster.Name("control-iceberg")
	if err := brokertest.CreateTopic(t.Context(), cluster, control, 1, nil); err != nil {
		t.Fatal(err)
	}
	store := s3mem.New()
	if err := store.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(store).Server())
	t.Cleanup(server.Close)

	dir, broker := t.TempDir(), strings.Join(cluster.Brokers(), ",")
	const committed = 11
	runWorker(t, func() string {
		if n := tableRecords(t, store); n < committed {
			return fmt.Sprintf("%d records are in the table", n)
		}
		return ""
	}, []string{"AWS_ACCESS_KEY_ID=nobody", "AWS_SECRET_ACCESS_KEY=nothing", "AWS_REQUEST_CHECKSUM_CALCULATION=when_required"},
		changed(t, dir, "worker.properties", map[string]string{"localhost:9092": broker, "localhost:8083": "127.0.0.1:0", "=5000": "=500",
			"/tmp/sotto-connect.offsets": filepath.Join(dir, "offsets"), "/opt/connect-plugins": cached(t, "connect-plugins")}),
		changed(t, dir, "iceberg/iceberg.properties", map[string]string{"calls.final": w.Topic, "=control-iceberg": "=" + control, "=300000": "=1000",
			"/tmp/sotto-iceberg.db": filepath.Join(dir, "catalog.db"), "http://localhost:9000": server.URL}))

	if n := tableRecords(t, store); n != committed {
		t.Errorf("the table has %d records, want the %d that were committed", n, committed)
	}
	places := map[icebergPlace]bool{}
	for i, name := range objects(t, store, ".parquet") {
		data := object(t, store, name)
		rows, err := parquet.Read[icebergRow](bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".parquet")), data, 0o600)
		}
		if err != nil {
			t.Fatal(name, err)
		}
		for _, r := range rows {
			if places[r.icebergPlace] || strings.Contains(r.Event, "aborted") {
				t.Errorf("a record is in the table twice, or was aborted: %+v", r)
			}
			places[r.icebergPlace] = true
		}
	}
	if len(places) != committed {
		t.Errorf("the objects have %d rows, want the %d events that were committed", len(places), committed)
	}
	cleantopic.CheckRows(t, output(t, cached(t, "consumers/bin/python"), "-c", queryRows, filepath.Join(dir, "*.parquet")))
}

// queryRows is a program that prints the rows of rows.sql, of a table that consists of some files.
const queryRows = `
import duckdb, json, sys
duckdb.sql(f"CREATE VIEW events AS SELECT * FROM read_parquet('{sys.argv[1]}')")
rows = duckdb.sql(open("connect/iceberg/rows.sql").read())
for row in rows.fetchall():
    print(json.dumps(dict(zip(rows.columns, row))))
`

// objects returns those of the bucket whose names have a part, by name.
func objects(t *testing.T, store gofakes3.Backend, part string) (names []string) {
	t.Helper()
	list, err := store.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		if strings.Contains(o.Key, part) {
			names = append(names, o.Key)
		}
	}
	slices.Sort(names)
	return names
}

func object(t *testing.T, store gofakes3.Backend, name string) []byte {
	t.Helper()
	o, err := store.GetObject(bucket, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Contents.Close()
	data, err := io.ReadAll(o.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tableRecords is how many records the latest version of the table says that it has, 0 as long as there is no table.
func tableRecords(t *testing.T, store gofakes3.Backend) (n int) {
	t.Helper()
	versions := objects(t, store, ".metadata.json")
	if len(versions) == 0 {
		return 0
	}
	var table struct {
		Current   int64 `json:"current-snapshot-id"`
		Snapshots []struct {
			ID      int64 `json:"snapshot-id"`
			Summary struct {
				Records int `json:"total-records,string"`
			} `json:"summary"`
		} `json:"snapshots"`
	}
	if err := json.Unmarshal(object(t, store, versions[len(versions)-1]), &table); err != nil {
		t.Fatal(err)
	}
	for _, s := range table.Snapshots {
		if s.ID == table.Current {
			n = s.Summary.Records
		}
	}
	return n
}
