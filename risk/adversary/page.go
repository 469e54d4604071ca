package adversary

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("").Parse(page))

// WriteHTML writes the report as a page without scripts. It quotes the clean calls.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, map[string]any{"R": r, "Details": r.details})
}
