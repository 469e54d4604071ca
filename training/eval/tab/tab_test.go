package tab

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"sotto/internal/gold"
	"sotto/training/eval"
)

// invented is a document of two annotators, who agree about the name and not about the town. An entity has two
// mentions, one of them on the second line, behind a letter of two bytes.
const invented = `[{"doc_id": "d-1", "dataset_type": "test", "quality_checked": true,
 "text": "Orla Bramwick, a miller, sued.\nZoë met Orla Bramwick in Thorpe, in 1994.",
 "annotations": {
  "annotator2": {"entity_mentions": [
   {"entity_type": "PERSON", "entity_mention_id": "m1", "start_offset": 0, "end_offset": 13, "span_text": "Orla Bramwick", "identifier_type": "DIRECT", "entity_id": "e1", "confidential_status": "NOT_CONFIDENTIAL"},
   {"entity_type": "PERSON", "start_offset": 39, "end_offset": 52, "span_text": "Orla Bramwick", "identifier_type": "QUASI", "entity_id": "e1"},
   {"entity_type": "DEM", "start_offset": 17, "end_offset": 23, "span_text": "miller", "identifier_type": "QUASI", "entity_id": "e2"},
   {"entity_type": "LOC", "start_offset": 56, "end_offset": 62, "span_text": "Thorpe", "identifier_type": "NO_MASK", "entity_id": "e3"}]},
  "annotator1": {"entity_mentions": [
   {"entity_type": "PERSON", "start_offset": 0, "end_offset": 13, "span_text": "Orla Bramwick", "identifier_type": "DIRECT", "entity_id": "e1"},
   {"entity_type": "PERSON", "start_offset": 39, "end_offset": 52, "span_text": "Orla Bramwick", "identifier_type": "DIRECT", "entity_id": "e1"},
   {"entity_type": "LOC", "start_offset": 56, "end_offset": 62, "span_text": "Thorpe", "identifier_type": "QUASI", "entity_id": "e3"}]}}}]`

// words masks every occurrence of these words.
type words []string

func (w words) Anonymize(c *gold.Conversation) ([][]eval.Mask, error) {
	masks := make([][]eval.Mask, len(c.Utterances))
	for i, u := range c.Utterances {
		for _, x := range w {
			if before, _, found := strings.Cut(u.Text, x); found {
				start := len([]rune(before))
				masks[i] = append(masks[i], eval.Mask{Start: start, End: start + len([]rune(x))})
			}
		}
	}
	return masks, nil
}

func TestADocumentOfTwoAnnotators(t *testing.T) {
	documents, err := Read(strings.NewReader(invented), "tab.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		masks                         words
		direct, quasi, all, precision eval.Share
	}{
		{words{}, eval.Share{Whole: 2}, eval.Share{Whole: 2}, eval.Share{Whole: 4}, eval.Share{}},
		// The name is masked in one of two lines only, so no entity is.
		{words{"Bramwick, a"}, eval.Share{Whole: 2}, eval.Share{Whole: 2}, eval.Share{Whole: 4}, eval.Share{Part: 2, Whole: 4}},
		{words{"Orla Bramwick"}, eval.Share{Part: 2, Whole: 2}, eval.Share{Whole: 2}, eval.Share{Part: 2, Whole: 4}, eval.Share{Part: 8, Whole: 8}},
		// Both are quasi-identifiers, each to one annotator; to the other one they are masked without need.
		{words{"Orla Bramwick", "miller", "Thorpe"}, eval.Share{Part: 2, Whole: 2}, eval.Share{Part: 2, Whole: 2}, eval.Share{Part: 4, Whole: 4}, eval.Share{Part: 10, Whole: 12}},
	} {
		r, err := Measure(documents, c.masks)
		if err != nil || r.Documents != 1 || r.Annotations != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r.Direct != c.direct || r.Quasi != c.quasi || r.All != c.all || r.Precision != c.precision {
			t.Errorf("%q: direct %d, quasi %d, all %d, precision %d", c.masks, r.Direct, r.Quasi, r.All, r.Precision)
		}
	}
}

// A frequent word that is masked without need costs less than a rare one.
func TestPrecisionIsWeightedByInformation(t *testing.T) {
	documents, err := Read(strings.NewReader(invented), "tab.json")
	if err != nil {
		t.Fatal(err)
	}
	share := func(w ...string) float64 {
		r, err := Measure(documents, words(w))
		if err != nil {
			t.Fatal(err)
		}
		return r.Weighted.part / r.Weighted.whole
	}
	if often, rarely := share("Orla Bramwick", "in"), share("Orla Bramwick", "sued"); often <= rarely || often >= 1 {
		t.Errorf("%v with a frequent word, %v with a rarer one", often, rarely)
	}
	if the, miller, bramwick := information("the"), information("miller"), information("Bramwick"); the != frequentBits || the >= miller || miller >= bramwick {
		t.Errorf("%v, %v, %v", the, miller, bramwick)
	}
	if got := information("1994"); math.Abs(got-4*math.Log2(10)) > 1e-9 {
		t.Errorf("a year has %v bits", got)
	}
}

func TestCallsAsDocuments(t *testing.T) {
	c := gold.Conversation{Utterances: []gold.Utterance{
		{Text: "Zoë Harb in Leeds on Monday", Entities: []gold.Span{{Start: 0, End: 8, Type: "PERSON_NAME"}, {Start: 12, End: 17, Type: "LOCATION"}, {Start: 21, End: 27, Type: "DATE"}}},
		{Text: "zoë harb", Entities: []gold.Span{{Start: 0, End: 8, Type: "PERSON_NAME"}}},
	}}
	documents := FromCalls([]gold.Conversation{c}, &eval.Options{})
	r, err := Measure(documents, words{"Zoë Harb", "Monday"})
	if err != nil {
		t.Fatal(err)
	}
	// The name is read on the second line; the date is not scored, so masking it is neither right nor wrong.
	if r.Direct != (eval.Share{Whole: 1}) || r.Quasi != (eval.Share{Whole: 1}) || r.Precision != (eval.Share{Part: 2, Whole: 2}) {
		t.Errorf("%+v", r)
	}
	if r, err = Measure(documents, words{"Zoë Harb", "zoë harb", "Leeds"}); err != nil || r.Direct.Part != 1 || r.Quasi.Part != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if data, err := json.Marshal(r); err != nil || !strings.Contains(string(data), `"entity_recall_direct":1,`) || !strings.Contains(string(data), `"weighted_token_precision":1.000000`) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestReadErrorsNameThePlaceOnly(t *testing.T) {
	wrong := func(old, new string) string { return strings.Replace(invented, old, new, 1) }
	for _, c := range []struct{ file, want string }{
		{`{"secret": 1}`, "not an array of documents"},
		{`[]`, "is empty"},
		{`[{"doc_id": "secret"}]`, "document 1: not an object with text and annotations"},
		{`[{"text": 7}]`, "document 1: not an object with text and annotations"},
		{invented[:len(invented)-1], "ends early"},
		{wrong(`"start_offset": 0`, `"start_offset": -1`), "annotator 2, mention 1: its offsets"},
		{wrong(`"end_offset": 62`, `"end_offset": 99`), "document 1, annotator 2, mention 4: its offsets are not within the text of 72 code points"},
		{wrong(`"end_offset": 62`, `"end_offset": 61`), "is not its span_text"},
		{wrong("NO_MASK", "secret"), "identifier_type is none"},
		{wrong(`"entity_id": "e3"`, `"entity_id": ""`), "no entity_id"},
	} {
		_, err := Read(strings.NewReader(c.file), "tab.json")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "tab.json: ") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "Thorpe") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

type failing struct{}

func (failing) Anonymize(*gold.Conversation) ([][]eval.Mask, error) { return nil, errors.New("no") }

func TestMeasureNamesTheDocument(t *testing.T) {
	if _, err := Measure(make([]Document, 1), failing{}); err == nil || !strings.Contains(err.Error(), "document 1: no") {
		t.Error(err)
	}
	if _, err := Measure([]Document{{conversation: gold.Conversation{Utterances: make([]gold.Utterance, 2)}}}, recorded{}); err == nil || !strings.Contains(err.Error(), "0 lines of 2") {
		t.Error(err)
	}
}

type recorded struct{}

func (recorded) Anonymize(*gold.Conversation) ([][]eval.Mask, error) { return nil, nil }
