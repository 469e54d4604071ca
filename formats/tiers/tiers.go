// Package tiers reads what linguists annotate recordings with: ELAN, the TextGrids of Praat, and CHAT.
//
// The files are written anew from their parts, so that nothing stays that the formats do not have.
package tiers

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

// output is a file as it is written: its parts, of which some are replaced.
type output struct{ parts []*string }

// add adds parts and returns the last one.
func (o *output) add(parts ...string) *string {
	for i := range parts {
		o.parts = append(o.parts, &parts[i])
	}
	return o.parts[len(o.parts)-1]
}

// value adds a text as the format writes it, and returns the function that replaces it.
func (o *output) value(text string, written func(string) string) (set func(string)) {
	p := o.add(written(text))
	return func(clean string) { *p = written(clean) }
}

func (o *output) encode() ([]byte, error) {
	var b strings.Builder
	for _, p := range o.parts {
		b.WriteString(*p)
	}
	return []byte(b.String()), nil
}

// tier is a layer of a file: the words of a speaker, or remarks.
type tier struct {
	name string
	// child means that another tier is its parent: it translates that, or remarks on it.
	child bool
	// rename replace its name, each in one place.
	rename  []func(string)
	speaker schemas.Speaker
	notes   []transcript.Slot
}

// kinds are the usual names of layers, which are no speakers.
const kinds = `(?i:words?|tokens?|utterances?|turns?|sentences?|segments?|text|tx|orthograph\w{1,3}|ort|speech|spch|transcript(?:ion)?s?|` +
	`translations?|glosse?s?|notes?|comments?|annotations?|default(?:-lt)?|phones?|phonemes?|phonetics?|ipa|sampa|kan|mau|(?:ort|kan)-mau)`

var (
	// tierName is "utterance@Ines Quimby" or "Ines Quimby - words".
	tierName = regexp.MustCompile(`^(` + kinds + `@)?(.*?)((?:\s*[-_/@.:]\s*|\s+)` + kinds + `)?$`)
	oneKind  = regexp.MustCompile(`^` + kinds + `$`)
	// sounds are the layers that spell what is said in another alphabet, by their names or what they say.
	sounds = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:phones?|phonemes?|phonetics?|ipa|sampa|kan|mau)$`)
	sound  = regexp.MustCompile(`^(?:[A-Z]{1,2}[0-2]?|\S|\S{0,3}[^\x00-\x7F]\S{0,3}|sil|spn?)$`)
)

func (t *tier) isSounds() bool {
	n, all := 0, 0
	for _, s := range t.notes {
		if text := strings.TrimSpace(s.Text); text != "" {
			all++
			if sound.MatchString(text) {
				n++
			}
		}
	}
	return sounds.MatchString(t.name) || all >= 10 && n*5 >= all*4
}

// addTiers adds tiers to the call of a document. The one with the longest texts has the turns, and a tier that says the
// same in other pieces repeats it.
func addTiers(d *transcript.Document, tiers []*tier) {
	call := &transcript.Call{}
	d.Calls = []*transcript.Call{call}
	addNames(call, tiers)
	slices.SortStableFunc(tiers, func(a, b *tier) int {
		switch {
		case a.child == b.child:
			return cmp.Compare(len(a.notes), len(b.notes))
		case b.child:
			return -1
		}
		return 1
	})
	said := map[string][]*transcript.Turn{}
	for _, t := range tiers {
		if t.isSounds() {
			for _, s := range t.notes {
				s.Set("")
			}
			d.Notes = []string{"tiers of sounds are emptied: they spell the words that are masked"}
			continue
		}
		words := lettersOf(t.notes)
		turns := t.turns()
		switch of := said[words]; {
		case words == "":
		case of != nil:
			repeat := transcript.TextsRepeat(t.notes)
			repeat.Of = of
			call.Repeats = append(call.Repeats, repeat)
		case t.child:
			call.Others = append(call.Others, turns...)
		default:
			said[words] = turns
			call.Turns = append(call.Turns, turns...)
		}
	}
	slices.SortStableFunc(call.Turns, func(a, b *transcript.Turn) int {
		return cmp.Compare(*cmp.Or(a.StartMS, &unknown), *cmp.Or(b.StartMS, &unknown))
	})
}

// unknown stands for a time that the file does not say.
var unknown int64

func lettersOf(notes []transcript.Slot) string {
	var b strings.Builder
	for _, s := range notes {
		for _, r := range s.Text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

// pause is how many milliseconds of silence end a turn of a tier with a word each.
const pause = 1000

// turns returns the turns of a tier: a note each, or the words between pauses.
func (t *tier) turns() (turns []*transcript.Turn) {
	notes := slices.DeleteFunc(slices.Clone(t.notes), func(s transcript.Slot) bool { return strings.TrimSpace(s.Text) == "" })
	words := 0
	for _, s := range notes {
		words += len(strings.Fields(s.Text))
	}
	for begin := 0; begin < len(notes); {
		end := begin + 1
		for ; words*2 < len(notes)*3 && end < len(notes) && *cmp.Or(notes[end].StartMS, &unknown)-*cmp.Or(notes[end-1].EndMS, &unknown) <= pause; end++ {
		}
		turns = append(turns, turnOf(t.speaker, notes[begin:end]))
		begin = end
	}
	return turns
}

func turnOf(speaker schemas.Speaker, slots []transcript.Slot) *transcript.Turn {
	t := &transcript.Turn{Speaker: speaker, StartMS: slots[0].StartMS, EndMS: slots[len(slots)-1].EndMS}
	if len(slots) == 1 {
		t.Text, t.Set = slots[0].Text, slots[0].Set
		return t
	}
	words := make([]string, len(slots))
	for i := range slots {
		words[i] = slots[i].Text
	}
	t.Text, t.Repeats = transcript.JoinWords(words), []transcript.Repeat{transcript.TextsRepeat(slots)}
	return t
}

// addNames makes the names of tiers those of speakers, and labels if they may be names of people. No two become one.
func addNames(call *transcript.Call, tiers []*tier) {
	taken := map[string]bool{}
	for _, t := range tiers {
		taken[t.name] = true
	}
	for _, t := range tiers {
		m := tierName.FindStringSubmatch(t.name)
		label := m[2]
		if t.speaker.ID == "" {
			t.speaker = schemas.Speaker{ID: label}
		}
		if label == "" || oneKind.MatchString(label) || harmless.Speaker(label) {
			continue
		}
		if t.speaker.Label == "" && t.speaker.ID == label {
			t.speaker.Label = label
		}
		call.Labels = append(call.Labels, transcript.Label{Speaker: schemas.Speaker{ID: label, Label: label}, Set: func(clean string) {
			name := m[1] + clean + m[3]
			for n := 2; clean != label && taken[name]; n++ {
				name = m[1] + clean + " (" + strconv.Itoa(n) + ")" + m[3]
			}
			taken[name] = true
			for _, rename := range t.rename {
				rename(name)
			}
		}})
	}
}

func other(call *transcript.Call, text string, set func(string)) {
	if strings.TrimSpace(text) != "" {
		call.AddOther(text, set)
	}
}
