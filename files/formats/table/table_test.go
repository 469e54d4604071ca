package table

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/files/formats/transcript"
)

// maskAll replaces every text of a document.
func maskAll(t *testing.T, d *transcript.Document) string {
	t.Helper()
	for _, c := range d.Calls {
		for _, turn := range append(c.Turns, c.Others...) {
			if turn.Set != nil { // a missing value
				turn.Set("<X>")
			}
			if turn.SetLabel != nil {
				turn.SetLabel("<L>")
			}
		}
	}
	out, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCSVKeepsWhatItMay(t *testing.T) {
	const in = "call_id;speaker;text;start;status;note\r\nc-1;Ines;\"a; \"\"b\"\"\r\nc\";1.5;completed;x\r\n\r\nc-2;agent;plain;2;6045550134;\r\n"
	d, err := ReadCSV(in, 0, Columns{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Calls) != 2 || d.Calls[0].Turns[0].Text != "a; \"b\"\r\nc" || *d.Calls[0].Turns[0].StartMS != 1500 {
		t.Fatalf("it was read wrongly")
	}
	want := "call_id;speaker;text;start;status;<X>\r\nc-1;<L>;\"<X>\";1.5;completed;<X>\r\n\r\nc-2;agent;<X>;2;<X>;\r\n"
	if got := maskAll(t, d); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestColumns(t *testing.T) {
	const in = "who|line|n\nInes|hello|1\n"
	d, err := ReadCSV(in, 0, Columns{Keep: []string{"n"}})
	if err != nil || d.Calls[0].Turns[0].Speaker.Label != "Ines" {
		t.Fatal(err)
	}
	if !strings.Contains(d.Notes[0], "text=line") {
		t.Errorf("the guess is not told: %q", d.Notes)
	}
	if d, err = ReadCSV("Ines,hello\nTom,hi\n", 0, Columns{Speaker: "1", Text: "2"}); err != nil || len(d.Calls[0].Turns) != 2 {
		t.Errorf("without header: %v", err)
	}
	if _, err = ReadCSV("a,b\n1,2\n", 0, Columns{}); !errors.Is(err, ErrNoText) {
		t.Errorf("without a text: %v", err)
	}
	for _, c := range []Columns{{Text: "x"}, {Text: "a", Speaker: "x"}, {Text: "a", Keep: []string{"x"}}} {
		if _, err = ReadCSV("a,b\n1,2\n", 0, c); err == nil {
			t.Errorf("%+v passes", c)
		}
	}
}

func TestParquet(t *testing.T) {
	type row struct {
		Call    string   `parquet:"call_id"`
		Speaker string   `parquet:"speaker"`
		Text    *string  `parquet:"text,optional,snappy"`
		Phone   int64    `parquet:"phone"`
		Start   int64    `parquet:"start_ms"`
		Tags    []string `parquet:"labels,list"`
		Audio   []byte   `parquet:"audio"`
	}
	first, second := "hello Tom", "bye"
	in := []row{
		{"c-1", "Ines", &first, 6045550134, 10, []string{"Quimby", "Tom"}, []byte{0xff, 0, 1}},
		{"c-1", "agent", &second, 6045550135, 20, nil, nil},
		{"c-2", "agent", nil, 0, 30, nil, nil},
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.KeyValueMetadata("pandas", `{"path": "/home/quimby"}`))
	if _, err := w.Write(in); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := ReadParquet(file.Bytes(), Columns{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := maskAll(t, d)
	for _, v := range []string{"Quimby", "quimby", "Tom", "hello"} {
		if strings.Contains(out, v) {
			t.Errorf("%s is in the output", v)
		}
	}
	rows, err := parquet.Read[row](strings.NewReader(out), int64(len(out)))
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if r := rows[0]; r.Call != "c-1" || r.Speaker != "<L>" || *r.Text != "<X>" || r.Phone != 0 || r.Start != 10 || len(r.Tags) != 2 || r.Tags[1] != "<X>" || len(r.Audio) != 0 {
		t.Errorf("row 1 is %+v", r)
	}
	if rows[1].Speaker != "agent" || rows[2].Text != nil {
		t.Errorf("rows 2 and 3 are %+v", rows[1:])
	}
	if _, err := ReadParquet([]byte("PAR1 and no more PAR1"), Columns{}, 0); err == nil {
		t.Error("a broken file is read")
	}
}

// A list that has the words of the text, each for itself, repeats the text. Others are texts of their
// own, and so are further values of the columns that are known.
func TestParquetWordLists(t *testing.T) {
	type timed struct {
		Word  string  `parquet:"word"`
		Start float64 `parquet:"start"`
	}
	type row struct {
		Speaker []string `parquet:"speaker,list"`
		Text    string   `parquet:"text"`
		Words   []string `parquet:"words,list"`
		Timed   []timed  `parquet:"timed,list"`
		Topics  []string `parquet:"topics,list"`
	}
	in := []row{{
		[]string{"Ines", "Quimby"}, "I am Ines Quimby.", []string{"i", "am", "ines", "quimby"},
		[]timed{{"I", 0.1}, {"am", 0.2}, {"Ines", 0.3}, {"Quimby.", 0.4}}, []string{"I", "am", "Ines"},
	}}
	var file bytes.Buffer
	if err := parquet.Write(&file, in); err != nil {
		t.Fatal(err)
	}
	d, err := ReadParquet(file.Bytes(), Columns{Speaker: "speaker.list.element"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	turn := d.Calls[0].Turns[0]
	if len(turn.Repeats) != 2 {
		t.Fatalf("%d lists repeat the text, want 2", len(turn.Repeats))
	}
	for _, r := range turn.Repeats {
		r.Set([]transcript.Span{{First: 2, Last: 3, Text: "[N]"}})
	}
	out := maskAll(t, d)
	rows, err := parquet.Read[row](strings.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	want := row{
		[]string{"<L>", "<X>"}, "<X>", []string{"i", "am", "[N]", ""},
		[]timed{{"I", 0.1}, {"am", 0.2}, {"[N]", 0.3}, {"", 0.4}}, []string{"<X>", "<X>", "<X>"},
	}
	if !reflect.DeepEqual(rows[0], want) {
		t.Errorf("got  %+v\nwant %+v", rows[0], want)
	}
}
