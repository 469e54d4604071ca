package plaintext

import (
	"regexp"
	"strings"
	"unicode"

	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// Frames are what programs write around the words of people: headers of e-mails within e-mails, headings of exports, the
// names of those who send and receive a message. They stay; the names in them are masked.

// headerWords are the headers of a quoted e-mail in several languages, by what they are.
var headerWords = func() map[string]headerKind {
	m := map[string]headerKind{}
	for kind, words := range map[headerKind]string{
		people: "from,to,cc,bcc,reply-to,von,an,kopie,de,para,à,copie à,pour,da,a,per,van,aan,från,till,fra,til,od,do,cc:,kopia",
		sent: "sent,date,gesendet,datum,envoyé,envoyé le,date d'envoi,enviado,enviado el,fecha,enviada,enviada em,enviado em,data,inviato,verzonden,skickat,sendt,dato,wysłano," +
			"gesendet am",
		subject:    "subject,betreff,objet,asunto,assunto,oggetto,onderwerp,ämne,emne,temat",
		additional: "importance,priority,attachments,wichtigkeit,priorität,anlagen,importancia,pièces jointes,importanza,prioridad",
	} {
		for w := range strings.SplitSeq(words, ",") {
			m[w] = kind
		}
	}
	return m
}()

type headerKind int

const (
	people headerKind = iota + 1
	sent
	subject
	additional
)

// calendar are the words of dates and times.
var calendar = harmless.Set("monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun " +
	"january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec " +
	"at am pm a m p gmt utc est edt cst cdt mst mdt pst pdt cet cest bst ist z t st nd rd th of the h uhr um den der am dem le à el la las a de del il alle ore op om em às kl den " +
	"montag dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so januar februar märz mai juni juli oktober dezember mrz okt dez " +
	"lundi mardi mercredi jeudi vendredi samedi dimanche lun mer jeu ven sam dim janvier février mars avril juin juillet août septembre octobre novembre décembre janv févr avr juil déc " +
	"lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre ene abr ago dic " +
	"lunedì martedì mercoledì giovedì venerdì sabato domenica gio gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug set ott " +
	"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag maart mei augustus ma wo vr za zo mrt " +
	"segunda terça quarta quinta sexta feira janeiro fevereiro março maio junho julho setembro outubro dezembro seg ter qua qui sex fev abr mai out dez")

// dateLength returns how long the date and the time are that a text begins with, 0 if it does not begin with a day and a month.
func dateLength(text string) int {
	end, digits := 0, 0
	for at := 0; at < len(text); {
		n := strings.IndexFunc(text[at:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		if n < 0 || strings.ContainsAny(text[at:at+n], "<>@\"") {
			break
		}
		at += n
		word := text[at:]
		if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); n >= 0 {
			word = word[:n]
		}
		number := strings.TrimRightFunc(strings.ToLower(word), unicode.IsLetter)
		unit := strings.ToLower(word)[len(number):]
		if len(number) > 4 || strings.Trim(number, "0123456789") != "" || unit != "" && !calendar[unit] {
			break
		}
		digits += len(number)
		at += len(word)
		if number != "" || len(unit) > 1 {
			end = at
		}
	}
	if digits < 3 || digits > 18 {
		return 0
	}
	return end
}

// thisCentury is a year, and clock a time, of the line that says when a recording was made.
var (
	thisCentury = regexp.MustCompile(`\b20\d\d\b`)
	clock       = regexp.MustCompile(`\b\d{1,2}:\d\d`)
)

// isDateLine reports whether a line is a date and a time and nothing else, "Wed, Mar 13, 2024 10:01AM • 12:34", or a date behind the
// word for it, "Date: 2024-03-13".
func isDateLine(line string) bool {
	line = strings.TrimRight(line, " \t")
	h := readHeader(line)
	if h.kind != sent {
		h.value = 0
	}
	n := dateLength(line[h.value:])
	return n > 0 && n == len(line[h.value:]) && thisCentury.MatchString(line) && (h.kind == sent || clock.MatchString(line))
}

// quoteMarks are those before the lines of a quoted message.
var quoteMarks = regexp.MustCompile(`^[ \t]*(?:>[ \t]?)*[ \t]*\*{0,2}`)

// headerLine is a line of the headers of a quoted e-mail: its kind and where its value is in the line.
type headerLine struct {
	kind  headerKind
	value int
}

func readHeader(line string) (h headerLine) {
	at := len(quoteMarks.FindString(line))
	word, _, ok := strings.Cut(line[at:], ":")
	if !ok || len(word) > 20 {
		return h
	}
	h.kind = headerWords[strings.ToLower(strings.Trim(word, " \t*"))]
	h.value = at + len(word) + 1
	h.value += len(line[h.value:]) - len(strings.TrimLeft(line[h.value:], " \t*"))
	return h
}

// headersAt returns how many lines from one on are the headers of a quoted e-mail, 0 if none are: people, when it was sent,
// and something else, in any order.
func headersAt(all []transcript.Line, from int) int {
	n, persons, dates := 0, 0, 0
	for ; from+n < len(all); n++ {
		h := readHeader(all[from+n].Text)
		switch {
		case h.kind == 0 && n > 0 && strings.HasSuffix(strings.TrimSpace(all[from+n-1].Text), ";"): // the list of people goes on
		case h.kind == people:
			persons++
		case h.kind == sent && dateLength(all[from+n].Text[h.value:]) > 0:
			dates++
		case h.kind == 0 || h.kind == sent:
			if n < 3 || persons == 0 || dates == 0 {
				return 0
			}
			return n
		}
	}
	if n < 3 || persons == 0 || dates == 0 {
		return 0
	}
	return n
}

// frame collects the texts of frames.
type frame struct {
	source *transcript.Source
	call   *transcript.Call
}

// other adds a part of the file, from start to end, as a text that nobody said.
func (f *frame) other(start, end int) {
	if text := f.source.Text()[start:end]; strings.TrimSpace(text) != "" {
		f.call.AddOther(text, f.source.Setter(start, end))
	}
}

// name adds a part of the file as the name of a speaker.
func (f *frame) name(start, end int) {
	text := f.source.Text()[start:end]
	trimmed := strings.Trim(text, " \t\"'*")
	if trimmed == "" {
		return
	}
	start += strings.Index(text, trimmed)
	f.call.Labels = append(f.call.Labels, transcript.Label{Speaker: schemas.Speaker{Label: trimmed}, Set: f.source.Setter(start, start+len(trimmed))})
}

// people adds names and addresses: "Ines Quimby <ines@hollow.example>; Tobias".
func (f *frame) people(start, end int) {
	for start < end {
		text := f.source.Text()[start:end]
		n := strings.IndexAny(text, ";,")
		if n < 0 {
			n = len(text)
		}
		one := text[:n]
		if at := strings.IndexAny(one, "<[("); at >= 0 {
			f.name(start, start+at)
			f.other(start+at, start+n)
		} else if strings.ContainsAny(one, "@0123456789") {
			f.other(start, start+n)
		} else {
			f.name(start, start+n)
		}
		start += n + 1
	}
}

// header adds the texts of a line of headers.
func (f *frame) header(l transcript.Line) {
	h, end := readHeader(l.Text), l.Start+len(l.Text)
	value := l.Start + h.value
	switch h.kind {
	case people:
		f.people(value, end)
	case sent:
		f.other(value+dateLength(l.Text[h.value:]), end)
	case subject, additional:
		f.other(value, end)
	default:
		f.people(l.Start, end)
	}
}

var (
	// separator is what stands between an e-mail and the one that it quotes.
	separator = regexp.MustCompile(`(?i)^[ \t>]*[-_*=]{2,}[ \t]*(?:(?:original|forwarded)[ \t]message|begin forwarded message|(?:ursprüngliche|weitergeleitete)[ \t]nachricht|` +
		`message (?:d'origine|transféré|original)|mensaje (?:original|reenviado)|mensagem (?:original|encaminhada)|messaggio (?:originale|inoltrato)|(?:oorspronkelijk|doorgestuurd) bericht)?[ \t]*[-_*=]*[ \t]*$`)
	// quotes are the beginnings and ends of the line before a quoted message.
	quotes = []struct{ begin, end string }{{"On ", " wrote:"}, {"Am ", ":"}, {"Le ", " a écrit :"}, {"Le ", " a écrit:"}, {"El ", " escribió:"}, {"Il ", " ha scritto:"},
		{"Op ", ":"}, {"Em ", " escreveu:"}, {"Den ", ":"}}
	// verbs stand between the date and the name.
	verbs = harmless.Set("schrieb schreef skrev")
)

// quote adds the texts of a line such as "On Mon, Mar 3, 2025 at 9:00 AM Ines Quimby <ines@hollow.example> wrote:", and reports
// whether it is one.
func (f *frame) quote(l transcript.Line) bool {
	line := strings.TrimRight(l.Text, " \t")
	at := len(quoteMarks.FindString(line))
	for _, q := range quotes {
		if !strings.HasPrefix(line[at:], q.begin) || !strings.HasSuffix(line, q.end) || len(line) > 300 {
			continue
		}
		from, to := at+len(q.begin), len(line)-len(q.end)
		n := 0
		if from < to {
			n = dateLength(line[from:to])
		}
		if n == 0 || !strings.ContainsAny(line[from:from+n], "0123456789") {
			continue
		}
		from += n + len(line[from+n:to]) - len(strings.TrimLeft(line[from+n:to], " \t,"))
		if verb, _, _ := strings.Cut(line[from:to], " "); verbs[verb] {
			from += len(verb)
		}
		f.people(l.Start+from, l.Start+to)
		return true
	}
	return false
}

var (
	// headings are those of the exports of meeting tools; after those of people, there are names.
	headings      = harmless.Set("title topic duration transcript transcription summary keywords notes chapters outline details attachments chat recording decisions overview agenda")
	longHeadings  = map[string]bool{"summary keywords": true, "action items": true, "next steps": true, "meeting notes": true, "meeting records": true, "key takeaways": true, "meeting chat": true}
	peopleHeading = harmless.Set("attendees participants speakers invitees invited panelists present teilnehmer sprecher intervenants participantes asistentes hablantes partecipanti deelnemers") //nolint:misspell // other languages
	// notices are sentences that tools write.
	notices = regexp.MustCompile(`(?i)^[ \t]*(?:transcribed by https?://(?:www\.)?otter\.ai/?|this editable transcript was computer generated and might contain errors\. people can also change the text after it was created\.|` +
		`(?:meeting|transcription|recording) (?:started|stopped|ended)(?: after)?(?:[: ]+` + stampForm + `)?|<?(?:media|image|video|audio|sticker|gif|document) omitted>?|` +
		`<attached>|this message was deleted\.?|messages and calls are end-to-end encrypted\..{0,120})[ \t]*$`)
)

// heading returns of a line that is a heading, or begins with one and a colon, where its text begins and whether names
// follow; ok is false if it is none.
func heading(line string) (value int, names, ok bool) {
	word, _, colon := strings.Cut(line, ":")
	plain := strings.ToLower(strings.Trim(word, " \t*_#"))
	names = peopleHeading[plain]
	if !names && !headings[plain] && !longHeadings[plain] {
		return 0, false, false
	}
	value = len(line)
	if colon {
		value = len(word) + 1
	}
	return value, names, true
}

// names adds a line of names: "Ines Quimby, Tobias Wendover"; it reports whether it is one.
func (f *frame) names(l transcript.Line) bool {
	text := strings.TrimRight(l.Text, " \t")
	if _, _, isHeading := heading(text); isHeading || strings.TrimSpace(text) == "" || strings.Contains(text, ":") {
		return false
	}
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		if !isName(strings.Trim(one, " \t-*•")) {
			return false
		}
	}
	f.people(l.Start, l.Start+len(text))
	return true
}

// read adds the texts of the frames of a file, and returns which of its lines they are.
func (f *frame) read(all []transcript.Line) map[int]bool {
	taken := map[int]bool{}
	for i := 0; i < len(all); i++ {
		l := all[i]
		if n := headersAt(all, i); n > 0 {
			for k := range n {
				f.header(all[i+k])
				taken[i+k] = true
			}
			i += n - 1
			continue
		}
		value, names, isHeading := heading(l.Text)
		switch {
		case strings.TrimSpace(l.Text) == "":
			continue
		case separator.MatchString(l.Text), notices.MatchString(l.Text), isDateLine(l.Text), f.quote(l):
		case isHeading && names:
			f.people(l.Start+value, l.Start+len(l.Text))
			for i+1 < len(all) && f.names(all[i+1]) {
				taken[i] = true
				i++
			}
		case isHeading:
			f.other(l.Start+value, l.Start+len(l.Text))
		default:
			continue
		}
		taken[i] = true
	}
	return taken
}
