package files

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is no text of a call stays: the words of a format, identifiers, types and counts.
func TestWordsOfFormatsStay(t *testing.T) {
	for name, c := range map[string]struct {
		file, raw string
		stay      []string
	}{
		"styles of WebVTT": {"a.vtt", "WEBVTT\n\nSTYLE\n::cue {\n  background-color: #101010;\n  color: white;\n}\n\nREGION\nid:r1\nwidth:40%\nlines:3\n" +
			"regionanchor:0%,100%\nscroll:up\n\n00:01.000 --> 00:02.000\nI am Ines Quimby.\n",
			[]string{"\nSTYLE\n::cue {\n  background-color: #101010;\n  color: white;\n}\n", "\nREGION\nid:r1\nwidth:40%\nlines:3\nregionanchor:0%,100%\nscroll:up\n"}},
		"models of Deepgram": {"a.json", `{"metadata":{"request_id":"0a1b2c3d-2222-4333-8333-444444444444","models":["0a1b2c3d-2222-4333-8333-444444444445"],` +
			`"model_info":{"0a1b2c3d-2222-4333-8333-444444444445":{"name":"2-general-nova","version":"2024-01-09.29447","arch":"nova-2"}}},` +
			`"results":{"channels":[{"alternatives":[{"transcript":"I am Ines Quimby.","confidence":0.9}]}]}}`,
			[]string{`"model_info":{"0a1b2c3d-2222-4333-8333-444444444445":{"name":"2-general-nova","version":"2024-01-09.29447","arch":"nova-2"}}`}},
		"usage of Whisper": {"a.json", `{"task":"transcribe","duration":31.9,"text":"I am Ines Quimby.","segments":[{"id":0,"start":0.0,"end":2.5,"text":" I am Ines Quimby."}],` +
			`"usage":{"type":"duration","seconds":32}}`, []string{`"usage":{"type":"duration","seconds":32}`}},
		"words of Call Analytics": {"a.json", `{"Participants":[{"ParticipantRole":"AGENT"}],"SessionId":"0a1b2c3d-2222-4333-8333-444444444444","Transcript":[{"Content":"I am Ines Quimby.",` +
			`"ParticipantRole":"AGENT"}],"ConversationCharacteristics":{"Interruptions":{"TotalCount":3,"TotalTimeMillis":1200}},"OverallSummary":"None"}`,
			[]string{`"SessionId":"0a1b2c3d-2222-4333-8333-444444444444"`, `{"TotalCount":3,"TotalTimeMillis":1200}`, `"OverallSummary"`}},
		"options of AssemblyAI": {"a.json", `{"status":"completed","text":"I am Ines Quimby.","words":[],"word_boost":[],"auto_highlights":true,"webhook_auth":false}`,
			[]string{`"word_boost":[],"auto_highlights":true,"webhook_auth":false`}},
		"types of Google": {"a.json", `{"name":"1","metadata":{"@type":"type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeMetadata","progressPercent":100,` +
			`"startTime":"2026-03-04T10:00:00.123456Z","lastUpdateTime":"2026-03-04T10:01:00.123456Z"},"done":true,"response":{"@type":"type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse",` +
			`"results":[{"alternatives":[{"transcript":"I am Ines Quimby."}]}]}}`,
			[]string{`"@type":"type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeMetadata","progressPercent":100,`,
				`"lastUpdateTime":"2026-03-04T10:01:00.123456Z"},"done":true,"response":{"@type":"type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse"`}},
		"media types of vCon": {"a.json", `{"vcon":"0.0.1","parties":[{"name":"Ines Quimby"}],"dialog":[{"type":"text","parties":[0],"mediatype":"text/plain","encoding":"none","body":"I am Ines Quimby."}],` +
			`"attachments":[{"mediatype":"application/json","encoding":"json","body":"{}"}]}`, []string{`"mediatype":"application/json"`}},
		"identifiers of TTML": {"a.ttml", `<?xml version="1.0" encoding="UTF-8"?><tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div><p xml:id="Ines_Quimby.1" begin="00:00:01.000" end="00:00:02.000">` +
			`I am Ines Quimby.</p><p xml:id="subtitle2" begin="00:00:03.000" end="00:00:04.000">Thanks.</p></div></body></tt>`, []string{`xml:id="id1"`, `xml:id="subtitle2"`}},
	} {
		clean, _ := anonymized(t, fileJob(t), c.file, c.raw)
		for _, s := range c.stay {
			if !strings.Contains(clean, s) {
				t.Errorf("%s: %s\nis not in\n%s", name, s, clean)
			}
		}
		if strings.Contains(clean, "Quimby") {
			t.Errorf("%s: the name is in the output", name)
		}
	}
}

// A number stays a number where it is masked, and a boolean always stays.
func TestNumbersStayNumbers(t *testing.T) {
	clean, _ := anonymized(t, fileJob(t), "a.json", `[{"speaker":"A","text":"Okay then","phone":6045550134,"ok":true,"accountid":5520461123456789}]`)
	var list []struct {
		Phone     float64 `json:"phone"`
		OK        bool    `json:"ok"`
		AccountID float64 `json:"accountid"`
	}
	if err := json.Unmarshal([]byte(clean), &list); err != nil || list[0].Phone != 0 || !list[0].OK || list[0].AccountID != 0 {
		t.Errorf("%v: %s", err, clean)
	}
}

// The names of members are masked where they are data, and two of them never become one.
func TestNamesOfMembersStayApart(t *testing.T) {
	clean, _ := anonymized(t, fileJob(t), "a.json", `{"utterances":[{"speaker":"Dana Whitlock","text":"This is Dana Whitlock."}],`+
		`"talkTime":{"Dana Whitlock":12,"Dana":13,"604-555-0134":14}}`)
	var v struct {
		TalkTime map[string]int `json:"talkTime"`
	}
	if err := json.Unmarshal([]byte(clean), &v); err != nil || len(v.TalkTime) != 3 {
		t.Errorf("%v: %s", err, clean)
	}
	for _, s := range []string{"Dana", "Whitlock", "0134"} {
		if strings.Contains(clean, s) {
			t.Errorf("%s is in %s", s, clean)
		}
	}
}

// Cues with quotes and cues that are JSON, as Microsoft Teams and Graph write them, keep their form.
func TestCuesOfTeamsKeepTheirForm(t *testing.T) {
	const quoted = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Tobias Wendover>\"Yes,\" said Ines Quimby, \"it's done.\"</v>\n"
	clean, _ := anonymized(t, fileJob(t), "a.vtt", quoted)
	if want := "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v [PERSON_NAME_1]>\"Yes,\" said [PERSON_NAME_2], \"it's done.\"</v>\n"; clean != want {
		t.Errorf("got  %s\nwant %s", clean, want)
	}
	const cue = `{"startDateTime":"2026-03-04T10:00:00.2460000Z","endDateTime":"2026-03-04T10:00:02Z","speakerName":"Tobias Wendover","spokenText":"\"Yes,\" says Ines Quimby.","spokenLanguage":"en-us"}`
	clean, _ = anonymized(t, fileJob(t), "b.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n"+cue+"\n")
	want := "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n" + strings.NewReplacer("Tobias Wendover", "[PERSON_NAME_1]", "Ines Quimby", "[PERSON_NAME_2]").Replace(cue) + "\n"
	if clean != want {
		t.Errorf("got  %s\nwant %s", clean, want)
	}
}

// What somebody adds to any object of any format is masked, whatever it is called.
func TestAddedMembersAreMaskedInEveryFormat(t *testing.T) {
	added := m{"agent_name": "Marisol Thistlewood", "note": "Marisol Thistlewood can be reached at 604-555-0177.", "Marisol Thistlewood": 3,
		"contact": 6045550177, "lastCallTime": 604555017, "contact_id": "60455501", "handled": "Thistlewood"}
	var add func(v any) any
	add = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = add(v[i])
			}
		case m:
			for k := range v {
				v[k] = add(v[k])
			}
			for k, value := range added {
				v[k] = value
			}
		}
		return v
	}
	for name, sample := range samples {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(sample(madeUp)), &v); err != nil {
			t.Fatal(err)
		}
		v = add(v)
		clean, _ := anonymized(t, fileJob(t), name, compact(v))
		for _, s := range []string{"arisol", "histlewood", "0177", "604555", "4111", "Wendover", "Quimby"} {
			if i := strings.Index(clean, s); i >= 0 {
				t.Errorf("%s: %s is in the output: %s", name, s, clean[max(0, i-60):min(len(clean), i+40)])
			}
		}
	}
}
