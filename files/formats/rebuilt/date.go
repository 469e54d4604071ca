package rebuilt

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/files/formats/transcript"
)

// dates says which numbers of a workbook are dates: days since an epoch, in a cell whose style has a format for dates
// (ECMA-376, part 1, sections 18.8.30 and 18.17.4).
type dates struct {
	styles []bool // by the number of the style
	epoch  time.Time
}

// isBuiltInDate reports whether a format that a file need not define shows dates or times.
func isBuiltInDate(format int) bool {
	return 14 <= format && format <= 22 || 27 <= format && format <= 36 || 45 <= format && format <= 47 || 50 <= format && format <= 58
}

// asIs is what a format code shows as it stands, bracketed are its colours, conditions and durations, and duration is one:
// hours, minutes or seconds that are no time of the day.
var (
	asIs      = regexp.MustCompile(`"[^"]*"|\\.|_.`)
	bracketed = regexp.MustCompile(`\[[^\]]*\]`)
	duration  = regexp.MustCompile(`\[(h+|m+|s+)\]`)
)

func isDate(code string) bool {
	code = asIs.ReplaceAllString(strings.ToLower(code), "")
	return !duration.MatchString(code) && strings.ContainsAny(bracketed.ReplaceAllString(code, ""), "ydmhs")
}

// dates reads which styles of cells are dates.
func (p *parts) dates() (d dates, err error) {
	d.epoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if err := p.each(workbook, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "workbookPr" && slices.Contains([]string{"1", "true"}, transcript.Attribute(e, "date1904")) {
			d.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		return nil
	}); err != nil || !p.has(cellStyles) {
		return d, err
	}
	own, isCell := map[string]bool{}, false
	return d, p.each(cellStyles, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				own[transcript.Attribute(t, "numFmtId")] = isDate(transcript.Attribute(t, "formatCode"))
				return p.budget.take(1, 0)
			case "cellXfs":
				isCell = true
			case "xf":
				if format := transcript.Attribute(t, "numFmtId"); isCell {
					n, _ := strconv.Atoi(format) // without one, it is the general format
					d.styles = append(d.styles, own[format] || isBuiltInDate(n))
					return p.budget.take(1, 0)
				}
			}
		case xml.EndElement:
			isCell = isCell && t.Name.Local != "cellXfs"
		}
		return nil
	})
}

// text returns a number of a style as people read it, if it is a date: 2025-03-04, 2025-03-04 15:30:00, or 15:30:00 for a
// time without a day.
func (d *dates) text(style int, number string) (string, bool) {
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || style < 0 || style >= len(d.styles) || !d.styles[style] || !(days >= 0 && days < 2_958_466) { // the year 10000
		return "", false
	}
	if days >= 1 && days < 60 && d.epoch.Year() < 1900 {
		days++ // Excel has a 29th of February 1900
	}
	whole := int(days)
	t := d.epoch.AddDate(0, 0, whole).Add(time.Duration((days - float64(whole)) * 24 * float64(time.Hour))).Round(time.Second)
	switch {
	case whole == 0:
		return t.Format(time.TimeOnly), true
	case days == float64(whole):
		return t.Format(time.DateOnly), true
	}
	return t.Format(time.DateTime), true
}
