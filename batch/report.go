package batch

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"maps"
	"slices"
	"unicode/utf8"

	"sotto/schemas"
)

//go:embed report.html
var reportPage string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"after": func(i int) int { return i + 1 },
	"hue":   hue,
	"raw":   rawPieces,
	"clean": cleanPieces,
	"risk": func(estimated *float64) string {
		if estimated == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", *estimated)
	},
}).Parse(reportPage))

// reportPiece is a part of a text. It is plain if it has no type.
type reportPiece struct {
	Text, Type, Title string
	// Below means that it was not masked, because it was not likely enough.
	Below bool
}

// ReportHTML returns a page with raw beside clean text. It contains raw text, and says so.
func ReportHTML(results []FileResult, summary Summary) ([]byte, error) {
	types := slices.Sorted(maps.Keys(summary.Entities))
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(summary.Entities[b], summary.Entities[a]) })
	var out bytes.Buffer
	err := reportTemplate.Execute(&out, map[string]any{"Summary": summary, "Types": types, "Files": results})
	return out.Bytes(), err
}

// hue is the colour of an infoType, in degrees.
func hue(infoType string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(infoType))
	return h.Sum32() % 360
}

// rawPieces divides the raw text at the masks and at what was below the threshold.
func rawPieces(t *TurnResult) []reportPiece {
	at := byteOffsets(t.Raw)
	type marked struct {
		start, end int
		piece      reportPiece
	}
	var marks []marked
	for i := range t.Clean.Entities {
		e := &t.Clean.Entities[i]
		marks = append(marks, marked{at(*e.RawStart), at(*e.RawEnd), reportPiece{Type: e.Type, Title: title(e)}})
	}
	for _, d := range t.Below {
		marks = append(marks, marked{d.Start, d.Start + len(d.Text), reportPiece{
			Type: string(d.Type), Below: true, Title: fmt.Sprintf("not masked: %s, %.2f", d.Type, d.Score),
		}})
	}
	slices.SortFunc(marks, func(a, b marked) int { return cmp.Compare(a.start, b.start) })
	var pieces []reportPiece
	from := 0
	for _, m := range marks {
		if m.start < from || m.end > len(t.Raw) {
			continue
		}
		m.piece.Text = t.Raw[m.start:m.end]
		pieces = append(pieces, reportPiece{Text: t.Raw[from:m.start]}, m.piece)
		from = m.end
	}
	return append(pieces, reportPiece{Text: t.Raw[from:]})
}

func cleanPieces(t *TurnResult) []reportPiece {
	text := t.Clean.Text
	at := byteOffsets(text)
	var pieces []reportPiece
	from := 0
	for i := range t.Clean.Entities {
		e := &t.Clean.Entities[i]
		start, end := at(e.Start), at(e.End)
		pieces = append(pieces, reportPiece{Text: text[from:start]}, reportPiece{Text: text[start:end], Type: e.Type, Title: title(e)})
		from = end
	}
	return append(pieces, reportPiece{Text: text[min(from, len(text)):]})
}

func title(e *schemas.Entity) string {
	s := fmt.Sprintf("%s, found by %s, %.2f", e.Type, e.Detector, e.Score)
	if !utf8.ValidString(s) {
		return e.Type
	}
	return s
}
