package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sotto/training/corpus/indirect"
	"sotto/training/corpus/transcripts"
)

// The formats of shards.
const (
	JSONL   = "jsonl"
	Parquet = "parquet"
)

// Options configure an export.
type Options struct {
	Dir    string
	Format string // JSONL or Parquet
	Form   string // Rows or Chat
	// ShardRows and ShardBytes bound the rows of a shard and the bytes of their text.
	ShardRows, ShardBytes int
	// Validation is the share of calls in the validation part; 0 to less than 1. Each commit keeps to it.
	Validation float64
	// SplitBy returns the key of a call: calls with the same key are in the same part. nil means the
	// call's ID.
	SplitBy func(*transcripts.Transcript) (string, error)
	// Blacklist has the indirect identifiers; nil if there is none. MaxN is the length of its
	// n-grams that count.
	Blacklist *indirect.Blacklist
	MaxN      int
	// Settings describes all of the above that a later run must repeat, in words.
	Settings string
}

// Exporter writes calls into shards. Nothing counts as written before Commit.
type Exporter struct {
	opts     Options
	build    builder
	manifest *Manifest
	counts   Counts
	seen     map[uint64]struct{}
	fresh    []uint64 // of seen, since the last commit
	// pending are the rows since the last commit by their key, parts those that Commit has divided.
	pending map[string]*batch
	parts   map[string]*batch
}

// batch has rows that are not written yet, of so many calls.
type batch struct {
	calls int
	rows  []*Row
	chats []ChatRow
}

func (b *batch) add(o *batch) {
	b.calls += o.calls
	b.rows, b.chats = append(b.rows, o.rows...), append(b.chats, o.chats...)
}

func (b *batch) len() int { return len(b.rows) + len(b.chats) }

// Open begins or continues an export.
func Open(o Options) (*Exporter, error) {
	switch {
	case o.Format != JSONL && o.Format != Parquet:
		return nil, errors.New("the format must be jsonl or parquet")
	case o.Form != Rows && o.Form != Chat:
		return nil, errors.New("the form must be rows or chat")
	case o.ShardRows < 1 || o.ShardBytes < 1:
		return nil, errors.New("a shard must have room for at least 1 row and 1 byte")
	case !(o.Validation >= 0 && o.Validation < 1):
		return nil, errors.New("the share for validation must be 0 to less than 1")
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	m, err := readManifest(o.Dir)
	if err != nil {
		return nil, err
	}
	settings := sha256.Sum256(fmt.Appendf(nil, "%s %s %g %d %s", o.Format, o.Form, o.Validation, o.MaxN, o.Settings))
	switch digest := hex.EncodeToString(settings[:8]); m.Settings {
	case "":
		m.Settings = digest
	case digest:
	default:
		return nil, fmt.Errorf("%s was made with other flags or another blacklist; use the same or another output folder", o.Dir)
	}
	e := &Exporter{
		opts: o, manifest: m, counts: m.Counts.clone(), seen: map[uint64]struct{}{}, pending: map[string]*batch{},
		build: builder{blacklist: o.Blacklist, maxN: o.MaxN},
	}
	return e, e.readSeen()
}

// Offsets returns where to read each partition from.
func (e *Exporter) Offsets() map[int32]int64 { return maps.Clone(e.manifest.Offsets) }

// Has reports whether a call was added, in this run or an earlier one.
func (e *Exporter) Has(callID string) bool {
	_, ok := e.seen[hashOf("call "+callID)]
	return ok
}

// Counts returns the counts of all runs, as of the last commit.
func (e *Exporter) Counts() Counts { return e.manifest.Counts }

// Add adds a complete call, if it is released and not there yet. A call that is not the work of an engine is ErrRaw.
func (e *Exporter) Add(c *transcripts.Transcript) error {
	for _, event := range c.Events {
		if err := CheckOrigin(event); err != nil {
			return err
		}
	}
	if !e.note("call " + c.ID) {
		return nil // from a part of the topic that is read again
	}
	e.counts.Calls++
	switch {
	case !c.Released():
		e.counts.Withheld++
		return nil
	case len(c.Events) == 0:
		e.counts.Empty++
		return nil
	case !e.note(e.build.contentHash(c)):
		e.counts.Duplicates++
		return nil
	}
	var chats []ChatRow
	if e.opts.Form == Chat {
		chats = e.build.chat(c)
	}
	key := c.ID
	if e.opts.SplitBy != nil {
		var err error
		if key, err = e.opts.SplitBy(c); err != nil {
			return err
		}
	}
	b := e.pending[key]
	if b == nil {
		b = &batch{}
		e.pending[key] = b
	}
	b.calls++
	if b.chats = append(b.chats, chats...); e.opts.Form == Rows {
		b.rows = append(b.rows, e.build.row(c))
	}
	e.counts.add(c)
	return nil
}

// Full reports whether it is time to commit.
func (e *Exporter) Full() bool {
	rows := 0
	for _, b := range e.pending {
		rows += b.len()
	}
	return float64(rows)*(1-e.opts.Validation) >= float64(e.opts.ShardRows) || e.counts.TextBytes-e.manifest.Counts.TextBytes >= int64(e.opts.ShardBytes)
}

// note remembers a key, and reports whether it is new.
func (e *Exporter) note(key string) bool {
	h := hashOf(key)
	if _, ok := e.seen[h]; ok {
		return false
	}
	e.seen[h] = struct{}{}
	e.fresh = append(e.fresh, h)
	return true
}

func hashOf(key string) uint64 {
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])
}

// divide puts the pending rows into the parts. Those with the lowest hashes of their keys are for validation, as
// many calls as bring its share nearest to the wanted one; so the order of the calls decides nothing.
func (e *Exporter) divide() {
	e.parts = map[string]*batch{Train: {}, Validation: {}}
	all := e.counts.Exported[Train] + e.counts.Exported[Validation]
	// The hash alone would do, but for two that are equal.
	keys := slices.SortedFunc(maps.Keys(e.pending), func(a, b string) int {
		return cmp.Or(cmp.Compare(hashOf("part "+a), hashOf("part "+b)), cmp.Compare(a, b))
	})
	var undecided []string
	for _, key := range keys {
		b := e.pending[key]
		all += b.calls
		if part := e.partOf(key); part != "" {
			e.parts[part].add(b)
		} else {
			undecided = append(undecided, key)
		}
	}
	room := e.opts.Validation*float64(all) - float64(e.counts.Exported[Validation]+e.parts[Validation].calls)
	for _, key := range undecided {
		b, part := e.pending[key], Train
		if room >= float64(b.calls)/2 && e.opts.Validation > 0 {
			part = Validation
			room -= float64(b.calls)
		}
		e.parts[part].add(b)
		if e.opts.SplitBy != nil {
			e.note(part + " " + key)
		}
	}
	for part, b := range e.parts {
		e.counts.Exported[part] += b.calls
		e.counts.Rows[part] += b.len()
	}
	e.pending = map[string]*batch{}
}

// partOf returns the part that a commit has put a key into, "" if none has.
func (e *Exporter) partOf(key string) string {
	for _, part := range []string{Train, Validation} {
		if _, ok := e.seen[hashOf(part+" "+key)]; ok {
			return part
		}
	}
	return ""
}

// Commit writes the shards, and then, as one file, the manifest that names them together with the
// offsets from which the next run reads. Only then do the shards get their names. Whenever it is
// killed, the next run finds either all of it or nothing.
func (e *Exporter) Commit(offsets map[int32]int64) error {
	e.divide()
	next := *e.manifest
	next.Offsets, next.Counts = offsets, e.counts.clone()
	next.Files = append([]File(nil), e.manifest.Files...)
	var written []File
	number := len(next.Files)
	for _, part := range []string{Train, Validation} {
		shards, err := e.writeShards(part, number)
		if err != nil {
			return fmt.Errorf("cannot write a shard; what was committed before is intact: %w", err)
		}
		written = append(written, shards...)
		number += len(shards)
	}
	if len(e.fresh) > 0 {
		f, err := writeSeen(e.opts.Dir, fmt.Sprintf("seen-%06d.bin", number), e.fresh)
		if err != nil {
			return fmt.Errorf("cannot write the list of calls; what was committed before is intact: %w", err)
		}
		written = append(written, f)
	}
	next.Files = append(next.Files, written...)
	if err := next.write(e.opts.Dir); err != nil {
		return fmt.Errorf("cannot write %s; what was committed before is intact: %w", ManifestName, err)
	}
	e.manifest = &next
	for _, f := range written {
		if err := f.settle(e.opts.Dir); err != nil {
			return err
		}
	}
	e.fresh, e.parts = nil, nil
	return nil
}

// writeSeen writes a list of calls under its temporary name.
func writeSeen(dir, name string, hashes []uint64) (File, error) {
	return writeTemporary(dir, name, func(w io.Writer) error { return binary.Write(w, binary.BigEndian, hashes) })
}

func (e *Exporter) readSeen() error {
	for _, f := range e.manifest.Files {
		if f.Part != "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(e.opts.Dir, f.Name))
		if err != nil {
			return err
		}
		for ; len(data) >= 8; data = data[8:] {
			e.seen[binary.BigEndian.Uint64(data)] = struct{}{}
		}
	}
	return nil
}
