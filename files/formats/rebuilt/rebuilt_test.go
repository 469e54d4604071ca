package rebuilt

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
)

// packed returns an office document with the parts.
func packed(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// said returns the labels and texts of a document, and everything that its output has after each text was replaced.
func said(t *testing.T, d *transcript.Document, err error) (texts, out string, data []byte) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Calls {
		for _, turn := range c.Turns {
			texts += turn.Speaker.Label + "|" + turn.Text + "\n"
			turn.Set("[X]")
			if turn.SetLabel != nil {
				turn.SetLabel("[S]")
			}
		}
		for _, turn := range c.Others {
			turn.Set("[O]")
		}
	}
	if data, err = d.Encode(); err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(data, []byte("PK")) {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			part, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			out += f.Name + "\n" + string(part)
		}
	} else {
		out = string(data)
	}
	if low := strings.ToLower(out); strings.Contains(low, "quimby") {
		t.Errorf("the output has what was not replaced:\n%s", out)
	}
	return texts, out, data
}

const docxBody = `<w:document xmlns:w="w" xmlns:mc="mc" xmlns:wp="wp"><w:body>
<w:p><w:r><w:t>Ines Quimby:</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve"> hello </w:t></w:r><w:ins w:author="Quimby"><w:r><w:t>there</w:t></w:r></w:ins>
<w:del w:author="Quimby"><w:r><w:delText>Quimby</w:delText><w:t>gone</w:t></w:r></w:del><w:hyperlink r:id="rQuimby"><w:r><w:t>, see this</w:t></w:r></w:hyperlink></w:p>
<w:p><w:r><w:instrText>HYPERLINK quimby</w:instrText></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Agent</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>Customer: box</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>Customer: box</w:t></w:r></mc:Fallback></mc:AlternateContent>
<w:drawing><wp:docPr descr="Quimby"/></w:drawing></w:p></w:body></w:document>`

func TestDOCX(t *testing.T) {
	data := packed(t, map[string]string{
		mainDocument: docxBody, "docProps/core.xml": "<a>Quimby</a>", "word/comments.xml": "<w:t>Quimby</w:t>", "word/header1.xml": "<w:t>Quimby</w:t>",
		"word/_rels/document.xml.rels": `<R Target="http://quimby"/>`, "word/media/quimby.png": "x",
	})
	if IsOffice(data) != DOCX {
		t.Fatal("it is not recognized")
	}
	d, err := ReadDOCX(t.Context(), data, Limits{})
	texts, _, encoded := said(t, d, err)
	const want = "Ines Quimby|hello there, see this\nAgent|one two\nCustomer|box\n"
	if texts != want {
		t.Errorf("got %q, want %q", texts, want)
	}
	again, err := ReadDOCX(t.Context(), encoded, Limits{})
	if texts, _, _ := said(t, again, err); texts != "[S]|[X]\n[S]|[X]\n[S]|[X]\n" {
		t.Errorf("again: %q", texts)
	}
	if _, err := ReadDOCX(t.Context(), data, Limits{Decoded: 200}); !errors.Is(err, table.ErrTooLarge) {
		t.Errorf("beyond the limit: %v", err)
	}
	for _, bad := range []string{"", "<w:p>", "<a></b>"} {
		if _, err := ReadDOCX(t.Context(), packed(t, map[string]string{mainDocument: bad}), Limits{}); err == nil && bad != "" {
			t.Errorf("%q is read", bad)
		}
	}
}

// Tables keep their cells: those of fields and values, and those of utterances.
func TestTablesOfDOCX(t *testing.T) {
	cell := func(texts ...string) string {
		return "<w:tr><w:tc><w:p><w:r><w:t>" + strings.Join(texts, "</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>") + "</w:t></w:r></w:p></w:tc></w:tr>"
	}
	data := packed(t, map[string]string{mainDocument: `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Ines: before</w:t></w:r></w:p>` +
		"<w:tbl>" + cell("Job Name", "quimby call") + cell("Audio Duration", "3m 2.89s") + "</w:tbl>" +
		"<w:tbl>" + cell("Start", "Speaker", "Transcription") + cell("0:00:00.4", "Ines Quimby", "hello there") + cell("0:00:06.3", "Customer", "good, thanks") + "</w:tbl>" +
		"<w:tbl>" + cell("one", "two", "three") + "</w:tbl></w:body></w:document>"})
	d, err := ReadDOCX(t.Context(), data, Limits{})
	_, _, encoded := said(t, d, err)
	p, err := open(t.Context(), encoded, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := p.each(mainDocument, func(token xml.Token) error {
		switch x := token.(type) {
		case xml.CharData:
			got.Write(x)
		case xml.EndElement:
			got.WriteString(map[string]string{"tc": "|", "tr": "/", "tbl": "$", "document": ""}[x.Name.Local])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const want = "[S]: [X][O]|[GENERIC_ID]|/[O]|[O]|/$Start|Speaker|Transcription|/0:00:00.4|[S]|[X]|/0:00:06.3|Customer|[X]|/$[O]|[O]|[O]|/$"
	if s := strings.TrimSpace(got.String()); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestXLSX(t *testing.T) {
	data := packed(t, map[string]string{
		workbook:    `<workbook><sheets><sheet name="Quimby" sheetId="1"/></sheets><definedName name="Quimby">x</definedName></workbook>`,
		sharedTexts: `<sst><si><t>speaker</t></si><si><r><t>te</t></r><r><t>xt</t></r><rPh><t>Quimby</t></rPh></si><si><t>Ines Quimby</t></si></sst>`,
		sheetFolder + "/sheet1.xml": `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>start</t></is></c></row>
<row><c r="A2" t="s"><v>2</v></c><c r="B2" t="str"><f>"Quimby"</f><v>hello, "you"</v></c><c r="D2"><v>1.5</v></c></row></sheetData><legacyDrawing r:id="Quimby"/></worksheet>`,
		"xl/comments1.xml": "<t>Quimby</t>", "docProps/app.xml": "Quimby",
	})
	if IsOffice(data) != XLSX {
		t.Fatal("it is not recognized")
	}
	d, err := ReadXLSX(t.Context(), data, Limits{}, table.Columns{})
	texts, out, _ := said(t, d, err)
	if texts != "Ines Quimby|hello, \"you\"\n" {
		t.Errorf("got %q", texts)
	}
	for _, part := range []string{`<c><v>1.5</v></c>`, `>[X]<`, `>speaker<`, `name="Sheet1"`} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %s:\n%s", part, out)
		}
	}
	often := packed(t, map[string]string{workbook: "<a/>", sharedTexts: "<sst><si><t>" + strings.Repeat("a", 1000) + "</t></si></sst>",
		sheetFolder + "/sheet1.xml": "<s><row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, 100) + "</row></s>"})
	wide := packed(t, map[string]string{workbook: "<a/>", sheetFolder + "/sheet1.xml": `<s><row><c r="XFD1"><v>1</v></c></row>` + strings.Repeat("<row/>", 2000) + "</s>"})
	for _, large := range [][]byte{often, wide} {
		if _, err := ReadXLSX(t.Context(), large, Limits{Decoded: 50_000}, table.Columns{}); !errors.Is(err, table.ErrTooLarge) {
			t.Errorf("much of little: %v", err)
		}
	}
	for _, bad := range []string{`<c r="A1" t="s"><v>7</v></c>`, `<c r="B1"><v>1</v></c><c r="A1"><v>2</v></c>`, `<c r="ZZZZZZ1"><v>1</v></c>`} {
		bad = `<worksheet><sheetData><row>` + bad + `</row></sheetData></worksheet>`
		if _, err := ReadXLSX(t.Context(), packed(t, map[string]string{workbook: "<a/>", sheetFolder + "/sheet1.xml": bad}), Limits{}, table.Columns{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func TestDatesOfWorksheets(t *testing.T) {
	for _, c := range []struct{ workbook, style, number, want string }{
		{"", "1", "45720", "2025-03-04"},
		{"", "1", "45720.6458333333", "2025-03-04 15:30:00"},
		{"", "1", "0.42013888888888", "10:05:00"},
		{"", "2", "45720", "2025-03-04"},
		{"", "0", "45720", "45720"},
		{"", "3", "45720", "45720"},
		{"", "4", "45720", "45720"},
		{"", "1", "-1", "-1"},
		{"", "1", "1e300", "1e300"},
		{"", "1", "NaN", "NaN"},
		{"", "1", "1", "1900-01-01"},
		{"", "1", "61", "1900-03-01"},
		{"", "5", "45720", "2025-03-04"},
		{"", "9", "45720", "45720"},
		{`<workbookPr date1904="1"/>`, "1", "44258", "2025-03-04"},
	} {
		d, err := ReadXLSX(t.Context(), packed(t, map[string]string{
			workbook: "<workbook>" + c.workbook + "</workbook>",
			cellStyles: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\-mmm;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/>` +
				`<numFmt numFmtId="167" formatCode="[Magenta]yyyy"/><numFmt numFmtId="166" formatCode="0.0 &quot;days&quot;;[Red]\d0"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
				`<cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>`,
			sheetFolder + "/sheet1.xml": `<s><row><c t="str"><v>text</v></c></row><row><c s="` + c.style + `"><v>` + c.number + `</v></c></row></s>`,
		}), Limits{}, table.Columns{})
		if texts, _, _ := said(t, d, err); texts != "|"+c.want+"\n" {
			t.Errorf("%+v: got %q", c, texts)
		}
	}
}

// Numbers of worksheets have gaps where one was deleted, and the output can be read again.
func TestEveryWorksheetIsRead(t *testing.T) {
	part := func(text string) string {
		return `<worksheet><sheetData><row><c t="str"><v>text</v></c></row><row><c t="str"><v>` + text + `</v></c></row></sheetData></worksheet>`
	}
	const declared = `<workbook><sheets><sheet name="a"/><sheet name="b"/><sheet name="c"/></sheets></workbook>`
	d, err := ReadXLSX(t.Context(), packed(t, map[string]string{
		workbook: declared, sheetFolder + "/sheet2.xml": part("one"), sheetFolder + "/sheet4.xml": part("two"), sheetFolder + "/sheet10.xml": part("three"),
	}), Limits{}, table.Columns{})
	texts, _, data := said(t, d, err)
	if texts != "|one\n|two\n|three\n" {
		t.Errorf("got %q", texts)
	}
	again, err := ReadXLSX(t.Context(), data, Limits{}, table.Columns{})
	if texts, _, _ := said(t, again, err); texts != "|[X]\n|[X]\n|[X]\n" {
		t.Errorf("again: %q", texts)
	}
	if _, err := ReadXLSX(t.Context(), packed(t, map[string]string{workbook: declared, sheetFolder + "/sheet1.xml": part("one")}), Limits{}, table.Columns{}); err == nil {
		t.Error("sheets are missing, and the file is read")
	}
}

func TestMail(t *testing.T) {
	const body = "From: Quimby <quimby@example.com>\r\nTo: b@quimby.example\r\nMessage-ID: <quimby>\r\nSubject: =?utf-8?q?for_Quimby?=\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n" +
		"--a\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nAgent: gr=FC=DF dich=\r\n!\r\n--a\r\n" +
		"Content-Type: text/html\r\n\r\n<p>again</p>\r\n--a--\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=quimby.txt\r\n\r\nQuimby\r\n" +
		"--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: Quimby\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+Q3VzdG9tZXI6IGJ5ZTwvcD4=\r\n--b--\r\n"
	d, err := ReadMail([]byte(body), Limits{})
	texts, out, _ := said(t, d, err)
	if texts != "|for Quimby\nAgent|grüß dich!\nCustomer|bye\n" {
		t.Errorf("got %q", texts)
	}
	again, err := ReadMail([]byte(out), Limits{})
	if texts, _, _ := said(t, again, err); texts != "|[X]\n[S]|[X]\n[S]|[X]\n" {
		t.Errorf("again: %q of\n%s", texts, out)
	}
	if _, err := ReadMail([]byte("no mail"), Limits{}); err == nil {
		t.Error("a text is an e-mail")
	}
}

func TestHTML(t *testing.T) {
	d, err := ReadHTML(`<!DOCTYPE html><html><head><title>Quimby</title><style>.quimby{}</style></head><body data-x="Quimby"><!-- Quimby -->
<script>var quimby</script><div>Ines <b>Quimby</b>: he<i>llo</i> <a href="https://quimby" title="Quimby">you</a></div><ul><li>Agent: one<li>Agent: 1 &lt; 2</ul>
<table><tr><th>Customer</th><td>three<br>four</td></tr></table><img alt="Quimby"></body></html>`, Limits{})
	texts, out, _ := said(t, d, err)
	if texts != "Ines Quimby|hello you\nAgent|one\nAgent|1 < 2\nCustomer|three four\n" {
		t.Errorf("got %q", texts)
	}
	again, err := ReadHTML(out, Limits{})
	if texts, _, _ := said(t, again, err); texts != strings.Repeat("[S]|[X]\n", 4) {
		t.Errorf("again: %q", texts)
	}
	if _, err := ReadHTML(strings.Repeat("<div>", 5000), Limits{}); err == nil {
		t.Error("a page that is nested without end is read")
	}
}

// Small files that become large ones are refused before they are in memory: one long text, many lines, cells and elements.
func TestDocumentsAreBounded(t *testing.T) {
	limits := Limits{Text: 100_000, Parts: 1000}
	word := func(body string) func() (*transcript.Document, error) {
		return func() (*transcript.Document, error) {
			return ReadDOCX(t.Context(), packed(t, map[string]string{mainDocument: "<d>" + body + "</d>"}), limits)
		}
	}
	book := func(parts map[string]string) func() (*transcript.Document, error) {
		parts[workbook] = "<a/>"
		return func() (*transcript.Document, error) {
			return ReadXLSX(t.Context(), packed(t, parts), limits, table.Columns{})
		}
	}
	sheet, long := sheetFolder+"/sheet1.xml", strings.Repeat("my ", 50_000)
	for name, read := range map[string]func() (*transcript.Document, error){
		"a long text":          word("<p><t>" + long + "</t></p>"),
		"many paragraphs":      word(strings.Repeat("<p><t>a</t></p>", 2000)),
		"many cells of a row":  word("<tbl><tr>" + strings.Repeat("<tc><p><t>a</t></p></tc>", 2000) + "</tr></tbl>"),
		"a long cell":          word("<tbl><tr><tc><p><t>" + long + "</t></p></tc></tr></tbl>"),
		"many texts of a book": book(map[string]string{sharedTexts: "<s>" + strings.Repeat("<si/>", 2000) + "</s>", sheet: "<s/>"}),
		"many styles":          book(map[string]string{cellStyles: "<s><cellXfs>" + strings.Repeat("<xf/>", 2000) + "</cellXfs></s>", sheet: "<s/>"}),
		"a text in many cells": book(map[string]string{sharedTexts: "<s><si><t>" + long[:2000] + "</t></si></s>", sheet: "<s>" + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 100) + "</s>"}),
		"many empty cells":     book(map[string]string{sheet: `<s>` + strings.Repeat(`<row><c r="AAA1"><v>1</v></c></row>`, 3) + `</s>`}),
		"a long page":          func() (*transcript.Document, error) { return ReadHTML("<html>"+long, limits) },
		"many elements":        func() (*transcript.Document, error) { return ReadHTML("<html>"+strings.Repeat("<b>", 2000), limits) },
		"many elements in mail": func() (*transcript.Document, error) {
			return ReadMail([]byte("Content-Type: text/html\r\n\r\n"+strings.Repeat("<b>", 2000)), limits)
		},
		"a long mail": func() (*transcript.Document, error) { return ReadMail([]byte("Subject: a\r\n\r\n"+long), limits) },
		"many lines of a mail": func() (*transcript.Document, error) {
			return ReadMail([]byte("Subject: a\r\n\r\n"+strings.Repeat("a\n", 2000)), limits)
		},
		"a table within a table": func() (*transcript.Document, error) {
			return ReadHTML("<html>"+strings.Repeat("<table><tr><td>", 100)+long[:2000], limits)
		},
	} {
		if _, err := read(); !errors.Is(err, table.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := word(strings.Repeat("<tbl><tr><tc>", 2000))(); err == nil {
		t.Error("a document of thousands of nested tables is read")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := ReadDOCX(ended, packed(t, map[string]string{mainDocument: "<d><p><t>a</t></p></d>"}), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the reading goes on after the end of the request: %v", err)
	}
}
