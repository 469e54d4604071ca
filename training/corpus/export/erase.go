package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Erase removes the rows of calls from an export, and makes sure that no later run adds them. It returns how many
// rows it removed, or would remove if dry is true. Shards with such rows are written again under another name,
// "train-000001e.jsonl" for "train-000001.jsonl". No other run may write the folder at the same time; whenever it is
// killed, it can be repeated.
func Erase(dir string, ids []string, dry bool) (rows int, err error) {
	if _, err := os.Stat(filepath.Join(dir, ManifestName)); err != nil {
		return 0, fmt.Errorf("%s is no export: %w", dir, err)
	}
	m, err := readManifest(dir)
	if err != nil {
		return 0, err
	}
	next := *m
	next.Files, next.Counts = slices.Clone(m.Files), m.Counts.clone()
	var written []File
	gone := map[string]bool{}
	for i, f := range m.Files {
		if f.Part == "" {
			continue
		}
		before := len(gone)
		kept, err := without(dir, f, &dropper{ids: ids, gone: gone}, dry)
		if err != nil {
			return rows, err
		}
		if rows += f.Rows - kept.Rows; f.Rows == kept.Rows || dry {
			continue
		}
		next.Files[i] = kept
		next.Counts.Exported[f.Part] -= len(gone) - before
		next.Counts.Rows[f.Part] -= f.Rows - kept.Rows
		written = append(written, kept)
	}
	if dry {
		return rows, nil
	}
	hashes := make([]uint64, len(ids))
	for i, id := range ids {
		hashes[i] = hashOf("call " + id)
	}
	seen, err := writeSeen(dir, fmt.Sprintf("seen-%06d.bin", len(m.Files)), hashes)
	if err != nil {
		return rows, err
	}
	next.Files, written = append(next.Files, seen), append(written, seen)
	if err := next.write(dir); err != nil {
		return rows, err
	}
	for _, f := range written {
		if err := f.settle(dir); err != nil {
			return rows, err
		}
	}
	return rows, removeReplaced(dir, &next)
}

// removeReplaced removes the shards that others have taken the place of.
func removeReplaced(dir string, m *Manifest) error {
	for _, f := range m.Files {
		for base, ext := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name); strings.HasSuffix(base, "e"); {
			base = strings.TrimSuffix(base, "e")
			if err := os.Remove(filepath.Join(dir, base+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return syncFolder(dir)
}

// without writes a shard without the rows of calls, if it has some, and returns it.
func without(dir string, f File, drop *dropper, dry bool) (kept File, err error) {
	data, err := os.ReadFile(filepath.Join(dir, f.Name))
	if err != nil {
		return f, err
	}
	ext := filepath.Ext(f.Name)
	var rest func(io.Writer) error
	if ext == "."+Parquet {
		rest, err = drop.parquet(data)
	} else {
		rest, err = drop.lines(data)
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(dir, f.Name), err)
	}
	if drop.rows == 0 {
		return f, nil
	}
	kept = File{Name: f.Name}
	if !dry {
		if kept, err = writeTemporary(dir, strings.TrimSuffix(f.Name, ext)+"e"+ext, rest); err != nil {
			return f, err
		}
	}
	kept.Part, kept.Rows = f.Part, f.Rows-drop.rows
	return kept, nil
}

type dropper struct {
	ids  []string
	gone map[string]bool // of the calls, in all shards
	rows int
}

func (d *dropper) drops(id string) bool {
	if !slices.Contains(d.ids, id) {
		return false
	}
	d.gone[id] = true
	d.rows++
	return true
}

// lines returns what writes the other rows of JSON lines, byte for byte.
func (d *dropper) lines(data []byte) (func(io.Writer) error, error) {
	var rest []byte
	for line := range bytes.Lines(data) {
		var row struct {
			CallID string `json:"call_id"`
		}
		if json.Unmarshal(line, &row) != nil {
			return nil, errors.New("a line is no JSON object")
		}
		if !d.drops(row.CallID) {
			rest = append(rest, line...)
		}
	}
	return func(w io.Writer) error { _, err := w.Write(rest); return err }, nil
}

// parquet returns what writes the other rows of a Parquet file, whatever its form is.
func (d *dropper) parquet(data []byte) (func(io.Writer) error, error) {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if _, ok := f.Schema().Lookup("text"); ok {
		return parquetWithout(d, data, func(r *Row) string { return r.CallID })
	}
	return parquetWithout(d, data, func(r *ChatRow) string { return r.CallID })
}

func parquetWithout[T any](d *dropper, data []byte, id func(*T) string) (func(io.Writer) error, error) {
	rows, err := parquet.Read[T](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r T) bool { return d.drops(id(&r)) })
	return func(w io.Writer) error { return writeParquet(w, rows) }, nil
}
