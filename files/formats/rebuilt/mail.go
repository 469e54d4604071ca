package rebuilt

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
)

// The formats of this file.
const (
	Mail = "eml"
	HTML = "html"
)

var (
	errMail = errors.New("it is no e-mail that can be read; save it as text")
	errHTML = errors.New("it is no web page that can be read; save it as text")
)

// maxParts bounds the nesting of an e-mail.
const maxParts = 16

// ReadMail reads the subject and the text of an e-mail: of the forms of one text the plain one, and no attachments.
// Addresses and all other headers stay behind.
func ReadMail(data []byte, l Limits) (*transcript.Document, error) {
	m, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return nil, errMail
	}
	b := l.budget()
	text, _, err := textOf(m.Header.Get, m.Body, maxParts, b)
	if err != nil {
		return nil, err
	}
	decoder := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	subject, err := decoder.DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return nil, errMail
	}
	subject = strings.Join(strings.Fields(subject), " ")
	answers := replyMarks.FindString(subject)
	about := &transcript.Turn{Text: subject[len(answers):], Set: func(clean string) { subject = answers + clean }}
	d, err := document(text, b, func(text string) ([]byte, error) { return writeMail(subject, text) })
	if err != nil {
		return nil, err
	}
	if about.Text != "" {
		d.Calls[0].Turns = append([]*transcript.Turn{about}, d.Calls[0].Turns...)
	}
	return d, nil
}

// replyMarks are those of answers and of forwarded messages before a subject, in several languages.
var replyMarks = regexp.MustCompile(`^(?i:(?:re|aw|fwd?|wg|tr|rv|sv|vs|antw|doorst|enc|res|i|r)(?:\[\d{1,2}\])?:[ ]?)+`)

// textOf returns the text of a part, and whether it has one.
func textOf(header func(string) string, body io.Reader, depth int, b *budget) (text string, ok bool, err error) {
	kind, parameters, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	if disposition, _, _ := mime.ParseMediaType(header("Content-Disposition")); disposition == "attachment" || depth == 0 {
		return "", false, nil
	}
	if strings.HasPrefix(kind, "multipart/") {
		return textOfParts(multipart.NewReader(body, parameters["boundary"]), kind, depth, b)
	}
	switch strings.ToLower(strings.TrimSpace(header("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	switch kind {
	case "message/rfc822":
		m, err := mail.ReadMessage(body)
		if err != nil {
			return "", false, errMail
		}
		return textOf(m.Header.Get, m.Body, depth-1, b)
	case "text/plain", "text/html":
	default:
		return "", false, nil
	}
	if label := parameters["charset"]; label != "" {
		if body, err = charset.NewReaderLabel(label, body); err != nil {
			return "", false, errMail
		}
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return "", false, errMail
	}
	if kind == "text/html" {
		text, err := textOfHTML(string(data), b)
		return text, true, err
	}
	if err := b.take(0, len(data)); err != nil {
		return "", false, err
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFFFD"), true, nil
}

// textOfParts joins the texts of the parts of an e-mail; of alternatives it takes the first.
func textOfParts(parts *multipart.Reader, kind string, depth int, b *budget) (string, bool, error) {
	var all []string
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", false, errMail
		}
		text, ok, err := textOf(part.Header.Get, part, depth-1, b)
		if err != nil {
			return "", false, err
		}
		if ok && (kind != "multipart/alternative" || len(all) == 0) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n"), len(all) > 0, nil
}

func writeMail(subject, text string) ([]byte, error) {
	var out bytes.Buffer
	if subject != "" {
		out.WriteString("Subject: " + mime.QEncoding.Encode("utf-8", subject) + "\r\n")
	}
	out.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(&out)
	_, err := io.WriteString(w, text)
	err = errors.Join(err, w.Close()) // which writes the last line
	return out.Bytes(), err
}

// ReadHTML reads the text of a web page. Each element that begins a line in a browser begins one here.
func ReadHTML(page string, l Limits) (*transcript.Document, error) {
	b := l.budget()
	text, err := textOfHTML(page, b)
	if err != nil {
		return nil, err
	}
	return document(text, b, writeHTML)
}

// unseen are the elements of which the text is not shown.
var unseen = harmless.Set("head script style template noscript svg math textarea select object iframe")

// inline are the elements that begin no line.
var inline = harmless.Set("a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time u var wbr img")

func textOfHTML(page string, b *budget) (string, error) {
	// Each bracket may begin an element, of which the tree takes some hundred bytes.
	if err := b.take(strings.Count(page, "<"), 0); err != nil {
		return "", err
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", errHTML
	}
	l := lines{budget: b}
	appendHTML(&l, root)
	l.end()
	return l.out.String(), l.err
}

func appendHTML(l *lines, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		l.add(n.Data)
		return
	case n.Type == html.ElementNode && unseen[n.Data]:
		return
	case n.Type == html.ElementNode && n.Data == "tr":
		l.end()
		l.add(row(l.cellsOf(n)))
		l.end()
		return
	}
	block := n.Type == html.ElementNode && !inline[n.Data]
	if block {
		l.end()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		appendHTML(l, c)
	}
	if block {
		l.end()
	}
}

func (l *lines) cellsOf(n *html.Node) (cells []string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			cell := lines{budget: l.budget}
			appendHTML(&cell, c)
			cell.end()
			l.err = cmp.Or(l.err, cell.err)
			cells = append(cells, cell.out.String())
		}
	}
	return cells
}

func writeHTML(text string) ([]byte, error) {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Transcript</title>\n")
	for line := range strings.Lines(text) {
		b.WriteString("<p>" + html.EscapeString(strings.TrimSuffix(line, "\n")) + "</p>\n")
	}
	b.WriteString("</html>\n")
	return []byte(b.String()), nil
}
