package live

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/testkit/heap"
	"sotto/state/sealing"
)

// ring returns a keyring with keys of these versions, the sealing one first.
func ring(t interface{ Fatal(...any) }, versions ...byte) *sealing.Keyring {
	var file strings.Builder
	for _, v := range versions {
		fmt.Fprintf(&file, "%d %s\n", v, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{v}, 32)))
	}
	k, err := sealing.ParseKeyring([]byte(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// topic is a compacted topic.
type topic struct {
	log     [][2][]byte
	records int // of the last transaction
}

func (l *topic) commit(g *Graph) {
	l.records = 0
	g.Records(func(key, value []byte) {
		l.log = append(l.log, [2][]byte{slices.Clone(key), slices.Clone(value)})
		l.records++
	})
	g.Commit()
}

// compact keeps the last record of each key.
func (l *topic) compact() {
	last := map[string]int{}
	for i, r := range l.log {
		last[string(r[0])] = i
	}
	kept := l.log[:0]
	for i, r := range l.log {
		if last[string(r[0])] == i {
			kept = append(kept, r)
		}
	}
	l.log = kept
}

func (l *topic) restore(o Options, k *sealing.Keyring, calls int64) (*Graph, error) {
	g := New(o, k)
	for _, r := range l.log {
		if err := g.Restore(r[0], r[1]); err != nil {
			return nil, err
		}
	}
	return g, g.Restored(calls)
}

// model is the definition: the individuals of each n-gram, and which were used longest ago.
type model struct {
	users map[string]map[string]bool
	order []string // of the n-grams that are not safe
	calls uint64
}

func newModel() *model { return &model{users: map[string]map[string]bool{}} }

func (m *model) clone() *model {
	c := &model{users: map[string]map[string]bool{}, order: slices.Clone(m.order), calls: m.calls}
	for gram, users := range m.users {
		c.users[gram] = map[string]bool{}
		for u := range users {
			c.users[gram][u] = true
		}
	}
	return c
}

func (m *model) safe(o Options, gram string) bool { return len(m.users[gram]) >= o.K }

func (m *model) link(o Options, gram, who string) {
	if m.safe(o, gram) || m.users[gram][who] {
		return
	}
	if m.users[gram] == nil {
		if len(m.users) >= o.MaxGrams {
			if len(m.order) == 0 {
				return
			}
			delete(m.users, m.order[0])
			m.order = m.order[1:]
		}
		m.users[gram] = map[string]bool{}
	}
	m.users[gram][who] = true
	m.order = slices.DeleteFunc(m.order, func(g string) bool { return g == gram })
	if !m.safe(o, gram) {
		m.order = append(m.order, gram)
	}
}

func TestAnyHistoryEqualsTheModel(t *testing.T) {
	all := strings.Fields("p q r s t u v w x y z")
	people := []string{"ann", "bea", "cid", "dan"}
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{K: rapid.IntRange(2, 4).Draw(rt, "k"), MaxGrams: rapid.IntRange(1, 12).Draw(rt, "max"), Partition: 3, Scheme: "n=1"}
		keys := ring(rt, 1)
		g, m := New(o, keys), newModel()
		before := m.clone()
		var log topic
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"link", "link", "link", "link", "call", "undo", "commit", "rollback", "restart", "compact"}).Draw(rt, "step") {
			case "link":
				gram, who := rapid.SampledFrom(all).Draw(rt, "gram"), rapid.SampledFrom(people).Draw(rt, "who")
				h := NewHasher(g.Ring())
				g.Link(h.Gram(gram), h.Individual(who))
				m.link(o, gram, who)
			case "call":
				g.CountCall()
				m.calls++
			case "undo":
				h, at := NewHasher(g.Ring()), g.Savepoint()
				for _, gram := range rapid.SliceOfN(rapid.SampledFrom(all), 1, 5).Draw(rt, "undone") {
					g.Link(h.Gram(gram), h.Individual("eve"))
				}
				g.CountCall()
				g.UndoTo(at)
			case "commit":
				log.commit(g)
				before = m.clone()
			case "rollback":
				g.Rollback()
				m = before.clone()
			case "restart":
				var err error
				if g, err = log.restore(o, keys, int64(before.calls)); err != nil {
					rt.Fatal(err)
				}
				m = before.clone()
			case "compact":
				log.compact()
			}
			h := NewHasher(keys)
			for _, gram := range all {
				if got, want := g.Safe(h.Gram(gram)), m.safe(o, gram); got != want {
					rt.Fatalf("%s is safe: got %v, want %v", gram, got, want)
				}
			}
			if size, _ := g.Size(); size != len(m.users) || g.Calls() != m.calls {
				rt.Fatalf("%d n-grams and %d calls, want %d and %d", size, g.Calls(), len(m.users), m.calls)
			}
		}
	})
}

// A rotation of the keys keeps what is used while both keys are there, and forgets the rest with the
// old key.
func TestRotationOfTheKeys(t *testing.T) {
	o := Options{K: 2, MaxGrams: 100, Scheme: "n=1"}
	old, both, latest := ring(t, 1), ring(t, 2, 1), ring(t, 2)
	g := New(o, old)
	var log topic
	say := func(who string, grams ...string) {
		h := NewHasher(g.Ring())
		for _, gram := range grams {
			g.Link(h.Gram(gram), h.Individual(who))
		}
		g.CountCall()
	}
	safe := func(grams ...string) (out []bool) {
		h := NewHasher(g.Ring())
		for _, gram := range grams {
			out = append(out, g.Safe(h.Gram(gram)))
		}
		return out
	}
	say("ann", "hello", "there", "vertebra", "rarely")
	say("bea", "hello", "there")
	log.commit(g)
	g.UseKeys(both)
	if !g.NeedsRecords() {
		t.Error("the head stays under the old key")
	}
	say("ann", "hello", "vertebra") // the same individual under another key
	if got := safe("hello", "there", "vertebra"); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("with both keys: %v", got)
	}
	log.commit(g)
	log.compact()
	if _, err := log.restore(o, old, 3); !errors.Is(err, sealing.ErrUnknownKey) {
		t.Errorf("without the new key: %v", err)
	}
	var err error
	if g, err = log.restore(o, latest, 3); err != nil {
		t.Fatal(err)
	}
	if got := safe("hello", "there"); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("with the new key only: %v", got)
	}
	say("cid", "vertebra")
	if got := safe("vertebra"); !got[0] {
		t.Error("what moved to the new key was forgotten")
	}
	log.commit(g)
	log.compact()
	for _, r := range log.log {
		if len(r[0]) == gramKey && r[0][3] == 1 && r[1] != nil {
			t.Error("a record under the old key is left")
		}
	}
	running := New(o, both)
	running.Link(Gram{7, 8}, Individual{1, 2})
	running.Commit()
	running.UseKeys(latest)
	if n, _ := running.Size(); n != 1 {
		t.Errorf("%d n-grams after a reload of the keys", n)
	}
	if running.UseKeys(old); !running.NeedsRecords() {
		t.Error("what is under a key that is gone stays in the topic")
	}
}

func TestRecordsAreSmallAndWithoutWords(t *testing.T) {
	o := Options{K: 2, MaxGrams: 1000, Scheme: "n=1"}
	g := New(o, ring(t, 1))
	h := NewHasher(g.Ring())
	for i := range 500 {
		g.Link(h.Gram(fmt.Sprint("secretword", i)), h.Individual("call-of-somebody"))
	}
	g.CountCall()
	var log topic
	log.commit(g)
	if len(log.log) != 501 {
		t.Errorf("%d records for 500 n-grams", len(log.log))
	}
	for _, r := range log.log {
		if n := len(r[0]) + len(r[1]); n > 40 {
			t.Errorf("a record has %d bytes", n)
		}
		for _, b := range r {
			if bytes.Contains(b, []byte("secret")) || bytes.Contains(b, []byte("call-of")) {
				t.Error("a record has a word or an individual in it")
			}
		}
	}
	g.Link(h.Gram("secretword0"), h.Individual("another"))
	log.commit(g)
	if log.records != 2 {
		t.Errorf("%d records for one change", log.records)
	}
	if last := log.log[len(log.log)-2]; len(last[1]) != 1+macSize {
		t.Errorf("a safe n-gram takes %d bytes", len(last[1]))
	}
	if log.commit(g); log.records != 0 {
		t.Errorf("%d records without a change", log.records)
	}
}

func TestDamagedRecords(t *testing.T) {
	o := Options{K: 3, MaxGrams: 10, Partition: 1, Scheme: "k=3"}
	keys := ring(t, 1)
	g := New(o, keys)
	h := NewHasher(keys)
	g.Link(h.Gram("a"), h.Individual("ann"))
	g.Link(h.Gram("a"), h.Individual("bea"))
	g.CountCall()
	var log topic
	log.commit(g)
	whole := log.log
	for i := range whole {
		for at := range whole[i][1] {
			log.log = slices.Clone(whole)
			damaged := slices.Clone(whole[i][1])
			damaged[at] ^= 1
			log.log[i] = [2][]byte{whole[i][0], damaged}
			if _, err := log.restore(o, keys, 1); !errors.Is(err, ErrDamaged) && !errors.Is(err, sealing.ErrUnknownKey) {
				t.Errorf("record %d damaged at %d: %v", i, at, err)
			}
			log.log[i] = [2][]byte{whole[i][0], whole[i][1][:at]}
			if _, err := log.restore(o, keys, 1); !errors.Is(err, ErrDamaged) {
				t.Errorf("record %d cut at %d: %v", i, at, err)
			}
		}
	}
	log.log = whole
	for what, c := range map[string]struct {
		change func(*Options)
		calls  int64
		want   error
	}{
		"nothing":           {func(*Options) {}, 1, nil},
		"another partition": {func(o *Options) { o.Partition++ }, 1, ErrDamaged},
		"another scheme":    {func(o *Options) { o.Scheme = "k=4" }, 1, ErrScheme},
		"more calls":        {func(*Options) {}, 2, ErrLost},
	} {
		changed := o
		c.change(&changed)
		if _, err := log.restore(changed, keys, c.calls); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	log.log = whole[:len(whole)-1]
	if _, err := log.restore(o, keys, -1); !errors.Is(err, ErrLost) {
		t.Errorf("without its head: %v", err)
	}
	log.log = [][2][]byte{{[]byte("what"), []byte("ever")}}
	if _, err := log.restore(o, keys, -1); !errors.Is(err, ErrDamaged) {
		t.Errorf("another key: %v", err)
	}
}

// With a lower limit, a transaction forgets little at a time.
func TestALowerLimitIsReachedStepByStep(t *testing.T) {
	o := Options{K: 2, MaxGrams: 100, Scheme: "n=1"}
	keys := ring(t, 1)
	g, h := New(o, keys), NewHasher(keys)
	for i := range 100 {
		g.Link(h.Gram(fmt.Sprint(i)), h.Individual("ann"))
	}
	var log topic
	log.commit(g)
	o.MaxGrams = 10
	g, err := log.restore(o, keys, 0)
	if err != nil {
		t.Fatal(err)
	}
	g.Link(h.Gram("new"), h.Individual("ann"))
	if n, _ := g.Size(); n != 101-forgetAtOnce || g.Forgotten() != forgetAtOnce {
		t.Errorf("%d n-grams are left and %d forgotten", n, g.Forgotten())
	}
	for i := range 60 {
		g.Link(h.Gram(fmt.Sprint("new", i)), h.Individual("ann"))
	}
	if n, _ := g.Size(); n != 10 {
		t.Errorf("%d n-grams are left", n)
	}
}

// docs/training/stream.md states the memory for a million n-grams.
func TestMemoryPerMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const grams = 1_000_000
	for _, everySafe := range []bool{false, true} {
		before := heap.Live()
		g := New(Options{K: 2, MaxGrams: 2 * grams}, ring(t, 1))
		for i := range uint64(grams) {
			g.Link(Gram{i * 0x9e3779b97f4a7c15}, Individual{1})
			if everySafe {
				g.Link(Gram{i * 0x9e3779b97f4a7c15}, Individual{2})
			}
			if i%1000 == 0 {
				g.Commit()
			}
		}
		g.Commit()
		used := heap.Live() - before
		runtime.KeepAlive(g)
		t.Logf("all are safe: %v: %d MB for a million n-grams", everySafe, used>>20)
		if used > 100<<20 {
			t.Errorf("a million n-grams take %d MB", used>>20)
		}
	}
}

func FuzzRestore(f *testing.F) {
	g := New(Options{K: 3, MaxGrams: 10}, ring(f, 1))
	h := NewHasher(g.Ring())
	g.Link(h.Gram("a"), h.Individual("ann"))
	g.Records(func(key, value []byte) { f.Add(key, value) })
	f.Fuzz(func(t *testing.T, key, value []byte) {
		g := New(Options{K: 3, MaxGrams: 10}, ring(t, 1))
		if g.Restore(key, value) == nil {
			g.Restored(-1)
		}
		body := append([]byte{byte(open)}, value...)
		if e, err := g.decode(body); err == nil && (len(e.users) < 1 || len(e.users) > 2) {
			t.Errorf("%d users", len(e.users))
		}
	})
}
