package serve

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"sotto/serve/presidio"
)

// The requests of these tests have the shapes of Presidio's API documentation.

func TestPresidioAnalyze(t *testing.T) {
	r := start(t)
	var got []presidio.Result
	r.post("/analyze", `{"text":"My name is Ines Quimby, call 604 555 0134","language":"en"}`, http.StatusOK, &got)
	want := []presidio.Result{{EntityType: "PERSON", Start: 11, End: 22}, {EntityType: "PHONE_NUMBER", Start: 29, End: 41}}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i].Score <= 0 || got[i].Score > 1 || got[i].Explanation != nil {
			t.Errorf("%+v", got[i])
		}
		if got[i].Score = 0; got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	var lists [][]presidio.Result
	r.post("/analyze", `{"text":["My name is Ines Quimby","the 3rd line","Señora, my name is Ines Quimby"],"language":"en"}`, http.StatusOK, &lists)
	if len(lists) != 3 || len(lists[0]) != 1 || lists[1] == nil ||
		!slices.ContainsFunc(lists[2], func(r presidio.Result) bool { return r.EntityType == "PERSON" && r.Start == 19 && r.End == 30 }) {
		t.Errorf("%+v", lists)
	}
}

func TestPresidioAnalyzeFilters(t *testing.T) {
	r := start(t)
	const text = `"text":"My name is Ines Quimby, my zip code is 12345, call 604 555 0134","language":"en"`
	found := func(more string) string {
		var got []presidio.Result
		r.post("/analyze", "{"+text+more+"}", http.StatusOK, &got)
		var types []string
		for _, g := range got {
			types = append(types, g.EntityType)
		}
		return strings.Join(types, " ")
	}
	for _, c := range []struct{ more, want string }{
		{`,"entities":["PERSON"]`, "PERSON"},
		{`,"entities":["PERSON_NAME","PHONE_NUMBER","UNHEARD_OF"]`, "PERSON PHONE_NUMBER"},
		{`,"score_threshold":1.1`, ""},
		{`,"entities":["PERSON"],"allow_list":["Ines Quimby"]`, ""},
		{`,"entities":["PERSON"],"allow_list":["Ines"]`, "PERSON"},
		{`,"entities":["PERSON"],"allow_list":["qui.by$"],"allow_list_match":"regex"`, ""},
		{`,"entities":["PERSON"],"allow_list":["qui.by$"],"allow_list_match":"regex","regex_flags":0`, "PERSON"},
		{`,"entities":["ZIP"],"correlation_id":"x","trace":false,"context":["zip"],"ad_hoc_recognizers":[{"name":"Zip code Recognizer","supported_language":"en",
			"patterns":[{"name":"zip code (weak)","regex":"(\\b\\d{5}(?:\\-\\d{4})?\\b)","score":0.01}],"context":["zip","code"],"supported_entity":"ZIP"}]`, "ZIP"},
		{`,"entities":["TITLE"],"ad_hoc_recognizers":[{"supported_entity":"TITLE","deny_list":["ZIP","code"]}]`, "TITLE TITLE"},
	} {
		if got := found(c.more); got != c.want {
			t.Errorf("%s: got %q, want %q", c.more, got, c.want)
		}
	}
	var got []presidio.Result
	r.post("/analyze", "{"+text+`,"entities":["PERSON"],"return_decision_process":true}`, http.StatusOK, &got)
	if got[0].Explanation == nil || got[0].Explanation.Recognizer == "" {
		t.Errorf("no explanation: %+v", got[0])
	}
}

func TestPresidioAnonymize(t *testing.T) {
	r := start(t)
	var got presidio.AnonymizeResponse
	r.post("/anonymize", `{
        "text": "hello world, my name is Jane Doe. My number is: 034453334",
        "anonymizers": {
            "DEFAULT": { "type": "replace", "new_value": "ANONYMIZED" },
            "PHONE_NUMBER": { "type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": true }
        },
        "analyzer_results": [
            { "start": 24, "end": 32, "score": 0.8, "entity_type": "NAME" },
            { "start": 24, "end": 28, "score": 0.8, "entity_type": "FIRST_NAME" },
            { "start": 29, "end": 32, "score": 0.6, "entity_type": "LAST_NAME" },
            { "start": 48, "end": 57,  "score": 0.95, "entity_type": "PHONE_NUMBER" }
        ]
    }`, http.StatusOK, &got)
	if got.Text != "hello world, my name is ANONYMIZED. My number is: 03445****" {
		t.Errorf("got %q", got.Text)
	}
	want := []presidio.Item{{Operator: "mask", EntityType: "PHONE_NUMBER", Start: 50, End: 59, Text: "03445****"}, {Operator: "replace", EntityType: "NAME", Start: 24, End: 34, Text: "ANONYMIZED"}}
	if !slices.Equal(got.Items, want) {
		t.Errorf("got %+v", got.Items)
	}
}

func TestPresidioOperators(t *testing.T) {
	r := start(t)
	anonymize := func(operator string) string {
		var got presidio.AnonymizeResponse
		r.post("/anonymize", `{"text":"é Jane!","analyzer_results":[{"start":2,"end":6,"score":1,"entity_type":"PERSON"}]`+operator+`}`, http.StatusOK, &got)
		return got.Text
	}
	for _, c := range []struct{ operator, want string }{
		{``, "é <PERSON>!"},
		{`,"anonymizers":{"PHONE":{"type":"keep"}}`, "é <PERSON>!"},
		{`,"anonymizers":{"PERSON":{"type":"redact"}}`, "é !"},
		{`,"anonymizers":{"DEFAULT":{"type":"keep"}}`, "é Jane!"},
		{`,"anonymizers":{"DEFAULT":{"type":"replace","new_value":""}}`, "é !"},
		{`,"anonymizers":{"PERSON":{"type":"mask","masking_char":"#","chars_to_mask":2}}`, "é ##ne!"},
		{`,"anonymizers":{"PERSON":{"type":"mask","masking_char":"#","chars_to_mask":99}}`, "é ####!"},
	} {
		if got := anonymize(c.operator); got != c.want {
			t.Errorf("%s: got %q, want %q", c.operator, got, c.want)
		}
	}
	salted := `,"anonymizers":{"PERSON":{"type":"hash","hash_type":"sha512","salt":"s"}}`
	if got := anonymize(salted); len([]rune(got)) != 3+128 || got != anonymize(salted) {
		t.Errorf("hash with a salt: %q", got)
	}
	unsalted := `,"anonymizers":{"PERSON":{"type":"hash"}}`
	if first := anonymize(unsalted); first == anonymize(unsalted) {
		t.Error("hashes without a salt can be compared")
	}
	for _, bad := range []string{`{"type":"encrypt","key":"1111111111111111"}`, `{"type":"hash","hash_type":"md5"}`, `{"type":"mask","masking_char":"##","chars_to_mask":1}`} {
		r.post("/anonymize", `{"text":"Jane","analyzer_results":[{"start":0,"end":4,"entity_type":"PERSON","score":1}],"anonymizers":{"PERSON":`+bad+`}}`, http.StatusUnprocessableEntity, nil)
	}
}

func TestPresidioLists(t *testing.T) {
	r := start(t)
	var names []string
	for path, want := range map[string]string{"/supportedentities?language=en": "CREDIT_CARD", "/recognizers?language=en": "pattern", "/anonymizers": "mask"} {
		r.do("GET", path, "", "", http.StatusOK, &names)
		if !slices.Contains(names, want) {
			t.Errorf("%s: %v", path, names)
		}
	}
	r.do("GET", "/health", "", "", http.StatusOK, nil)
	r.do("GET", "/openapi.yaml", "", "", http.StatusOK, nil)
}
