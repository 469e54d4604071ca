package formats

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"sotto/detectors/lookalike"
	"sotto/files/formats/table"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.txt", "Agent: hello", "text"},
		{"", "Agent: hello", "text"},
		{"a.txt", "[00:00:01] Agent: hello", "text"},
		{"", "WEBVTT\n\n00:00.000 --> 00:01.000\nhi", "vtt"},
		{"a.txt", "1\n00:00:00,000 --> 00:00:01,000\nhi", "srt"},
		{"a.xml", "<?xml version='1.0'?><tt></tt>", "ttml"},
		{"a.csv", "a,b\n1,2", "csv"},
		{"a.tsv", "a\tb", "tsv"},
		{"", "call_id,speaker,text\nc-1,Ines,hello", "csv"},
		{"a.txt", "\"Speaker\";\"Utterance\"\r\nInes;hello\r\n", "csv"},
		{"", "start\ttranscript\n1\thello", "tsv"},
		{"", "call_id,speaker,text", "text"},
		{"", "Speaker, text me\nSpeaker: hello", "text"},
		{"", "speaker\ntext", "text"},
		{"a.json", `{"call_id":"a","seq":1,"type":"END"}`, "events"},
		{"a.jsonl", `{"call_id":"a","seq":1,"type":"START"}` + "\n" + `{"call_id":"a","seq":2,"type":"END"}`, "events"},
		{"a.jsonl", `{"text":"hi"}` + "\n" + `{"text":"ho"}`, "jsonl"},
		{"a.jsonl", `{"speaker":"A","text":"hi"}`, "jsonl"},
		{"a", `{"results":{"channels":[]}}`, "deepgram"},
		{"a", `{"monologues":[]}`, "rev"},
		{"a.json", `{"foo":1}`, ""},
		{"a.json", `[1,2]`, ""},
		{"a.json", `{"foo":`, ""},
		{"a.html", "<html></html>", ""},
		{"a.docx", "words", ""},
	} {
		got, err := Detect(c.text, c.name)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %q: got %q, %v, want %q", c.name, c.text, got, err, c.want)
		}
	}
}

// A text comes out in the encoding in which it went in, with its byte order mark and line breaks.
func TestEncodingsStay(t *testing.T) {
	const text = "Zoë: grüß dich\r\nTom: hello\r\n"
	little, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	big, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	latin, _ := charmap.ISO8859_1.NewEncoder().Bytes([]byte(text))
	for name, data := range map[string][]byte{
		"UTF-8": []byte(text), "UTF-8 with mark": append([]byte{0xEF, 0xBB, 0xBF}, text...),
		"UTF-16LE": little, "UTF-16BE": big, "UTF-16LE without mark": little[2:], "UTF-16BE without mark": big[2:], "Latin-1": latin,
	} {
		f, err := Read(context.Background(), data, Options{Format: "text"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		turns := f.Calls[0].Turns
		if len(turns) != 2 || turns[0].Text != "grüß dich" || turns[0].Speaker.Label != "Zoë" {
			t.Errorf("%s was not read", name)
		}
		if out, err := f.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s changed: %q, %v", name, out, err)
		}
		turns[1].Set("[X]")
		out, _ := f.Encode()
		if again, err := Read(context.Background(), out, Options{Format: "text"}); err != nil || again.Calls[0].Turns[1].Text != "[X]" {
			t.Errorf("%s cannot be read again", name)
		}
	}
}

func TestBinaryIsRefused(t *testing.T) {
	for _, data := range []string{"\x00\x01\x02\x03", "RIFF\x24\x00\x00\x00WAVEfmt ", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PK\x03\x04\x14\x00\x06\x00"} {
		for _, format := range []string{"", "text", "json"} {
			if _, err := Read(context.Background(), []byte(data), Options{Format: format}); !errors.Is(err, ErrBinary) {
				t.Errorf("%q as %q: %v", data, format, err)
			}
		}
	}
}

// Errors say nothing of the file.
func TestErrorsHaveNoText(t *testing.T) {
	const secret = "Quillfeather"
	for _, format := range append(Names(), "") {
		for _, data := range []string{secret, `{"` + secret + `":`, "<tt>" + secret, "a,b\n\"" + secret, "PAR1" + secret, `{"x":"` + secret + `"}`} {
			if _, err := Read(context.Background(), []byte(data), Options{Format: format}); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", format, err)
			}
		}
	}
}

// A mapping reads a document, and one a line.
func TestMapping(t *testing.T) {
	const line = `{"said":{"it":"I am Ines."},"by":1}`
	for text, calls := range map[string]int{line: 1, line + "\n\n" + line + "\n": 2} {
		f, err := Read(context.Background(), []byte(text), Options{Mapping: "turns: [{path: ., text: said.it, speaker: by}]"})
		if err != nil || len(f.Calls) != calls || f.Calls[0].Turns[0].Text != "I am Ines." {
			t.Fatalf("%v: %s", err, text)
		}
		if out, err := f.Encode(); err != nil || string(out) != text {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func TestMappingWithUnknownUnit(t *testing.T) {
	for _, mapping := range []string{
		"turns: [{path: ., text: it, unit: min}]",
		"turns: [{path: ., text: it, words: [{path: words, unit: min}]}]",
		"turns: [{path: ., text: it, repeats: [{texts: [a], words: [{path: words, unit: min}]}]}]",
	} {
		if _, err := Read(context.Background(), []byte(`{"it":"hi"}`), Options{Mapping: mapping}); err == nil || !strings.Contains(err.Error(), "unit") {
			t.Errorf("%s: %v", mapping, err)
		}
	}
}

// Whatever a file contains, reading it does not panic, and what is not replaced stays as it is.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"Agent: hi", "WEBVTT\n\n00:00.000 --> 00:01.000\n<v A>hi", "1\n00:00:00,000 --> 00:00:01,000\nhi", `<tt><p begin="1s">a<br/>b</p></tt>`,
		"call,text\n1,\"a\"\"b\"\n", "Agent: <a href=\"x\">hi</a>", `{"results":{"channels":[{"alternatives":[{"transcript":"a","words":[{"word":"a"}]}]}]}}`, `{"text":"hi"}` + "\n\n" + `{"text":"ho"}`} {
		f.Add(s, uint8(0))
	}
	names := append(Names(), "")
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		format := names[int(n)%len(names)]
		file, err := Read(context.Background(), []byte(s), Options{Format: format})
		if err != nil || file.Format == parquetFormat {
			return
		}
		// TTML drops comments, vCon recordings, captions unknown tags, and JSON hypotheses for words.
		if out, err := file.Encode(); err != nil || file.Format == textFormat && withoutAttributes(string(out)) != withoutAttributes(s) && validText(s) {
			t.Errorf("%s: %q became %q, %v", file.Format, s, out, err)
		}
	})
}

// withoutAttributes returns a text without what may stand in a tag of HTML behind its name, which is never written.
func withoutAttributes(s string) string {
	return regexp.MustCompile(`(<[^<>\s/]*)[^<>]*>`).ReplaceAllString(lookalike.Unescape(s), "$1>")
}

func validText(s string) bool {
	_, c, err := decode([]byte(s))
	return err == nil && c.encoding == nil
}

// All texts of a file together are bounded, and what separates its parts.
func TestAFileIsBounded(t *testing.T) {
	for name, limits := range map[string]Limits{"texts": {MaxText: 1000}, "parts": {MaxParts: 100}, "turns": {MaxTurns: 100}} {
		if _, err := Read(t.Context(), []byte(strings.Repeat("hello there\n", 200)), Options{Limits: limits}); !errors.Is(err, table.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(t.Context(), []byte(strings.Repeat("hello there\n", 200)), Options{Limits: LimitsOf(320 << 20)}); err != nil {
		t.Error(err)
	}
}
