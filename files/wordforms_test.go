package files

import (
	"strings"
	"testing"
)

// The other members of an entry of a word list are not taken for the word, or for a time, because
// of their names alone.
func TestMembersOfWordsSayNothingElse(t *testing.T) {
	const file = `{"metadata":{},"results":{"channels":[{"alternatives":[{"transcript":"hi this is Ines Quimby okay fine","words":[
{"word":"hi","punctuated_word":"Hi","start":0.1,"end":0.2},
{"word":"this","punctuated_word":"this","start":0.3,"end":0.4},
{"word":"is","punctuated_word":"is","start":0.5,"end":0.6},
{"word":"ines","punctuated_word":"Ines","start":0.7,"end":0.8},
{"word":"quimby","punctuated_word":"Quimby","start":0.9,"end":"Zebulon Wyvernale"},
{"word":"quillfeather","punctuated_word":"okay","start":1.1,"end":1.2},
{"word":6045550134,"punctuated_word":"fine","start":1.3,"end":1.4}]}]}]}}`
	clean, _ := anonymized(t, fileJob(t), "deepgram.json", file)
	for _, v := range []string{"uimby", "ebulon", "yvernale", "uillfeather", "0134"} {
		if strings.Contains(clean, v) {
			t.Errorf("%q is in the output", v)
		}
	}
	if !strings.Contains(clean, `{"word":"[PERSON_NAME_1]","punctuated_word":"[PERSON_NAME_1]","start":0.7,"end":0.8}`) {
		t.Errorf("the name is not one entry: %s", clean)
	}
}

// A list of words is read with the sentence that it repeats: the same words are masked in both.
func TestWordListsAreReadWithTheirSentence(t *testing.T) {
	for name, c := range map[string][2]string{
		"strings": {
			`{"speaker":"A","text":"The red car is ready now, Ines Quimby.","words":["The","red","car","is","ready","now,","Ines","Quimby."]}`,
			`{"speaker":"A","text":"The red car is ready now, [PERSON_NAME_1].","words":["The","red","car","is","ready","now,","[PERSON_NAME_1]."]}`,
		},
		"objects": {
			`{"speaker":"A","text":"Is Ines Quimby there?","display":{"words":[{"text":"is","end":1},{"text":"ines","end":2},{"text":"quimby","end":3},{"text":"there","end":4}]}}`,
			`{"speaker":"A","text":"Is [PERSON_NAME_1] there?","display":{"words":[{"text":"is","end":1},{"text":"[PERSON_NAME_1]","end":3},{"text":"there","end":4}]}}`,
		},
	} {
		got, _ := anonymized(t, fileJob(t), "calls.jsonl", c[0]+"\n")
		if got != c[1]+"\n" {
			t.Errorf("%s: got  %swant %s", name, got, c[1])
		}
	}
	// A list of the words of all utterances, on the same level as the utterances.
	got, _ := anonymized(t, fileJob(t), "call.json", `{"utterances":[{"speaker":"A","text":"I am Ines Quimby."},{"speaker":"B","text":"Hello."}],`+
		`"words":["I","am","Ines","Quimby.","Hello."]}`)
	if want := `{"utterances":[{"speaker":"A","text":"I am [PERSON_NAME_1]."},{"speaker":"B","text":"Hello."}],"words":["I","am","[PERSON_NAME_1].","Hello."]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
