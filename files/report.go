package files

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"maps"
	"slices"

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
	Below      bool
	start, end int
}

// ReportHTML returns a page with raw beside clean text. It contains raw text, and says so.
func ReportHTML(results []FileResult, summary Summary) ([]byte, error) {
	types := slices.Sorted(maps.Keys(summary.Entities))
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(summary.Entities[b], summary.Entities[a]) })
	var out bytes.Buffer
	err := reportTemplate.Execute(&out, map[string]any{"Summary": summary, "Types": types, "Files": results})
	return out.Bytes(), err
}

func hue(infoType string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(infoType))
	return h.Sum32() % 360
}

// rawPieces divides the raw text at the masks and at what was below the threshold.
func rawPieces(t *TurnResult) []reportPiece {
	at := byteOffsets(t.Raw)
	var marks []reportPiece
	for i := range t.Clean.Entities {
		e := &t.Clean.Entities[i]
		marks = append(marks, pieceOf(e, at(*e.RawStart), at(*e.RawEnd)))
	}
	for _, d := range t.Subthreshold {
		title := fmt.Sprintf("not masked: %s, %.2f", d.Type, d.Score)
		marks = append(marks, reportPiece{Type: string(d.Type), Title: title, Below: true, start: d.Start, end: d.Start + len(d.Text)})
	}
	slices.SortFunc(marks, func(a, b reportPiece) int { return cmp.Compare(a.start, b.start) })
	return pieces(t.Raw, marks)
}

func cleanPieces(t *TurnResult) []reportPiece {
	at := byteOffsets(t.Clean.Text)
	var marks []reportPiece
	for i := range t.Clean.Entities {
		e := &t.Clean.Entities[i]
		marks = append(marks, pieceOf(e, at(e.Start), at(e.End)))
	}
	return pieces(t.Clean.Text, marks)
}

func pieceOf(e *schemas.Entity, start, end int) reportPiece {
	return reportPiece{Type: e.Type, Title: fmt.Sprintf("%s, found by %s, %.2f", e.Type, e.Detector, e.Score), start: start, end: end}
}

// pieces divides a text at marks, which are in order. What overlaps the one before is left out.
func pieces(text string, marks []reportPiece) (all []reportPiece) {
	from := 0
	for _, m := range marks {
		if m.start < from || m.end > len(text) {
			continue
		}
		m.Text = text[m.start:m.end]
		all = append(all, reportPiece{Text: text[from:m.start]}, m)
		from = m.end
	}
	return append(all, reportPiece{Text: text[from:]})
}
