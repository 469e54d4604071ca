// Package formats reads transcripts in the formats that recognizers, meeting tools and spreadsheets
// write, and writes them in the same format.
package formats

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"sotto/formats/captions"
	"sotto/formats/jsondoc"
	"sotto/formats/plaintext"
	"sotto/formats/table"
	"sotto/formats/transcript"
)

// Events is the format of RawEvent lines, which Read does not read: the output are CleanEvent lines.
const Events = "events"

// The formats that are no JSON.
const (
	textFormat    = "text"
	vttFormat     = "vtt"
	srtFormat     = "srt"
	ttmlFormat    = "ttml"
	csvFormat     = "csv"
	tsvFormat     = "tsv"
	jsonlFormat   = "jsonl"
	parquetFormat = "parquet"
)

// Names are the names of all formats.
func Names() []string {
	names := append([]string{Events, textFormat, vttFormat, srtFormat, ttmlFormat, csvFormat, tsvFormat, jsonlFormat, parquetFormat}, jsondoc.Names()...)
	slices.Sort(names)
	return names
}

// ErrUnknown means that a file is structured and that its format is not known.
var ErrUnknown = errors.New("its format is not known; name it with --format, and see 'sotto anonymize --help' for the formats " +
	"(--format json anonymizes every string of any JSON)")

// Options say how to read a file.
type Options struct {
	// Format is the name of the format, "" to detect it.
	Format string
	// Name is the name of the file, "" if it has none. It decides between formats that look alike.
	Name    string
	Columns table.Columns
}

// File is a file that was read.
type File struct {
	Format string
	*transcript.Document
}

// Read reads a file. Errors contain nothing of it.
func Read(data []byte, o Options) (*File, error) {
	if o.Format == parquetFormat || o.Format == "" && bytes.HasPrefix(data, []byte("PAR1")) {
		d, err := table.ReadParquet(data, o.Columns)
		return &File{parquetFormat, d}, err
	}
	text, c, err := decode(data)
	if err != nil {
		return nil, err
	}
	format := o.Format
	if format == "" {
		if format, err = Detect(text, o.Name); err != nil {
			return nil, err
		}
	}
	f := &File{Format: format}
	if f.Document, err = read(text, format, o.Columns); err != nil {
		return nil, err
	}
	write := f.Encode
	f.Encode = func() ([]byte, error) {
		out, err := write()
		if err != nil {
			return nil, err
		}
		return c.encode(out)
	}
	return f, nil
}

func read(text, format string, c table.Columns) (*transcript.Document, error) {
	switch format {
	case textFormat:
		return plaintext.ReadDocument(text), nil
	case vttFormat:
		return captions.ReadVTT(text)
	case srtFormat:
		return captions.ReadSRT(text)
	case ttmlFormat:
		return captions.ReadTTML(text)
	case csvFormat:
		return table.ReadCSV(text, 0, c)
	case tsvFormat:
		return table.ReadCSV(text, '\t', c)
	case jsonlFormat:
		return jsondoc.ReadLines(text, c)
	case Events:
		return nil, errors.New("events are read from standard input or from one file only")
	}
	d, _, err := jsondoc.Read(text, format)
	return d, err
}

// Detect returns the format of a text. name is that of its file.
func Detect(text, name string) (string, error) {
	extension := strings.ToLower(filepath.Ext(name))
	start := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(start, "WEBVTT"):
		return vttFormat, nil
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		return detectJSON(start)
	case strings.HasPrefix(start, "<"):
		if strings.Contains(start[:min(len(start), 4096)], "<tt") || extension == ".ttml" || extension == ".dfxp" {
			return ttmlFormat, nil
		}
		return "", ErrUnknown
	case captions.IsSRT(start):
		return srtFormat, nil
	case extension == ".csv":
		return csvFormat, nil
	case extension == ".tsv", extension == ".tab":
		return tsvFormat, nil
	case slices.Contains([]string{"", ".txt", ".text", ".log", ".md", ".transcript"}, extension):
		if comma, ok := table.HasHeader(start); ok && comma == '\t' {
			return tsvFormat, nil
		} else if ok {
			return csvFormat, nil
		}
		return textFormat, nil
	}
	return "", ErrUnknown
}

// detectJSON returns the format of a text that begins as JSON does. "[00:01:02] Speaker: words"
// begins like that, too.
func detectJSON(text string) (string, error) {
	d, format, err := jsondoc.Read(text, "")
	switch {
	case d != nil:
		return format, nil
	case err == nil && !jsondoc.IsEvent(text):
		if jsondoc.IsUtterance(text) {
			return jsonlFormat, nil
		}
		return "", ErrUnknown
	}
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case jsondoc.IsEvent(first):
		return Events, nil
	case jsondoc.IsObject(first):
		return jsonlFormat, nil
	case strings.HasPrefix(text, "[") && !jsondoc.LooksLikeArray(text):
		return textFormat, nil
	}
	return "", ErrUnknown
}
