package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// writeShards writes what a part has gathered, in shards of at most ShardRows.
func (e *Exporter) writeShards(part string, number int) ([]File, error) {
	b := e.parts[part]
	if e.opts.Form != Rows {
		return shards(&e.opts, part, number, b.chats)
	}
	return shards(&e.opts, part, number, b.rows)
}

func shards[T any](o *Options, part string, number int, rows []T) (files []File, err error) {
	for ; len(rows) > 0; number++ {
		n := min(len(rows), o.ShardRows)
		name := fmt.Sprintf("%s-%06d.%s", part, number, o.Format)
		f, err := writeTemporary(o.Dir, name, func(w io.Writer) error {
			if o.Format == Parquet {
				return writeParquet(w, rows[:n])
			}
			return writeJSONLines(w, rows[:n])
		})
		if err != nil {
			return nil, err
		}
		f.Part, f.Rows = part, n
		files = append(files, f)
		rows = rows[n:]
	}
	return files, nil
}

func writeJSONLines[T any](w io.Writer, rows []T) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for i := range rows {
		if err := out.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func writeParquet[T any](w io.Writer, rows []T) error {
	out := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd))
	if _, err := out.Write(rows); err != nil {
		return err
	}
	return out.Close()
}
