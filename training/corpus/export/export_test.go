package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"sotto/schemas"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/transcripts"
)

func options(dir string) Options {
	return Options{Dir: dir, Format: JSONL, Form: Rows, ShardRows: 3, ShardBytes: 1 << 20, Validation: 0.3, MaxN: 1}
}

func call(id string, turns ...string) *transcripts.Transcript {
	c := &transcripts.Transcript{ID: id, Summary: &schemas.CallSummary{Release: true}}
	for i, text := range turns {
		role := schemas.RoleAgent
		if i%2 == 1 {
			role = schemas.RoleCustomer
		}
		c.Events = append(c.Events, madeBy(&schemas.CleanEvent{CallID: id, Seq: int64(i), Text: text, Speaker: &schemas.Speaker{ID: "s1", Role: role}}))
	}
	return c
}

// madeBy completes an event as the engine does: with its policy, its strategy and an entity for each tag.
func madeBy(e *schemas.CleanEvent) *schemas.CleanEvent {
	e.Policy, e.Strategy = "01b469cc5ecd", "typed-numbered"
	for _, m := range regexp.MustCompile(`\[([A-Z_]+)_\d+\]`).FindAllStringSubmatchIndex(e.Text, -1) {
		e.Entities = append(e.Entities, schemas.Entity{Start: utf8.RuneCountInString(e.Text[:m[0]]), End: utf8.RuneCountInString(e.Text[:m[1]]), Type: e.Text[m[2]:m[3]], ID: 1})
	}
	return e
}

func open(t interface{ Fatal(...any) }, o Options) *Exporter {
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ids returns the calls of the shards, in order.
func ids(t interface{ Fatal(...any) }, dir string) (out []string) {
	shards, _ := filepath.Glob(filepath.Join(dir, "[tv]*-*.jsonl"))
	for _, path := range shards {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s := bufio.NewScanner(f)
		for s.Scan() {
			var r Row
			if err := json.Unmarshal(s.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			out = append(out, r.CallID)
		}
		f.Close()
	}
	slices.Sort(out)
	return out
}

func TestRow(t *testing.T) {
	list, err := indirect.Read(strings.NewReader("# sotto blacklist, k = 2, n = 1\nvertebra\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	o := options(t.TempDir())
	o.Blacklist = list
	e := open(t, o)
	c := call("a", "Hi Zoë, [PERSON_NAME_1]", "my vertebra")
	r := e.build.row(c)
	text := []rune(r.Text)
	cut := func(s Span) string { return string(text[s.Start:s.End]) }
	if r.Text != "agent: Hi Zoë, [PERSON_NAME_1]\ncustomer: my vertebra" || cut(r.Indirect[0]) != "vertebra" ||
		cut(Span{r.Entities[0].Start, r.Entities[0].End}) != "[PERSON_NAME_1]" || cut(Span{r.Turns[1].Start, r.Turns[1].End}) != "my vertebra" {
		t.Errorf("%+v", r)
	}
	if want := []int32{1, 1, 1, 0, 1, 1, 0}; !slices.Equal(r.LossMask, want) || !slices.Equal(r.NoMask, []int32{3, 6}) || len(r.Offsets) != len(want) {
		t.Errorf("%v %v", r.LossMask, r.NoMask)
	}
	if m := e.build.chat(c)[0].Messages; len(m) != 3 || m[0] != (Message{"user", Opening}) || m[1].Role != "assistant" || m[2] != (Message{"user", "my [MASK]"}) {
		t.Errorf("%+v", m)
	}
}

// Marks of the stream count like words of the blacklist, and both may name the same word.
func TestMarksOfTheStreamAreMasked(t *testing.T) {
	list, err := indirect.Read(strings.NewReader("# sotto blacklist, k = 2, n = 1\nvertebra\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Blacklist: list, MaxN: 1}} {
		o.Dir, o.Format, o.Form, o.ShardRows, o.ShardBytes = t.TempDir(), JSONL, Rows, 1, 1
		e := open(t, o)
		c := call("a", "my Zoë vertebra", "all of it")
		c.Events[0].Indirect = []schemas.Span{{Start: 3, End: 6}, {Start: 7, End: 15}}
		c.Events[1].Indirect = []schemas.Span{{Start: 0, End: 99}} // more than there is
		r := e.build.row(c)
		if want := []int32{1, 1, 0, 0, 1, 0, 0, 0}; !slices.Equal(r.LossMask, want) || len(r.Indirect) != 3 {
			t.Errorf("loss mask %v, want %v; %v", r.LossMask, want, r.Indirect)
		}
		if m := e.build.chat(c)[0].Messages; m[1].Content != "my [MASK] [MASK]" || m[2].Content != "[MASK]" {
			t.Errorf("%+v", m)
		}
	}
}

func TestWithheldAndRepeatedCalls(t *testing.T) {
	dir := t.TempDir()
	e := open(t, options(dir))
	withheld := call("w", "hello")
	withheld.Summary.Release = false
	for _, c := range []*transcripts.Transcript{
		call("a", "hello [PERSON_NAME_1]", "one"), withheld, {ID: "n"}, call("e"),
		call("b", "hello [PERSON_NAME_2]", "one"), call("a", "hello", "again"), call("c", "hello [LOCATION_1]", "one"),
	} {
		if err := e.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Commit(nil); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, dir); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%v", got)
	}
	if c := e.Counts(); c.Calls != 6 || c.Withheld != 2 || c.Empty != 1 || c.Duplicates != 1 {
		t.Errorf("%+v", c)
	}
}

// Whenever a run is killed, each call is in the shards exactly once in the end, and always in the
// same part.
func TestKilledRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		const calls = 6
		var want []string
		for i := range calls {
			want = append(want, fmt.Sprintf("c%02d", i))
		}
		for done := false; !done; {
			e := open(rt, options(dir))
			next := int64(0)
			if at := e.Offsets(); at != nil {
				next = at[0]
			}
			killed := false
			for ; next < calls && !killed; next++ {
				if err := e.Add(call(want[next], fmt.Sprint("number ", next))); err != nil {
					rt.Fatal(err)
				}
				if e.Full() || rapid.Bool().Draw(rt, "commit") {
					// The next run may begin before what was read, as an open call makes it.
					back := rapid.Int64Range(0, 2).Draw(rt, "back")
					if err := e.Commit(map[int32]int64{0: max(0, next+1-back)}); err != nil {
						rt.Fatal(err)
					}
					killed = kill(rt, dir, e)
				}
			}
			if !killed {
				if err := e.Commit(map[int32]int64{0: next}); err != nil {
					rt.Fatal(err)
				}
				done = true
			}
		}
		if got := ids(rt, dir); !slices.Equal(got, want) {
			rt.Fatalf("got %v", got)
		}
		if _, err := Verify(dir); err != nil {
			rt.Fatal(err)
		}
	})
}

// kill leaves the folder as a kill does at one of the steps of a commit.
func kill(rt *rapid.T, dir string, e *Exporter) bool {
	switch rapid.IntRange(0, 3).Draw(rt, "kill") {
	case 0: // before the last shards got their names
		for _, f := range e.manifest.Files[len(e.manifest.Files)/2:] {
			if err := os.Rename(filepath.Join(dir, f.Name), filepath.Join(dir, temporary(f.Name))); err != nil {
				rt.Fatal(err)
			}
		}
		return true
	case 1: // while the next shard was written
		if err := os.WriteFile(filepath.Join(dir, temporary("train-000099.jsonl")), []byte("half"), 0o600); err != nil {
			rt.Fatal(err)
		}
		return true
	}
	return false
}

func TestDamagedExports(t *testing.T) {
	made := func() (string, Options) {
		o := options(t.TempDir())
		e := open(t, o)
		if err := e.Add(call("a", "hello")); err != nil {
			t.Fatal(err)
		}
		if err := e.Commit(nil); err != nil {
			t.Fatal(err)
		}
		shards, _ := filepath.Glob(filepath.Join(o.Dir, "[tv]*-*.jsonl"))
		return shards[0], o
	}
	shard, o := made()
	if err := os.Truncate(shard, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a short shard: %v", err)
	}
	shard, o = made()
	data, _ := os.ReadFile(shard)
	data[3] ^= 1
	if err := os.WriteFile(shard, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(o.Dir); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a changed shard: %v", err)
	}
	if err := os.Remove(shard); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing shard: %v", err)
	}
	_, o = made()
	o.Form = Chat
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "other flags") {
		t.Errorf("another form: %v", err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, ManifestName), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged manifest: %v", err)
	}
	if err := os.Remove(filepath.Join(o.Dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "empty output folder") {
		t.Errorf("no manifest: %v", err)
	}
}

// A disk that takes no more leaves what was committed.
func TestFailedWrite(t *testing.T) {
	o := options(t.TempDir())
	o.Validation = 0
	e := open(t, o)
	for i, id := range []string{"a", "b"} {
		if i == 1 { // a folder in the place of the shard: it cannot be written
			if err := os.Mkdir(filepath.Join(o.Dir, temporary("train-000002.jsonl")), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Add(call(id, "hello "+id)); err != nil {
			t.Fatal(err)
		}
		if err := e.Commit(nil); (err != nil) != (i == 1) {
			t.Fatal(err)
		}
	}
	e = open(t, o)
	if err := e.Add(call("b", "hello b")); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(nil); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, o.Dir); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v", got)
	}
}

func TestParquet(t *testing.T) {
	o := options(t.TempDir())
	o.Format, o.Validation = Parquet, 0
	e := open(t, o)
	risk := 1.5
	c := call("a", "hello Zoë", "hi")
	c.Summary.EstimatedRisk = &risk
	want := e.build.row(c)
	if err := e.Add(c); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(nil); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.ReadFile[Row](filepath.Join(o.Dir, "train-000000.parquet"))
	if err != nil || len(rows) != 1 {
		t.Fatal(err)
	}
	got, _ := json.Marshal(rows[0])
	expected, _ := json.Marshal(want)
	if string(got) != string(expected) {
		t.Errorf("got %s\nwant %s", got, expected)
	}
}

func TestCard(t *testing.T) {
	o := options(t.TempDir())
	e := open(t, o)
	risk := 2.0
	c := call("a", "[PERSON_NAME_1]")
	c.Summary.EstimatedRisk = &risk
	c.Summary.Indirect = &schemas.IndirectSummary{Judged: true}
	c.Events[0].Indirect = []schemas.Span{{Start: 0, End: 5}}
	early := call("b", "hi")
	early.Summary.Indirect = &schemas.IndirectSummary{}
	for _, c := range []*transcripts.Transcript{c, early} {
		if err := e.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Commit(nil); err != nil {
		t.Fatal(err)
	}
	if err := e.WriteCard(CardInfo{Licences: []string{"ours"}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(o.Dir, CardName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| PERSON_NAME | 1 |", "| 1 | 2.00 | 0.00 | 2.00 | 2.00 |", "typed-numbered (2)", "01b469cc5ecd (2)", "ours",
		"marked: 1 in 1 calls. 1 calls ended", "Epsilon is not known"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the card lacks %q:\n%s", want, data)
		}
	}
}

// The share is that of the calls, and the order of the calls does not change who is in which part.
func TestTheShareForValidationIsExact(t *testing.T) {
	export := func(order []int, by func(*transcripts.Transcript) (string, error)) (train, validation []string) {
		o := options(t.TempDir())
		o.Validation, o.SplitBy, o.ShardRows = 0.2, by, 1000
		e := open(t, o)
		for _, i := range order {
			if err := e.Add(call(fmt.Sprintf("%02d", i), fmt.Sprint("number ", i))); err != nil {
				t.Fatal(err)
			}
			if by != nil && i%20 == 7 { // a customer's later calls stay where the first ones are
				if err := e.Commit(nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := e.Commit(nil); err != nil {
			t.Fatal(err)
		}
		all := ids(t, o.Dir)
		for _, path := range must(filepath.Glob(filepath.Join(o.Dir, "train-*"))) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = slices.DeleteFunc(all, func(id string) bool {
				in := strings.Contains(string(data), `"call_id":"`+id+`"`)
				if in {
					train = append(train, id)
				}
				return in
			})
		}
		slices.Sort(train)
		return train, all
	}
	var order []int
	for i := range 50 {
		order = append(order, i)
	}
	train, validation := export(order, nil)
	if len(train) != 40 || len(validation) != 10 {
		t.Errorf("%d calls for training and %d for validation", len(train), len(validation))
	}
	slices.Reverse(order)
	if again, _ := export(order, nil); !slices.Equal(again, train) {
		t.Errorf("another order trains with %v instead of %v", again, train)
	}
	customer := func(id string) string { return "customer " + id[1:] } // ten of them, with five calls each
	train, validation = export(order, func(c *transcripts.Transcript) (string, error) { return customer(c.ID), nil })
	for _, a := range train {
		if slices.ContainsFunc(validation, func(b string) bool { return customer(a) == customer(b) }) {
			t.Errorf("%s is in both parts", customer(a))
		}
	}
	if n := len(validation); n < 5 || n > 15 {
		t.Errorf("%d of 50 calls are for validation", n)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
