package mapping

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/schemas"
)

// outcomes are what the messages of records become, "END" or the text of an utterance, or why nothing comes of them.
func outcomes(m *Mapping, values ...string) (all []string) {
	trial := NewTrial(m)
	for _, value := range values {
		for _, o := range trial.Read(Record{Value: []byte(value), Key: []byte("call")}) {
			switch {
			case o.Event == nil:
				all = append(all, o.Reason+o.Dropped)
			case o.Event.Type == schemas.Utterance:
				all = append(all, o.Event.Text)
			default:
				all = append(all, string(o.Event.Type))
			}
		}
	}
	return all
}

// Vendors leave fields out, and messages come in shapes that the samples do not have. What is said is an utterance, or
// somebody hears of it: it is neither taken for an interim result nor for a revision of what was said before.
func TestMessagesThatTheSamplesDoNotHave(t *testing.T) {
	for name, cases := range map[string][][2]string{
		"deepgram": {
			{`{"type":"Results","start":1,"channel":{"alternatives":[{"transcript":"one"}]},"metadata":{"request_id":"r"}}`, ReasonUnknown},
			{`{"type":"Results","start":0,"is_final":true,"channel":{"alternatives":[{"transcript":"two"}]},"metadata":{"request_id":"r"}}`, "two"},
			{`{"type":"Connected","request_id":"f","sequence_id":0}`, Ignored},
			{`{"type":"TurnInfo","event":"StartOfTurn","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"on"}`, Interim},
			{`{"type":"TurnInfo","event":"Update","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"on"}`, Interim},
			{`{"type":"TurnInfo","event":"TurnResumed","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"on"}`, Interim},
			{`{"type":"TurnInfo","event":"end_of_turn","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"one"}`, ReasonUnknown},
			{`{"type":"TurnInfo","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"one"}`, ReasonUnknown},
			{`{"type":"TurnInfo","event":"EagerEndOfTurn","request_id":"f","turn_index":0,"audio_window_start":0.0,"transcript":"on"}`, Interim},
			{`{"type":"TurnInfo","event":"EndOfTurn","request_id":"f","turn_index":0,"audio_window_start":0.0,"audio_window_end":1.3,"transcript":"one"}`, "one"},
			{`{"type":"TurnInfo","event":"EndOfTurn","request_id":"f","turn_index":1,"audio_window_start":1.3,"audio_window_end":2.5,"transcript":"two"}`, "two"},
		},
		"assemblyai": {
			{`{"type":"Turn","turn_order":0,"transcript":"one"}`, ReasonUnknown},
			{`{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"two"}`, "two"},
		},
		"assemblyai-formatted": {
			{`{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"one"}`, ReasonUnknown},
			{`{"type":"Turn","turn_order":0,"end_of_turn":false,"transcript":"on"}`, Interim},
		},
		"azure": {
			{`{"RecognitionStatus":"Success","DisplayText":"one","Offset":0,"Duration":1}`, "one"},
			{`{"RecognitionStatus":0,"DisplayText":"two","Offset":900000,"Duration":1}`, ReasonUnknown},
			{`{"RecognitionStatus":0,"Text":"two","Offset":900000,"Duration":1}`, ReasonUnknown},
			{`{"Text":"tw","Offset":900000,"Duration":1}`, Interim},
			{`{"RecognitionStatus":"InitialSilenceTimeout","Offset":900000,"Duration":1}`, Ignored},
		},
		"azure-communication": {
			{`{"kind":"TranscriptionData","transcriptionData":{"text":"one","participantRawID":"4:x","resultStatus":"Final"}}`, "one"},
			{`{"kind":"TranscriptionData","transcriptionData":{"text":"two","participantRawID":"4:x","resultStatus":"Final"}}`, "two"},
			{`{"kind":"TranscriptionData","transcriptionData":{"text":"three","participantRawID":"4:x"}}`, ReasonUnknown},
			{`{"kind":"TranscriptionData","transcriptionData":{"text":"th","participantRawID":"4:x","resultStatus":"Intermediate"}}`, Interim},
		},
		"genesys": {
			{`{"topicName":"channel.metadata","eventBody":{"message":"WebSocket Heartbeat"}}`, Ignored},
			{`{"topicName":"v2.conversations.c.transcription","eventBody":{"conversationId":"c","transcripts":[{"isFinal":true,"alternatives":[{"transcript":"one"}]}]}}`, "one"},
		},
		"google": {
			{`{"results":[{"alternatives":[{"transcript":"one"}],"is_final":true,"result_end_time":"1.5s","language_code":"en-US"}]}`, "one"},
			{`{"results":[{"alternatives":[{"transcript":"two"}],"isFinal":true,"resultEndTime":{"seconds":"2","nanos":500000000}}]}`, "two"},
			{`{"results":[{"alternatives":[{"transcript":"two"}],"isFinal":true,"resultEndTime":{"nanos":500000000,"seconds":"2"}}]}`, Again},
			{`{"results":[{"alternatives":[{"transcript":"three"}],"isFinal":true,"resultEndTime":{"seconds":"3"}}]}`, "three"},
			{`{"results":[{"alternatives":[{"transcript":"three"}],"isFinal":true,"resultEndTime":{}}]}`, "three"},
			{`{"results":[{"alternatives":[{"transcript":"more"}],"isFinal":true,"resultEndTime":{}}]}`, "more"},
			{`{"results":[{"alternatives":[{"transcript":"four"}],"isFinal":true,"channelTag":1}]}`, "four"},
			{`{"results":[{"alternatives":[{"transcript":"five"}],"isFinal":true,"channelTag":1}]}`, "five"},
			{`{"results":[{"alternatives":[{"transcript":"s"}],"stability":0.9},{"alternatives":[{"transcript":"ix"}],"isFinal":false}]}`, Interim + " " + Interim},
			{`{"results":[{"alternatives":[{"transcript":"six"}],"isFinal":true,"resultEndTime":"9s"}]}`, "six"},
			{`{"results":[{"alternatives":[{"transcript":"six"}],"isFinal":true,"resultEndTime":"9s"}]}`, Again},
			{`{"results":[{"alternatives":[{"transcript":"seven"}],"isFinal":"True"}]}`, ReasonUnknown},
			{`{"results":[{"alternatives":[{"transcript":"seven"}],"is_final":1,"isFinal":false}]}`, ReasonUnknown},
		},
		"openai-realtime": {
			{`{"type":"conversation.item.input_audio_transcription.completed","content_index":0,"transcript":"one"}`, "one"},
			{`{"type":"conversation.item.input_audio_transcription.completed","content_index":0,"transcript":"two"}`, "two"},
		},
		"ringcentral": {
			{`{"jobId":"j","status":"Success","response":{"transcript":"one"}}`, ReasonUnknown},
			{`{"jobId":"j","status":"Success","response":{"utterance":[{"text":"one","start":1}]}}`, ReasonUnknown},
			{`{"jobId":"j","status":"Success"}`, ReasonUnknown},
			{`{"jobId":"j","status":"Fail"}`, Ignored},
		},
		"twilio": {
			{`CallSid=CA1&SequenceId=1&TranscriptionEvent=transcription-content&TranscriptionData=%7B%22transcript%22%3A+%22one%22%7D`, ReasonUnknown},
			{`CallSid=CA1&SequenceId=2&TranscriptionEvent=transcription-content&Final=true&TranscriptionData=%7B%22transcript%22%3A+%22two%22%7D`, "two"},
			{`CallSid=CA1&CallStatus=completed`, Ignored},
		},
		"vapi": {
			{`{"message":{"type":"transcript","role":"user","transcriptType":"final","transcript":"one","call":{"id":"c"}}}`, "one"},
			{`{"message":{"type":"transcript","role":"user","transcriptType":"final","transcript":"two","call":{"id":"c"}}}`, "two"},
			{`{"message":{"type":"transcript[transcriptType=\"final\"]","role":"user","transcript":"three","call":{"id":"c"}}}`, "three"},
			{`{"message":{"type":"transcript","role":"user","transcript":"four","call":{"id":"c"}}}`, ReasonUnknown},
		},
		"vonage": {
			{`{"speech":{"results":[{"text":"one"}]},"uuid":"u","conversation_uuid":"c"}`, "one"},
			{`{"speech":{"results":[{"text":"two"}]},"uuid":"u","conversation_uuid":"c"}`, "two"},
		},
		"zoom": {
			{`{"msg_type":17,"content":{"user_id":1,"data":"one"}}`, "one"},
			{`{"msg_type":17,"content":{"user_id":1,"data":"two"}}`, "two"},
			{`{"msg_type":"MEDIA_DATA_TRANSCRIPT","content":{"user_id":1,"data":"three"}}`, "three"},
		},
	} {
		var values, want []string
		for _, c := range cases {
			values, want = append(values, c[0]), append(want, c[1])
		}
		got := outcomes(builtin(t, name), values...)
		if want := strings.Fields(strings.Join(want, " ")); !slices.Equal(got, want) {
			t.Errorf("%s: the messages become\n%q, want\n%q", name, got, want)
		}
	}
}

// What a path to the text leads to is a text, or the message is a dead letter: it is not silent. Numbers are whole
// numbers however they are written.
func TestTextsAndNumbersOfOtherTypes(t *testing.T) {
	m, err := Parse([]byte("call: c\nseq: n\nrules: [{text: said, time: at}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		`"n":1,"said":["a","b"]`:              schemas.ReasonMissingText,
		`"n":1,"said":{"a":"b"}`:              schemas.ReasonMissingText,
		`"n":1,"said":null`:                   schemas.ReasonMissingText,
		`"n":1,"said":" "`:                    Silent,
		`"n":1.0,"said":"1"`:                  "1",
		`"n":1e3,"said":"1000"`:               "1000",
		`"n":"7.0","said":"7"`:                "7",
		`"n":1.5,"said":"a"`:                  ReasonNoOrder,
		`"n":1e300,"said":"a"`:                ReasonNoOrder,
		`"n":true,"said":"a"`:                 ReasonNoOrder,
		`"n":99999999999999999999,"said":"a"`: ReasonNoOrder,
	} {
		value := `{"c":"call",` + message + `}`
		if got := outcomes(m, value); !slices.Equal(got, []string{want}) {
			t.Errorf("%s becomes %q, want %s", message, got, want)
		}
		if e := m.Read(Record{Value: []byte(value)})[0].Event; e != nil && fmt.Sprint(e.Seq) != e.Text {
			t.Errorf("%s has the number %d", message, e.Seq)
		}
	}
	withWords, err := Parse([]byte("call: c\nrules: [{text: said, words: {path: said, text: w}}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(withWords, `{"c":"call","said":[{"w":"a"},{"w":"b"}]}`); !slices.Equal(got, []string{"a b"}) {
		t.Errorf("words where the text is looked for become %q", got)
	}
}

// An utterance whose words are not all texts is not published without those that are none, unless its text is elsewhere.
func TestWordsThatAreNoTexts(t *testing.T) {
	m, err := Parse([]byte("call: c\nrules: [{text: said, words: {path: lists.*, text: w, speaker: by}}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		`"lists":[[{"w":"my number is"},{"w":["555","0172"]}]]`:                             schemas.ReasonMissingText,
		`"lists":[[{"w":{"a":"555"}},{"w":"is it"}]]`:                                       schemas.ReasonMissingText,
		`"lists":[[{"w":"my number is"}],{"w":"555"}]`:                                      schemas.ReasonMissingText,
		`"lists":[[{"w":"a","by":"x"},{"w":"b","by":"y"},{"w":[1],"by":"y"}]],"said":"a b"`: schemas.ReasonMissingText,
		`"lists":[[{"w":"my number is"},{"w":["555","0172"]}]],"said":"all"`:                "all",
		`"lists":[[{"w":"my number is"},{"w":null},{},{"w":5550172}]]`:                      "my number is 5550172",
	} {
		if got := outcomes(m, `{"c":"call",`+message+`}`); !slices.Equal(got, []string{want}) {
			t.Errorf("%s becomes %q, want %s", message, got, want)
		}
	}
}

// Documents beyond those that a record may have are not passed over, also if those before them have no messages.
func TestARecordOfManyDocuments(t *testing.T) {
	m, err := Parse([]byte("call: c\nmessages: [turns.*]\nrules: [{text: said}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for empty, want := range map[int]string{maxMessages - 1: "one", maxMessages: ReasonTooMany, maxMessages + 1: ReasonTooMany} {
		value := "[" + strings.Repeat(`{"turns":[]},`, empty) + `{"turns":[{"c":"call","said":"one"}]}]`
		if got := outcomes(m, value); !slices.Equal(got, []string{want}) {
			t.Errorf("behind %d documents, a message becomes %q, want %s", empty, got, want)
		}
	}
}

// A message that is in a text as a whole, as JSON or base64, is read as what stands in it.
func TestARecordThatIsAText(t *testing.T) {
	m, err := Parse([]byte("form: true\ncall: c\nrules: [{text: said}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`"{\"c\":\"call\",\"said\":\"one\"}"`:     "one",
		` "eyJjIjoiY2FsbCIsInNhaWQiOiJvbmUifQ=="`: "one", // of Kafka Connect, as JSON of bytes
		`eyJjIjoiY2FsbCIsInNhaWQiOiJvbmUifQ==`:    "one",
		"eyJjIjoiY2FsbCIsInNhaWQiOiJvbmUifQ==\n":  "one",
		`"c=call&said=one"`:                       "one",
		`c=call&said=one`:                         "one",
		`c=call&said=%7B%22a%22%3A1%7D`:           `{"a":1}`,
		`"one"`:                                   schemas.ReasonUnknownFormat,
		`"one`:                                    schemas.ReasonUnknownFormat,
		`one`:                                     schemas.ReasonUnknownFormat,
		`eyJjIjoi`:                                schemas.ReasonUnknownFormat,
	} {
		if got := fmt.Sprint(outcomes(m, value)); got != "["+want+"]" {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
	}
}
