// Package formats reads transcripts in the formats that recognizers, meeting tools and spreadsheets
// write, and writes them in the same format.
package formats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sotto/files/formats/captions"
	"sotto/files/formats/jsondoc"
	"sotto/files/formats/plaintext"
	"sotto/files/formats/rebuilt"
	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
)

// Events is the format of RawEvent lines, which Read does not read: the output are CleanEvent lines.
const Events = "events"

// mappingFormat is the format of a document that Options.Mapping describes.
const mappingFormat = "mapping"

// The formats that are no JSON.
const (
	textFormat    = "text"
	markupFormat  = "labelled"
	vttFormat     = "vtt"
	srtFormat     = "srt"
	sbvFormat     = "sbv"
	ttmlFormat    = "ttml"
	stmFormat     = "stm"
	ctmFormat     = "ctm"
	csvFormat     = "csv"
	tsvFormat     = "tsv"
	jsonlFormat   = "jsonl"
	parquetFormat = "parquet"
)

// Names are the names of all formats.
func Names() []string {
	names := append(jsondoc.Names(), Events, csvFormat, tsvFormat, jsonlFormat, parquetFormat,
		rebuilt.DOCX, rebuilt.XLSX, rebuilt.Mail, rebuilt.HTML)
	return slices.Sorted(slices.Values(slices.AppendSeq(names, maps.Keys(readers))))
}

// ErrUnknown means that a file is structured and that its format is not known.
var ErrUnknown = errors.New("its format is not known; name it with --format, and see 'sotto anonymize --help' for the formats")

// UnknownJSON is ErrUnknown of a JSON file.
type UnknownJSON struct {
	// Near are the formats that have the most in common with it.
	Near []string
}

func (e UnknownJSON) Error() string {
	return ErrUnknown.Error() + e.Nearest() + "; or say where its turns are in a file for --mapping, of which 'sotto anonymize --suggest-mapping' " +
		"prints a beginning (docs/files.md#mappings); --format json anonymizes every string"
}

// Nearest names the formats in half a sentence, "" if there are none.
func (e UnknownJSON) Nearest() string {
	if len(e.Near) == 0 {
		return ""
	}
	return "; the nearest are " + strings.Join(e.Near, ", ")
}

func (e UnknownJSON) Unwrap() error { return ErrUnknown }

// Options say how to read a file.
type Options struct {
	// Format is the name of the format, "" to detect it.
	Format string
	// Name is the name of the file, "" if it has none. It decides between formats that look alike.
	Name    string
	Columns table.Columns
	// Mapping is the text of a YAML file that says where a JSON document has its turns, "" if there is
	// none. It replaces the format of JSON files.
	Mapping string
	Limits
}

// Limits bound what a file may take in memory; 0 means any number, except where the format has a bound of its own.
type Limits struct {
	// MaxDecoded is how many bytes a compressed file may decode to, table.MaxDecoded if it is 0.
	MaxDecoded int64
	// MaxText is how many bytes the texts of a file may have together, MaxTurns how many turns and other texts there may be.
	MaxText, MaxTurns int
	// MaxParts is how many parts it may have, as Parts counts them.
	MaxParts int
}

// LimitsOf returns the limits under which the work on a file takes about so many bytes of memory.
func LimitsOf(memory int64) Limits {
	return Limits{MaxDecoded: memory / 5 * 2, MaxText: int(memory / 40), MaxTurns: int(memory / 6400), MaxParts: int(memory / 640)}
}

// Parts returns about how many parts a file has, such as lines, cells, values and elements: how many bytes separate them in
// one format or another.
func Parts(data []byte) (n int) {
	for _, c := range data {
		switch c {
		case '\n', ',', ';', '\t', '|', '<', '{', '[':
			n++
		}
	}
	return n
}

// File is a file that was read.
type File struct {
	Format string
	*transcript.Document
}

// Read reads a file. Errors contain nothing of it.
func Read(ctx context.Context, data []byte, o Options) (*File, error) {
	f, err := readFile(ctx, data, o)
	if err != nil {
		return nil, err
	}
	n, size := 0, 0
	for _, c := range f.Calls {
		c.HideMarkup()
		n += len(c.Turns) + len(c.Labels) + len(c.Others)
		for _, t := range slices.Concat(c.Turns, c.Others) {
			size += len(t.Text)
		}
	}
	if o.MaxTurns > 0 && n > o.MaxTurns || o.MaxText > 0 && size > o.MaxText {
		return nil, table.ErrTooLarge
	}
	return f, nil
}

func readFile(ctx context.Context, data []byte, o Options) (*File, error) {
	f := &File{Format: cmp.Or(o.Format, detectFile(data, o.Name))}
	limits := rebuilt.Limits{Decoded: o.MaxDecoded, Text: o.MaxText, Parts: o.MaxParts}
	var err error
	switch f.Format {
	case parquetFormat:
		f.Document, err = table.ReadParquet(data, o.Columns, o.MaxDecoded)
	case rebuilt.DOCX:
		f.Document, err = rebuilt.ReadDOCX(ctx, data, limits)
	case rebuilt.XLSX:
		f.Document, err = rebuilt.ReadXLSX(ctx, data, limits, o.Columns)
	case rebuilt.Mail:
		f.Document, err = rebuilt.ReadMail(data, limits)
	case rebuilt.HTML:
		var page string
		if page, _, err = decode(data); err == nil {
			f.Document, err = rebuilt.ReadHTML(page, limits)
		}
	default:
		return readText(ctx, data, o)
	}
	return f, err
}

// detectFile returns the format of a file that is no text, or whose text is written anew; "" for any other.
func detectFile(data []byte, name string) string {
	extension := strings.ToLower(filepath.Ext(name))
	start := strings.ToLower(string(bytes.TrimSpace(data[:min(len(data), 512)])))
	switch {
	case bytes.HasPrefix(data, []byte("PAR1")):
		return parquetFormat
	case extension == ".eml":
		return rebuilt.Mail
	case extension == ".html", extension == ".htm", strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"):
		return rebuilt.HTML
	}
	return rebuilt.IsOffice(data)
}

// readText reads a text, which is written in the encoding in which it is read.
func readText(ctx context.Context, data []byte, o Options) (*File, error) {
	text, c, err := decode(data)
	if err != nil {
		return nil, err
	}
	if o.MaxParts > 0 && Parts([]byte(text)) > o.MaxParts {
		return nil, table.ErrTooLarge
	}
	format := o.Format
	f := &File{Format: format}
	if start := strings.TrimSpace(text); format == "" && o.Mapping != "" && strings.ContainsAny(start[:min(len(start), 1)], "{[") {
		f.Format = mappingFormat
		f.Document, err = jsondoc.ReadMapped(text, o.Mapping)
	} else {
		if format == "" {
			if f.Format, err = Detect(text, o.Name); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
		}
		f.Document, err = read(text, f.Format, o.Columns)
	}
	if err != nil {
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

// SuggestMapping returns a mapping to start from for a JSON file. Errors contain nothing of it.
func SuggestMapping(data []byte) (string, error) {
	text, _, err := decode(data)
	if err != nil {
		return "", err
	}
	return jsondoc.Suggest(text)
}

// readers read the texts that are no JSON and no table.
var readers = map[string]func(text string) (*transcript.Document, error){
	textFormat:   func(text string) (*transcript.Document, error) { return plaintext.ReadDocument(text), nil },
	markupFormat: plaintext.ReadMarkup,
	vttFormat:    captions.ReadVTT,
	srtFormat:    captions.ReadSRT,
	sbvFormat:    captions.ReadSBV,
	ttmlFormat:   captions.ReadTTML,
	stmFormat:    plaintext.ReadSTM,
	ctmFormat:    plaintext.ReadCTM,
}

func read(text, format string, c table.Columns) (*transcript.Document, error) {
	if reader := readers[format]; reader != nil {
		return reader(text)
	}
	switch format {
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
	case plaintext.IsMarkup(start):
		return markupFormat, nil
	case captions.IsSRT(start):
		return srtFormat, nil
	case captions.IsSBV(start):
		return sbvFormat, nil
	case extension == ".ctm", plaintext.IsCTM(start):
		return ctmFormat, nil
	case extension == ".stm", plaintext.IsSTM(start):
		return stmFormat, nil
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
		return "", UnknownJSON{jsondoc.Near(text)}
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
