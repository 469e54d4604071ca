package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// init adds a table in Parquet: columns with and without compression and dictionary, a list, and
// metadata that repeats a name.
func init() {
	samples["table.parquet"] = func(call []spokenTurn) string {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[parquetRow](&b, parquet.KeyValueMetadata("pandas", `{"path": "/home/`+sampleNames[1]+`"}`))
		for i, s := range call {
			note := "spoke with " + sampleNames[1]
			row := parquetRow{Call: "c-1", Start: int64(i * 4000), Speaker: sampleNames[s.speaker], Text: s.text, Lexical: &s.lexical, Words: strings.Fields(s.text)}
			if i%2 == 1 {
				row.Note = &note
			}
			if _, err := w.Write([]parquetRow{row}); err != nil {
				panic(err)
			}
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		return b.String()
	}
}

type parquetRow struct {
	Call    string   `parquet:"call_id,dict"`
	Start   int64    `parquet:"start_ms"`
	Speaker string   `parquet:"speaker,dict,zstd"`
	Text    string   `parquet:"text,snappy"`
	Lexical *string  `parquet:"lexical,optional"`
	Words   []string `parquet:"words,list"`
	Note    *string  `parquet:"agent_notes,optional,gzip"`
}

// visible is all text that a reader of a file finds: of Parquet, the bytes, which hold metadata and
// statistics, and the values of all columns, which may be compressed.
func visible(t rapidOrTest, name, content string) string {
	if filepath.Ext(name) != ".parquet" {
		return content
	}
	file, err := parquet.OpenFile(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
		return ""
	}
	var b strings.Builder
	b.WriteString(content)
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 16)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for _, v := range row {
					fmt.Fprintf(&b, "\n%s", v.String())
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%s: %v", name, err)
				}
				break
			}
		}
		rows.Close()
	}
	return b.String()
}
