package rebuilt

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

const (
	wordML  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	sheetML = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	types   = "application/vnd.openxmlformats-officedocument."
	rels    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// writeOffice writes an office document of one main part and others, which are of one type.
func writeOffice(main, mainType, mainText string, others map[string]string, otherType string) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	overrides, related := "", ""
	names := slices.Sorted(maps.Keys(others))
	for i, name := range names {
		overrides += fmt.Sprintf(`<Override PartName="/%s" ContentType="%s"/>`, name, otherType)
		related += fmt.Sprintf(`<Relationship Id="r%d" Type="%s/worksheet" Target="/%s"/>`, i+1, rels, name)
	}
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	add := func(name, text string) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, head+text)
		}
		return err
	}
	const package_ = "http://schemas.openxmlformats.org/package/2006/"
	err := errors.Join(
		add("[Content_Types].xml", `<Types xmlns="`+package_+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/`+main+`" ContentType="`+mainType+`"/>`+overrides+`</Types>`),
		add("_rels/.rels", `<Relationships xmlns="`+package_+`relationships"><Relationship Id="r1" Type="`+rels+`/officeDocument" Target="/`+main+`"/></Relationships>`),
		add(main, mainText),
	)
	if related != "" {
		err = errors.Join(err, add(path.Dir(main)+"/_rels/"+path.Base(main)+".rels", `<Relationships xmlns="`+package_+`relationships">`+related+`</Relationships>`))
	}
	for _, name := range names {
		err = errors.Join(err, add(name, others[name]))
	}
	err = errors.Join(err, z.Close()) // which writes the directory
	return out.Bytes(), err
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder has no error
	return b.String()
}

func writeDOCX(text string) ([]byte, error) {
	var b strings.Builder
	b.WriteString(`<w:document xmlns:w="` + wordML + `"><w:body>`)
	for line := range strings.Lines(text) {
		b.WriteString(`<w:p><w:r><w:t xml:space="preserve">` + escaped(strings.TrimSuffix(line, "\n")) + `</w:t></w:r></w:p>`)
	}
	b.WriteString(`</w:body></w:document>`)
	return writeOffice(mainDocument, types+"wordprocessingml.document.main+xml", b.String(), nil, "")
}

func writeXLSX(sheets []*sheet) ([]byte, error) {
	all := map[string]string{}
	var book strings.Builder
	book.WriteString(`<workbook xmlns="` + sheetML + `" xmlns:r="` + rels + `"><sheets>`)
	for n, s := range sheets {
		data, err := s.read.Encode()
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		b.WriteString(`<worksheet xmlns="` + sheetML + `"><sheetData>`)
		for i, r := range rows {
			b.WriteString("<row>")
			for j, text := range r {
				if s.numbers[[2]int{i, j}] && i < len(s.rows) && s.rows[i][j] == text {
					b.WriteString("<c><v>" + escaped(text) + "</v></c>")
				} else {
					b.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">` + escaped(text) + `</t></is></c>`)
				}
			}
			b.WriteString("</row>")
		}
		b.WriteString(`</sheetData></worksheet>`)
		all[fmt.Sprintf("%s/sheet%04d.xml", sheetFolder, n+1)] = b.String()
		fmt.Fprintf(&book, `<sheet name="Sheet%d" sheetId="%d" r:id="r%d"/>`, n+1, n+1, n+1)
	}
	book.WriteString(`</sheets></workbook>`)
	return writeOffice(workbook, types+"spreadsheetml.sheet.main+xml", book.String(), all, types+"spreadsheetml.worksheet+xml")
}
