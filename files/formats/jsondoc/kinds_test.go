package jsondoc

import (
	"strings"
	"testing"

	"sotto/files/formats/jsontree"
)

// others are the texts of a document that are anonymized besides its turns, and the labels.
func others(t *testing.T, doc string) (texts, plain, labels []string) {
	t.Helper()
	d, _, err := Read(doc, "json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Calls {
		for _, o := range c.Others {
			if o.Plain {
				plain = append(plain, o.Text)
			} else {
				texts = append(texts, o.Text)
			}
		}
		for _, l := range c.Labels {
			labels = append(labels, l.Speaker.Label)
		}
	}
	return texts, plain, labels
}

// A value in the place of a speaker is a speaker, whatever the word means elsewhere.
func TestAValueInThePlaceOfASpeakerIsASpeaker(t *testing.T) {
	for _, doc := range []string{
		`{"speaker": {"name": null, "id": "Roger"}}`, `{"speaker_id": "Roger", "speaker_name": ""}`, `{"userId": "Roger"}`,
		`{"x": [{"author": {"displayName": "Roger"}}]}`, `{"participant": [{"id": "Roger"}]}`,
	} {
		if texts, plain, labels := others(t, doc); strings.Join(labels, " ") != "Roger" || len(texts) > 0 {
			t.Errorf("%s: labels %q, texts %q %q", doc, labels, texts, plain)
		}
	}
	if texts, plain, labels := others(t, `{"speaker": "spk_0", "user": {"id": "6b1c2d3e-2222-4333-8333-444444444444"}, "speakerId": 3}`); len(texts)+len(labels) > 0 {
		t.Errorf("labels %q, texts %q %q", labels, texts, plain)
	}
}

// What looks like an identifier of a program is one, as a key and as a value, unless all its words may be names.
func TestIdentifiersOfPrograms(t *testing.T) {
	texts, plain, labels := others(t, `{"max_lines": 2, "start_timestamp_millis": 1200, "boost_param": "EVENT", "output_locale": "en-US", "No_Closing_Remark": "No_Closing_Remark",
		"media": "application/vnd.example.call+json", "ines_larkmoor": "INES_LARKMOOR", "path": "recordings/ines-larkmoor/call", "zib_quimbolt": "QUIMBOLT", "account_6045550134": true, "note": "Ines called"}`)
	if len(labels) > 0 || strings.Join(texts, "|") != "ines larkmoor|INES_LARKMOOR|recordings/ines-larkmoor/call|QUIMBOLT|account 6045550134|Ines called" {
		t.Errorf("masked %q, plain %q, labels %q", texts, plain, labels)
	}
}

func TestTimesOfSecondsAndNanoseconds(t *testing.T) {
	for doc, want := range map[string]int64{
		`{"seconds":"1","nanos":300000000}`: 1300, `{"seconds":2}`: 2000, `{"nanos":900000000}`: 900, `1.5`: 1500, `"2.25s"`: 2250,
	} {
		n, err := jsontree.Parse(doc)
		if got := millis(n, 1000); err != nil || got == nil || *got != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
	if n, _ := jsontree.Parse(`{"x": 1}`); millis(n, 1000) != nil {
		t.Error("an object without a time has one")
	}
}
