package anonymize

import (
	"strings"
	"testing"

	"sotto/schemas"
	"sotto/state"
)

const spanishCall = `Agent: buenos días, gracias por llamar, en qué puedo ayudar hoy
Customer: hola, mi nombre es Ramona Quimbolt y quiero cambiar la dirección de mi cuenta
Agent: claro que sí, me puede decir su número de teléfono por favor
Customer: seis cero cuatro 555 0134
Customer: Ramona
Agent: y vive en la calle Encina 42, verdad`

func TestSpanishCallIsMasked(t *testing.T) {
	e := newEngine(t, Options{})
	got := strings.ToLower(converse(t, e, spanishCall))
	for _, personal := range []string{"ramona", "quimbolt", "seis", "cero", "555", "0134", "encina", "42"} {
		if strings.Contains(got, personal) {
			t.Errorf("%q is left in the Spanish call", personal)
		}
	}
	for _, stays := range []string{"gracias por", "en que puedo ayudar", "mi", "quiero", "por favor"} {
		if !strings.Contains(strings.NewReplacer("é", "e", "á", "a", "í", "i").Replace(got), stays) {
			t.Errorf("%q is masked:\n%s", stays, got)
		}
	}
}

// applyAll applies texts to a call and returns the outcome of the last one.
func applyAll(t *testing.T, e *Engine, c *state.Call, texts ...string) (out Output) {
	t.Helper()
	for i, text := range texts {
		out = Resume(e, c).Add(utterance(int64(i+1), "Agent", text))
	}
	return out
}

func TestReleaseOfCallsInOtherLanguages(t *testing.T) {
	const spanish, english = "hola, quiero cambiar la dirección de mi cuenta", "hello, I would like to change the address of my account"
	for _, c := range []struct {
		policy   OtherLanguages
		text     string
		release  bool
		held     bool
		language string
	}{
		{"", spanish, false, false, "es"},
		{MaskOther, spanish, false, false, "es"},
		{HoldOther, spanish, false, true, "es"},
		{PassOther, spanish, true, false, "es"},
		{MaskOther, english, true, false, ""},
		{HoldOther, english, true, false, ""},
	} {
		e := newEngine(t, Options{OtherLanguages: c.policy})
		call := state.NewCall()
		out := applyAll(t, e, call, c.text)
		if out.Held != c.held || out.Language != c.language || c.held != (out.Clean.Text == "") {
			t.Errorf("%s: held %v, language %q, %d bytes of text", c.policy, out.Held, out.Language, len(out.Clean.Text))
		}
		if withheld := call.Withheld(); (withheld == "") != c.release {
			t.Errorf("%s: withheld for %q", c.policy, withheld)
		}
	}
	if _, err := New(Options{OtherLanguages: "drop"}); err == nil {
		t.Error("an unknown policy is accepted")
	}
}

// A turn whose language is not recognizable has the language of the call so far, and an English
// turn within a Spanish call is English.
func TestCallsOfMixedLanguage(t *testing.T) {
	const spanish, english = "sí, quiero saber cuándo llega mi pedido", "sure, let me look at that table for you"
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"put it on the table"}, "put it on the table"},
		{[]string{spanish, "blue table 7"}, "[SPELLED_WORD] [NUMERIC]"},
		{[]string{spanish, english}, english},
		{[]string{spanish, english, "put it on the table"}, "put it on the table"},
	} {
		out := applyAll(t, newEngine(t, Options{}), state.NewCall(), c.texts...)
		if out.Clean.Text != c.want {
			t.Errorf("%q became %q, want %q", c.texts, out.Clean.Text, c.want)
		}
	}
}

// The event's language takes precedence over the words, unless it is English, which a recognizer
// that knows no other language always reports.
func TestLanguageOfTheEvent(t *testing.T) {
	for _, c := range []struct {
		language, text, want string
	}{
		{"sw-KE", "the blue table", "the [SPELLED_WORD]"},
		{"en-US", "the blue table", "the blue table"},
		{"und", "the blue table", "the blue table"},
		{"en-US", "quiero saber cuándo llega mi paquete", "quiero saber cuándo [SPELLED_WORD] mi [SPELLED_WORD]"},
	} {
		ev := utterance(1, "Agent", c.text)
		ev.Language = c.language
		out := NewConversation(newEngine(t, Options{})).Add(ev)
		if out.Clean.Text != c.want {
			t.Errorf("%s: %q became %q, want %q", c.language, c.text, out.Clean.Text, c.want)
		}
	}
}

// The language of the START applies to turns that are too short to recognize.
func TestLanguageOfTheStart(t *testing.T) {
	call := state.NewCall()
	e := newEngine(t, Options{})
	start := &schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Start, Language: "es-MX"}
	if clean, changed := e.Apply(call, e.Prepare(start)); clean.Type != schemas.Start || !changed {
		t.Errorf("the START became %s, changed %v", clean.Type, changed)
	}
	if out := applyAll(t, e, call, "the blue table"); out.Clean.Text != "the [SPELLED_WORD]" {
		t.Errorf("the turn became %q", out.Clean.Text)
	}
}

func TestEnglishTurnsDoNotWriteState(t *testing.T) {
	call := state.NewCall()
	e := newEngine(t, Options{})
	applyAll(t, e, call, "hello")
	out := applyAll(t, e, call, "I would like to return the paper that we bought")
	if out.Changed || call.Language() != "" || call.Withheld() != "" {
		t.Errorf("changed %v, language %q, withheld %q", out.Changed, call.Language(), call.Withheld())
	}
}

// Every run of the same call gives the same bytes, also if its state was sealed in between.
func TestLanguagesAreDeterministic(t *testing.T) {
	e := newEngine(t, Options{})
	want := converse(t, e, spanishCall)
	if got := converse(t, e, spanishCall); got != want {
		t.Error("a second run differs")
	}
	call, restored := state.NewCall(), state.NewCall()
	applyAll(t, e, call, "hola, quiero cambiar la dirección de mi cuenta")
	data, err := call.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := restored.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	a, b := applyAll(t, e, call, "mesa azul 7"), applyAll(t, e, restored, "mesa azul 7")
	if a.Clean.Text != b.Clean.Text || restored.Withheld() != "es" {
		t.Errorf("the restored call gives %q instead of %q and is withheld for %q", b.Clean.Text, a.Clean.Text, restored.Withheld())
	}
}

func TestSpelledLettersOfATurnInAnotherLanguage(t *testing.T) {
	out := applyAll(t, newEngine(t, Options{}), state.NewCall(), "sí, mi apellido se deletrea así: Q U I M y también con A")
	for _, letter := range []string{"Q", "U", "I", "M"} {
		if strings.Contains(out.Clean.Text, " "+letter+" ") {
			t.Errorf("the letter %s is left", letter)
		}
	}
}

func TestPolicyHashHasTheLanguages(t *testing.T) {
	seen := map[string]OtherLanguages{}
	for _, policy := range []OtherLanguages{MaskOther, HoldOther, PassOther} {
		hash := newEngine(t, Options{OtherLanguages: policy}).Policy()
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s have the same hash", policy, other)
		}
		seen[hash] = policy
	}
}
