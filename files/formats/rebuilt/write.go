package rebuilt

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

const (
	wordML  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	sheetML = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	types   = "application/vnd.openxmlformats-officedocument."
	rels    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// writeOffice writes an office document of one main part and worksheets.
func writeOffice(main, mainType, mainText string, sheets []string) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	var err error
	add := func(name, text string) {
		w, problem := z.Create(name)
		if problem == nil {
			_, problem = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+text)
		}
		err = errors.Join(err, problem)
	}
	overrides, related := "", ""
	for i := range sheets {
		overrides += fmt.Sprintf(`<Override PartName="/%s" ContentType="%sspreadsheetml.worksheet+xml"/>`, sheetName(i), types)
		related += fmt.Sprintf(`<Relationship Id="r%d" Type="%s/worksheet" Target="/%s"/>`, i+1, rels, sheetName(i))
	}
	const package_ = "http://schemas.openxmlformats.org/package/2006/"
	add("[Content_Types].xml", `<Types xmlns="`+package_+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
		`<Override PartName="/`+main+`" ContentType="`+mainType+`"/>`+overrides+`</Types>`)
	add("_rels/.rels", `<Relationships xmlns="`+package_+`relationships"><Relationship Id="r1" Type="`+rels+`/officeDocument" Target="/`+main+`"/></Relationships>`)
	add(main, mainText)
	if len(sheets) > 0 {
		add(path.Dir(main)+"/_rels/"+path.Base(main)+".rels", `<Relationships xmlns="`+package_+`relationships">`+related+`</Relationships>`)
	}
	for i, text := range sheets {
		add(sheetName(i), text)
	}
	err = errors.Join(err, z.Close()) // which writes the directory
	return out.Bytes(), err
}

func sheetName(i int) string { return fmt.Sprintf("%s/sheet%04d.xml", sheetFolder, i+1) }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder has no error
	return b.String()
}

// writeDOCX writes a document of Word with paragraphs and tables.
func writeDOCX(body string) ([]byte, error) {
	text := `<w:document xmlns:w="` + wordML + `"><w:body>` + body + `</w:body></w:document>`
	return writeOffice(mainDocument, types+"wordprocessingml.document.main+xml", text, nil)
}

func writeXLSX(sheets []*sheet) ([]byte, error) {
	var all []string
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
		all = append(all, b.String())
		fmt.Fprintf(&book, `<sheet name="Sheet%d" sheetId="%d" r:id="r%d"/>`, n+1, n+1, n+1)
	}
	book.WriteString(`</sheets></workbook>`)
	return writeOffice(workbook, types+"spreadsheetml.sheet.main+xml", book.String(), all)
}
