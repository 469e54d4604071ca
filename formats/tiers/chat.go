package tiers

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

var (
	errCHAT = errors.New("a line begins with none of @, *, % and a tab, as those of CHAT do")
	// bullet encloses when the words before it were said.
	bullet = regexp.MustCompile("\x15[^\x15\n]*\x15")
	timed  = regexp.MustCompile("^\x15(\\d{1,8})_(\\d{1,8})\x15$")
	// bracketed is a tag. Brackets have a meaning of their own in CHAT.
	bracketed = regexp.MustCompile(`\[([A-Z][A-Z0-9_]*)\]`)

	plainHeaders = harmless.Set("@UTF8 @Begin @End @Blank @New")
	textHeaders  = harmless.Set("@Activities: @Bg: @Bg @Bck: @Comment: @Eg: @Eg @G: @Location: @Number: @Room @Situation: @Tape @Time @Transcriber: @Transcription: @T: @Warning:")
	keptHeaders  = map[string]*regexp.Regexp{
		"@Languages:": harmless.Whole(`[a-z]{2,3}(?:, [a-z]{2,3})*`), "@Date:": harmless.Whole(`\d\d-[A-Z]{3}-20\d\d`),
		"@Options:": harmless.Whole("(?:CA|CA-Unicode|bullets|multi|notarget|dummy|caps)(?:, (?:CA|multi|bullets))*"), "@Types:": harmless.Whole("[a-z]{2,12}(?:, [a-z]{2,12}){0,2}"),
	}
	// remarks are the dependent tiers in ordinary words. %wor has the words again; others have them in another form.
	remarks = harmless.Set("%act: %add: %alt: %com: %eng: %err: %exp: %fac: %flo: %gls: %gpx: %int: %ort: %par: %sit: %spa: %tim:")

	code      = harmless.Whole(`[A-Z]{2,3}\d{0,2}`)
	chatRoles = harmless.Whole(`(?:Target_)?(?:Child|Adult)|Mother|Father|Brother|Sister|Sibling|Grandmother|Grandfather|Relative|Participant|Investigator|Partner|Boy|Girl|` +
		`Male|Female|Teenager|Speaker|Group|Unidentified|Environment|Friend|Playmate|Visitor|Student|Teacher|Host|Guest|Leader|Member|Narrator|Nurse|Doctor|` +
		`Audience|Camera_Operator|Observer|Clinician|Therapist|Interviewer|Interviewee|Informant|Subject|Other|Media|LENA|Justice|Attorney|Caller|Agent|Customer`)
)

type chat struct {
	output
	limits  harmless.Limits
	call    *transcript.Call
	codes   map[string]string // codes of speakers and those that replace them
	labels  map[string]string // names of speakers by their codes
	removed bool
}

// ReadCHAT reads CHAT. Tags lose their brackets.
func ReadCHAT(s string) (*transcript.Document, error) {
	r := &chat{limits: harmless.For(len(s)), call: &transcript.Call{}, codes: map[string]string{}, labels: map[string]string{}}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\n\t", " "), "\n") {
		head, body, _ := strings.Cut(line, "\t")
		head = strings.TrimSpace(head)
		switch {
		case head == "":
		case head[0] == '@':
			r.header(head, strings.TrimSpace(body))
		case head[0] == '*':
			id := strings.TrimSuffix(head[1:], ":")
			r.add("*", r.code(id), ":\t")
			if slots, _ := r.spoken(body); len(slots) > 0 {
				r.call.Turns = append(r.call.Turns, turnOf(schemas.Speaker{ID: id, Label: r.labels[id]}, slots))
			}
		case head[0] == '%':
			r.dependent(head, body)
		default:
			return nil, errCHAT
		}
	}
	d := &transcript.Document{Calls: []*transcript.Call{r.call}, Encode: r.encode}
	if r.removed {
		d.Notes = []string{"headers and tiers that say the words in another form, or that are not known, are removed"}
	}
	return d, nil
}

// text writes a text as it is, and returns how it is replaced.
func (r *chat) text(s string, space string) func(string) {
	p := r.add(s)
	return func(clean string) {
		*p = strings.Join(strings.Fields(strings.ReplaceAll(bracketed.ReplaceAllString(clean, "$1"), "|", " ")), space)
	}
}

// spoken writes the words of a line, and returns the pieces between its times, and the times.
func (r *chat) spoken(body string) (slots []transcript.Slot, bullets []*string) {
	at := 0
	for _, m := range append(bullet.FindAllStringIndex(body, -1), []int{len(body), len(body)}) {
		if text := strings.TrimSpace(body[at:m[0]]); text != "" {
			slots = append(slots, transcript.Slot{Text: text, Set: r.text(text, " ")})
			bullets = append(bullets, r.add(" "))
		}
		if b := timed.FindStringSubmatch(body[m[0]:m[1]]); b != nil && r.limits.Value("offset", b[1]) && r.limits.Value("offset", b[2]) {
			if n := len(slots); n > 0 {
				start, _ := strconv.ParseInt(b[1], 10, 64)
				end, _ := strconv.ParseInt(b[2], 10, 64)
				slots[n-1].StartMS, slots[n-1].EndMS = &start, &end
				*bullets[n-1] = " " + b[0] + " "
			}
		}
		at = m[1]
	}
	r.add("\n")
	return slots, bullets
}

// words returns the repeat of a line of words. Those that become one have the start of the first and the end of the last.
func (r *chat) words(body string) transcript.Repeat {
	slots, bullets := r.spoken(body)
	words := make([]string, len(slots))
	for i := range slots {
		words[i] = slots[i].Text
	}
	repeat := transcript.WordsRepeat(words, func(first, last int, text string) {
		slots[first].Set(text)
		if start, end := slots[first].StartMS, slots[last].EndMS; start != nil && end != nil {
			*bullets[first] = fmt.Sprintf(" \x15%d_%d\x15 ", *start, *end)
		}
		for i := first + 1; i <= last; i++ {
			slots[i].Set("")
			*bullets[i] = ""
		}
	})
	repeat.Times = func(i int) (start, end *int64) { return slots[i].StartMS, slots[i].EndMS }
	return repeat
}

func (r *chat) dependent(head, body string) {
	turns := r.call.Turns
	switch {
	case head == "%wor:" && len(turns) > 0:
		r.add(head, "\t")
		t := turns[len(turns)-1]
		t.Repeats = append(t.Repeats, r.words(body))
	case remarks[head]:
		r.add(head, "\t")
		other(r.call, body, r.text(body, " "))
		r.add("\n")
	default:
		r.removed = true
	}
}

func (r *chat) header(head, body string) {
	name, rest, _ := strings.Cut(head, " ")
	switch form := keptHeaders[head]; {
	case plainHeaders[name] && (rest == "" || head == "@New Episode") && body == "":
		r.add(head, "\n")
	case form != nil && form.MatchString(body):
		r.add(head, "\t", body, "\n")
	case head == "@Participants:":
		r.participants(body)
	case head == "@ID:":
		r.id(strings.Split(body, "|"))
	case textHeaders[name] && (rest == "" || slices.Contains([]string{"Layout:", "Location:", "Start:", "Duration:"}, rest)):
		r.add(head)
		if body != "" {
			r.add("\t")
			other(r.call, body, r.text(body, " "))
		}
		r.add("\n")
	default:
		r.removed = true
	}
}

// code returns the code of a speaker, another one if it could be a name.
func (r *chat) code(id string) string {
	if r.codes[id] == "" {
		r.codes[id] = id
		name := strings.ToUpper(r.labels[id])
		if !code.MatchString(id) || strings.HasPrefix(name, strings.TrimRight(id, "0123456789")) && name != "" {
			r.codes[id] = "SP" + strconv.Itoa(len(r.codes))
		}
	}
	return r.codes[id]
}

func (r *chat) participants(body string) {
	r.add("@Participants:\t")
	for i, p := range strings.Split(body, ",") {
		fields := strings.Fields(p)
		if len(fields) < 2 {
			continue
		}
		if i > 0 {
			r.add(", ")
		}
		id, role := fields[0], fields[len(fields)-1]
		for _, name := range fields[1 : len(fields)-1] {
			r.labels[id] = strings.ReplaceAll(name, "_", " ")
		}
		r.add(r.code(id), " ")
		if name := r.labels[id]; name != "" {
			s := schemas.Speaker{ID: id, Label: name}
			r.call.Labels = append(r.call.Labels, transcript.Label{Speaker: s, Set: r.text(strings.ReplaceAll(name, " ", "_"), "_")})
			r.add(" ")
		}
		r.field(role, chatRoles)
	}
	r.add("\n")
}

// field writes a word that stays if it has a form, and is a text of the call otherwise.
func (r *chat) field(s string, form *regexp.Regexp) {
	if set := r.text(s, "_"); !form.MatchString(s) {
		other(r.call, strings.ReplaceAll(s, "_", " "), set)
	}
}

// idForms are the forms of the fields of @ID: language, corpus, code, age, sex, group, socioeconomic status, role,
// education, and one for everything. Of ages none has the form.
var idForms = []*regexp.Regexp{keptHeaders["@Languages:"], harmless.Whole(""), nil, nil, harmless.Whole("male|female|"), harmless.Whole("TD|"), harmless.Whole(""), chatRoles, harmless.Whole(""), harmless.Whole("")}

func (r *chat) id(fields []string) {
	r.add("@ID:\t")
	for i := range idForms {
		value := ""
		if i < len(fields) {
			value = strings.TrimSpace(fields[i])
		}
		switch i {
		case 2:
			r.add(r.code(value))
		case 3: // the age goes
		default:
			r.field(value, idForms[i])
		}
		r.add("|")
	}
	r.add("\n")
}
