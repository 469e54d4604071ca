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

var reportTemplate = template.Must(template.New("report").Parse(reportPage))

// reportData is what the page shows.
type reportData struct {
	Summary Summary
	Types   []typeCount
	Files   []reportFile
}

type typeCount struct {
	Type   string
	Hue    uint32
	Number int64
}

type reportFile struct {
	Name, Format, Error string
	Finished            bool
	Calls               []reportCall
}

type reportCall struct {
	Number     int
	Risk       string
	Release    bool
	Reason     string
	Utterances int64
	Turns      []reportTurn
}

type reportTurn struct {
	Speaker    string
	Raw, Clean []reportPiece
}

// reportPiece is a part of a text. It is plain if it has no type.
type reportPiece struct {
	Text, Type, Title string
	Hue               uint32
	// Below means that it was not masked, because it was not likely enough.
	Below bool
}

// ReportHTML returns a page with raw beside clean text. It contains raw text, and says so.
func ReportHTML(results []FileResult, summary Summary) ([]byte, error) {
	d := reportData{Summary: summary}
	for _, t := range slices.Sorted(maps.Keys(summary.Entities)) {
		d.Types = append(d.Types, typeCount{t, hue(t), summary.Entities[t]})
	}
	slices.SortStableFunc(d.Types, func(a, b typeCount) int { return cmp.Compare(b.Number, a.Number) })
	for i := range results {
		r := &results[i]
		f := reportFile{Name: r.Input, Format: r.Format, Finished: r.Finished}
		if r.Err != nil {
			f.Error = r.Err.Error()
		}
		for k := range r.Calls {
			f.Calls = append(f.Calls, reportOf(k+1, &r.Calls[k]))
		}
		d.Files = append(d.Files, f)
	}
	var out bytes.Buffer
	err := reportTemplate.Execute(&out, d)
	return out.Bytes(), err
}

func reportOf(number int, r *CallResult) reportCall {
	c := reportCall{Number: number, Release: r.Summary.Release, Reason: r.Summary.Reason, Utterances: r.Summary.Utterances}
	if risk := r.Summary.EstimatedRisk; risk != nil {
		c.Risk = fmt.Sprintf("%.2f", *risk)
	}
	for i := range r.Turns {
		t := &r.Turns[i]
		turn := reportTurn{Raw: rawPieces(t), Clean: cleanPieces(t)}
		if t.Clean.Speaker != nil {
			turn.Speaker = cmp.Or(t.Clean.Speaker.Label, t.Clean.Speaker.ID)
		}
		c.Turns = append(c.Turns, turn)
	}
	return c
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
		marks = append(marks, marked{at(*e.RawStart), at(*e.RawEnd), reportPiece{Type: e.Type, Hue: hue(e.Type), Title: title(e)}})
	}
	for _, d := range t.Below {
		marks = append(marks, marked{d.Start, d.Start + len(d.Text), reportPiece{
			Type: string(d.Type), Hue: hue(string(d.Type)), Below: true, Title: fmt.Sprintf("not masked: %s, %.2f", d.Type, d.Score),
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
		pieces = append(pieces, reportPiece{Text: text[from:start]}, reportPiece{Text: text[start:end], Type: e.Type, Hue: hue(e.Type), Title: title(e)})
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
