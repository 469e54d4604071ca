package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/cmd/internal/cli"
	"sotto/processor/erasure"
)

func TestErase(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	environ := runEnviron(t, c.ListenAddrs(), "off")
	for _, w := range []struct {
		code int
		want string
		args []string
	}{
		{cli.Usage, "no call to erase", []string{"erase"}},
		{cli.Failed, "topic calls.raw", []string{"erase", "c1"}},
		{cli.Usage, "--store", []string{"erase", "--store", filepath.Join(t.TempDir(), "none.db"), "c1"}},
	} {
		if o := sotto(t, environ, "", w.args...); o.code != w.code || !strings.Contains(o.errors, w.want) {
			t.Errorf("%v: status %d, %s", w.args, o.code, o.errors)
		}
	}
	if o := sotto(t, environ, "", "topics", "ensure", "--partitions", "2"); o.code != cli.Done {
		t.Fatal(o.errors)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	raw := &kgo.Record{Topic: "calls.raw", Key: []byte("c1"), Value: []byte(`{"call_id":"c1","seq":1,"type":"UTTERANCE","text":"lantern"}`)}
	if err := cl.ProduceSync(t.Context(), raw).FirstErr(); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, environ, "c1\r\n\nc2\n", "erase", "--json", "-")
	var record erasure.Record
	if err := json.Unmarshal([]byte(o.out), &record); err != nil || o.code != cli.Done {
		t.Fatalf("status %d, %v, %s", o.code, err, o.errors)
	}
	if len(record.Calls) != 2 || len(record.Calls[0].Copies) != 1 || record.Calls[0].Copies[0].Expires == nil || len(record.Calls[1].Copies) != 0 || strings.Contains(o.out, "lantern") {
		t.Errorf("%s", o.out)
	}
	if o := sotto(t, environ, "", "erase", "--dry-run", "c1"); o.code != cli.Done || !strings.Contains(o.out, "Dry run") || !strings.Contains(o.out, "calls.raw") {
		t.Errorf("status %d, %s%s", o.code, o.out, o.errors)
	}
}
