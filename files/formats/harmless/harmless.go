// Package harmless says which values of a file may be kept as they are: those of which the name and
// the form together show that they are a time, a score, an identifier or a word of the format. A
// value that has the name and not the form, or more than the file has room for, is not harmless.
package harmless

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// OpaqueMark replaces opaque values.
const OpaqueMark = "[GENERIC_ID]"

// Limits are what the values of a file may not exceed: a call of little text lasts no days and has
// no item 90,000. They keep a number of somebody from passing as a time or a position.
type Limits struct {
	seconds, count float64
}

// For returns the limits of a file, or of one call of it, with so many bytes.
func For(size int) Limits {
	return Limits{seconds: min(3600+float64(size)/8, 24*3600), count: max(999, float64(size)/32)}
}

// form reports whether a value has a form, within the limits.
type form func(l Limits, value string) bool

// forms says for names which forms a value must have to be kept. Names are compared as PlainName
// returns them.
var forms = func() map[string][]form {
	m := map[string][]form{}
	for _, f := range []struct {
		form  form
		names string
	}{
		{count, "rank count index indices audioitemindices sequence sentenceindex numwords startword endword dialog itemid segmentid items id page pagesize p"},
		{few, "channel channels channeltag channelnumber numberofchannels mediachannel speakertag speakers speakerscount speakersexpected " +
			"agent customer speaker parties party originator participantid"},
		{matches(rates), "samplerate samplerates sampleratehertz sampleratehz samplingrate"},
		{frames, "seek"},
		{share, "confidence confidencescore confidencescores wordconfidence speakerconfidence languageconfidence languageprobability " +
			"probability nospeechprob speechthreshold percentage percent score scores"},
		{figure, "max min avg mean median p25 p50 p75 p90 p95 p99"},
		{level, "score scores loudnessscores samples temperature absolutevalue avglogprob compressionratio instances overallsentiment " +
			"loudness sentimentscore intensity averagewordsperminute"},
		{offset, "begin end start stop duration offset from to ts endts starttime endtime startms endms begintime timestamp starttimestamp " +
			"endtimestamp startoffset endoffset resultendtime resultendoffset totalbilledtime audioduration durationinseconds " +
			"durationmilliseconds offsetmilliseconds totalconversationdurationmillis totaltimemillis totaltimeseconds begintimemillis " +
			"seconds sec secs s ms msec msecs millis milliseconds min mins minutes hours time timestamps dur heure heuredebut heuredefin debut fin hora horadeinicio " +
			"horainicio horadefin horafin inicio beginoffsetmillis endoffsetmillis durationmillis audiostartfrom audioendat"},
		{ticks, "offset duration durationinticks offsetinticks"},
		{nanoseconds, "nanos"},
		{matches(isoTime), "at time begin end start stop from to ts endts starttime endtime starttimestamp endtimestamp timestamp " +
			"created createdat updatedat datecreated dateupdated completedat submittedat begintime date datetime horodatage heure heuredebut " +
			"heuredefin debut fin fecha fechahora fechayhora hora horadeinicio horainicio horadefin horafin inicio"},
		{epoch, "at time begin end start stop ts endts starttime endtime starttimestamp endtimestamp timestamp " +
			"created createdat updatedat datecreated dateupdated completedat submittedat begintime"},
		{identifier, "id uuid requestid sid transcriptid speakerid itemid conversationid participantid modeluuid models sha256 " +
			"dialogid segmentid utteranceid callid identifier"},
		{matches(speakers), "speaker speakerlabel speakerid channel channellabel channelid participantid speakertag role participantrole id"},
		{matches(language), "language languagecode languagecodes detectedlanguage locale lang languages identifiedlanguagecode speechlanguage"},
		{matches(word), "type kind status jobstatus sentiment overallsentiment role participantrole task modality recognitionstatus channel " +
			"object category language outcome encoding mimetype mediatype vcon version speechmodel acousticmodel languagemodel " +
			"domain displayformat arch schematype output vendor"},
	} {
		for name := range strings.FieldsSeq(f.names) {
			m[name] = append(m[name], f.form)
		}
	}
	return m
}()

// The forms of harmless values that are not numbers. None of them has room for a name or for a
// number of somebody.
var (
	isoTime  = Whole(`20[0-4]\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,7})?(?:Z|[+-][01]\d:?[0-5]\d)?)?`)
	language = Whole(`(?:[a-z]{2}|[A-Z]{2}|cmn|fil|haw|wuu|yue)(?:-(?:Hans|Hant|Latn|Cyrl|Arab))?(?:[-_](?:[A-Z]{2}|[a-z]{2}|419))?|(?i:english)`)
	// word is one of the words that the formats use, or a media type or version.
	word = Whole(`(?i)word|text|punct|punctuation|pronunciation|recording|transfer|incomplete|transcript|transcribe|summary|sentiment|` +
		`completed|success|succeeded|failed|processing|positive|negative|neutral|mixed|voice|general|none|json|base64url|` +
		`text/(?:plain|html|vtt|csv|xml)|application/(?:json|xml|pdf|zip|octet-stream|x-ndjson)|(?:audio|video)/[a-z0-9-]{2,8}|` +
		`\d{1,2}(?:\.\d{1,3}){1,2}|v\d{1,2}|nova(?:-\d)?|best|nano|universal|deepgram|amazon|aws|google|azure|whisper|assemblyai|rev|twilio|openai|final|partial|agent|customer|raw|redacted`)
	speakers = Whole(`(?i)(?:spk|speaker|ch|channel|guest|agent|customer|participant|party|s|user|host|caller|interviewer|interviewee)?[ _-]?#?\d{1,3}|(?-i:[A-Z])|` +
		`agent|customer|unknown|system|UU|user|assistant|bot|chatbot|virtual ?agent|human|gpt|model|tool|function|developer|operator|representative|advisor|supervisor|` +
		`client|caller|visitor|guest|host|co-?host|moderator|interviewer|interviewee|presenter|organizer|attendee|narrator`)
	// uuids have the version and the variant of a UUID.
	uuids  = Whole(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	sids   = Whole(`[A-Z]{2}[0-9a-f]{32}|\d{1,3}`)
	hashes = Whole(`[0-9a-f]{32}|[0-9a-f]{64}`)

	// rates are those at which speech is sampled.
	rates     = Whole(`8000|11025|12000|16000|22050|24000|32000|44100|48000|88200|96000`)
	integers  = Whole(`-?\d{1,9}`)
	decimals  = Whole(`-?\d{1,9}(?:\.\d{1,40})?|-?\d(?:\.\d{1,20})?[eE]-\d{1,3}`)
	durations = Whole(`PT(?:(\d{1,2})H)?(?:(\d{1,4})M)?(?:(\d{1,5}(?:\.\d{1,7})?)S)?`)
	clocks    = Whole(`(\d{1,2}):([0-5]\d):([0-5]\d(?:[.,]\d{1,7})?)`)
)

// Whole compiles an expression that matches a whole text.
func Whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

// Set returns the words of a text as a set.
func Set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Rename returns identifiers of which those without a form, which could be somebody's, have another name:
// the same one everywhere.
func Rename(identifiers string, form *regexp.Regexp, renamed map[string]string) string {
	list := strings.Fields(identifiers)
	for i, id := range list {
		if form.MatchString(id) {
			continue
		}
		if renamed[id] == "" {
			renamed[id] = "id" + strconv.Itoa(len(renamed)+1)
		}
		list[i] = renamed[id]
	}
	return strings.Join(list, " ")
}

func matches(r *regexp.Regexp) form { return func(_ Limits, v string) bool { return r.MatchString(v) } }

// within reports whether a value is a number from least to most.
func within(r *regexp.Regexp, v string, least, most float64) bool {
	if !r.MatchString(v) {
		return false
	}
	f, err := strconv.ParseFloat(v, 64)
	return err == nil && least <= f && f <= most
}

func count(l Limits, v string) bool { return within(integers, v, -1, l.count) }
func few(_ Limits, v string) bool   { return within(integers, v, -99, 99) }
func share(_ Limits, v string) bool {
	return within(decimals, v, 0, 100) && (len(v) <= 6 || within(decimals, v, 0, 1))
}
func level(_ Limits, v string) bool  { return within(decimals, v, -999, 999) }
func figure(_ Limits, v string) bool { return within(decimals, v, -99999, 99999) }
func frames(l Limits, v string) bool { return within(integers, v, 0, l.seconds*100) }

// offset is a time from the start of a call, or a duration: seconds, milliseconds, PT1M2S or
// 00:01:02.
func offset(l Limits, v string) bool {
	for _, form := range []*regexp.Regexp{durations, clocks} {
		if m := form.FindStringSubmatch(v); m != nil {
			return seconds(m[1:]) <= max(l.seconds, 24*3600)
		}
	}
	number, unit := strings.CutSuffix(v, "s")
	_, fraction, isDecimal := strings.Cut(number, ".")
	if unit || isDecimal {
		// What the arithmetic of floating-point numbers adds is as long as it likes: 5.2799997. A number of somebody, such
		// as 604555.0134, is no time in seconds.
		return within(decimals, number, 0, l.seconds) || within(decimals, number, 0, l.seconds*1000) && (len(number) <= 9 || len(fraction) > 4)
	}
	return within(integers, number, 0, l.seconds*1000)
}

// seconds adds hours, minutes and seconds.
func seconds(parts []string) (sum float64) {
	for _, p := range parts {
		f, _ := strconv.ParseFloat(strings.Replace(p, ",", ".", 1), 64)
		sum = sum*60 + f
	}
	return sum
}

// ticks are of 100 ns. Recognizers give whole milliseconds.
func ticks(l Limits, v string) bool {
	return len(v) <= 12 && (v == "0" || strings.HasSuffix(v, "0000")) && within(digits, v, 0, l.seconds*1e7)
}

// nanoseconds are the part of a time below a second; recognizers give whole milliseconds.
func nanoseconds(_ Limits, v string) bool {
	return v == "0" || strings.HasSuffix(v, "00000") && within(digits, v, 0, 999_999_999)
}

// epoch is a time from 2010 to 2034, in seconds, milliseconds, microseconds or nanoseconds, perhaps with a fraction.
func epoch(_ Limits, v string) bool {
	if whole, fraction, ok := strings.Cut(v, "."); ok && len(fraction) <= 6 && digits.MatchString(fraction) {
		v = whole
	}
	return len(v) >= 10 && (len(v)-10)%3 == 0 && len(v) <= 19 && within(digits, v[:10], 1262304000, 2051222399) && digits.MatchString(v)
}

var digits = Whole(`\d+`)

// identifier is a UUID, an identifier of Twilio, a hash or a small number.
func identifier(_ Limits, v string) bool {
	if hashes.MatchString(v) {
		letters := len(v)
		for _, b := range []byte(v) {
			if b <= '9' {
				letters--
			}
		}
		return letters >= 4
	}
	return uuids.MatchString(v) || sids.MatchString(v)
}

// Speaker reports whether a value names a speaker without saying who it is.
func Speaker(value string) bool { return speakers.MatchString(value) }

// remark is what stands behind the name of a speaker and is no part of it: pronouns, a number, a role.
var remark = regexp.MustCompile(`(?i)[ \t]*[(\[](?:(?:she|her|hers|he|him|his|they|them|theirs|ze|zir|xe|xem|any|all)(?:[ ]?[/,|][ ]?(?:she|her|hers|he|him|his|they|them|theirs|ze|zir|xe|xem|any|all)){1,3}|` +
	`\d{1,2}|me|you|host|co-?host|guest|external|internal|unverified|organizer|presenter|attendee|agent|customer|caller|client|moderator|interviewer|interviewee|operator|direct message|privately)[)\]]$`)

// initials are those of somebody behind a name.
var initials = regexp.MustCompile(`[ \t]+[(\[][A-Z]{1,3}[)\]]$`)

// WithoutRemark returns the name of a speaker and a remark behind it that may stay, "" if it has none.
func WithoutRemark(label string) (name, behind string) {
	if at := remark.FindStringIndex(label); at != nil && at[0] > 0 {
		return label[:at[0]], label[at[0]:]
	}
	if at := initials.FindStringIndex(label); at != nil && at[0] > 0 {
		return label[:at[0]], ""
	}
	return label, ""
}

// Value reports whether a value with a name may be kept as it is.
func (l Limits) Value(name, value string) bool {
	of := forms[PlainName(name)]
	if words := Words(name); of == nil && len(words) > 1 {
		if last := words[len(words)-1]; endings[last] {
			of = forms[last]
		} else if slices.ContainsFunc(words, func(w string) bool { return lasting[w] }) {
			of = forms["duration"]
		}
	}
	return slices.ContainsFunc(of, func(f form) bool { return f(l, value) })
}

// Small reports whether a number is too small to say anything of somebody, unless its name says that it
// is an age or a part of a date.
func Small(name, value string) bool {
	if !within(decimals, value, 0, 1) && !(len(value) <= 2 && within(digits, value, 0, 99)) {
		return false
	}
	return !slices.ContainsFunc(Words(name), func(w string) bool { return telling[w] })
}

var telling = Set("age birth day month year code pin")

// endings are words at the end of a name that say what its values are: lastUpdateTime, total_count.
var endings = Set("count index indices seconds sec secs s ms msec msecs millis milliseconds min mins minutes hours max avg mean median percent percentage confidence score " +
	"duration begin start end stop time at timestamp id language locale lang")

// lasting are words for a duration in other languages, in which they come first: "durée appel".
var lasting = Set("durée duree duración duracion duração duracao durata dauer anrufdauer gesprächsdauer")

// program is a text as programs write names, categories and media types: one word, or several that are joined.
var program = regexp.MustCompile(`^[@$_]*[A-Za-z][A-Za-z0-9]*(?:[_.:/+-]+[A-Za-z0-9]+)*_*$`)

// Program returns the words of the name of a member that looks like an identifier of a program. plain reports whether its
// words say that it is one: an ordinary word is among them, or no word that is a name, and none is a number. Only what
// is known of the call can then be personal in it. The words are nil if the text is ordinary text.
func Program(text string) (words []string, plain bool) {
	words = Words(text)
	caps := len(text) > 2 && text == strings.ToUpper(text)
	if !program.MatchString(text) || len(words) == 1 && text != strings.ToLower(text) && !caps || len(text) > 80 {
		return nil, false
	}
	return words, plainWords(words)
}

// mediaTypes are the types of files.
var mediaTypes = Whole(`(?:application|audio|video|text|image|message|multipart)/[a-z0-9][a-z0-9.+-]{1,80}`)

// Enumerated reports whether a value looks like a word of a program: a media type, or ordinary words that are joined or
// in capitals. Only what is known of the call can then be personal in it.
func Enumerated(value string) bool {
	caps := len(value) > 2 && value == strings.ToUpper(value)
	return mediaTypes.MatchString(value) || caps && abbreviations[strings.ToLower(value)] ||
		(caps || strings.ContainsAny(value, "_-")) && program.MatchString(value) && len(value) <= 80 && Ordinary(value)
}

// Header reports whether the name of a column is that of a form, and no value.
func Header(name string) bool {
	words := lettersOf(name)
	return Name(name) || slices.ContainsFunc(words, func(w string) bool { return formWords[w] }) || plainWords(words)
}

// MayBeName reports whether a word of a value may be somebody's name.
func MayBeName(value string) bool {
	return slices.ContainsFunc(Words(value), func(w string) bool {
		e := lexicon.LookupHash(wordhash.String(w))
		return len(w) > 2 && e.Name() > 0 && !ordinary(e)
	})
}

// Ordinary reports whether a name consists of ordinary words, so that it may stand in an error.
func Ordinary(name string) bool {
	words := lettersOf(name)
	return !slices.ContainsFunc(words, func(w string) bool {
		version := len(words) > 1 && len(w) == 1 && digits.MatchString(w)
		return !version && !ordinaryWord(w, len(words) > 1)
	})
}

// abbreviations are words that programs use and people hardly say, or as names only: MAX_LINES, output_config.
var abbreviations = Set("max min avg num param params config configs init redaction redactions buffer boost cache sync async metadata utf ascii pcm wav " +
	"asr stt tts nlu ivr dtmf api sdk http https json xml csv html uri uuid id ids enum bool int str src dst tmp ctx cfg env seq idx len timestamp diarization " +
	"ani dnis aht acw csat nps sla crm pii phi pci prerecorded phonecall voicemail deepgram assemblyai openai gpt whisper twilio nova")

// formWords are words in the headers of forms and tables in French, German, Italian, Portuguese and Spanish.
var formWords = Set("agent agente anruf anrufer appel appelant asunto beginn betreff bezeichnung canal chamada chiamata client cliente cola comentario comentários commentaire " +
	"correo courriel data date datei datum dauer debut durata duración duracion duração duree durée début ende estado etiqueta fecha file fila fim fin fine hora heure horodatage " +
	"id identifiant idioma inicio início inizio intervenant kanal kunde langue lingua llamada mensaje mensagem messaggio motif motivo nom nombre nome nota note notiz numéro número " +
	"numero nummer objet oggetto ora participante puntuación resultado résultat sprache sprecher stato status statut sujet telefon telefono teléfono telefone téléphone texte texto " +
	"testo titel titolo titre título typ type tipo transcripción transcription transcrição trascrizione uhrzeit utilisateur usuario usuário warteschlange zeit")

// ordinaryWord reports whether a word is rather a word than a name; joined with others, it may be an abbreviation of programs.
func ordinaryWord(w string, joined bool) bool {
	return joined && abbreviations[w] || ordinary(lexicon.LookupHash(wordhash.String(w)))
}

func lettersOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// ordinary reports whether a word is rather a word than a name.
func ordinary(e lexicon.Entry) bool { return e.Common() >= 4 && e.Name() < 7 && e.Common() > e.Name() }

func plainWords(words []string) bool {
	names, isWord := false, false
	for _, w := range words {
		e := lexicon.LookupHash(wordhash.String(w))
		switch {
		case len(strings.Trim(w, "0123456789")) <= len(w)-4:
			return false
		case ordinaryWord(w, len(words) > 1):
			isWord = true
		case e.Name() > e.Common():
			names = true
		}
	}
	return isWord || !names
}

// Words returns the words of a name that a program wrote as one, in lower case.
func Words(name string) (words []string) {
	begin := 0
	flush := func(end int) {
		if end > begin {
			words = append(words, strings.ToLower(name[begin:end]))
		}
		begin = end
	}
	for i, b := range []byte(name) {
		lower := func(k int) bool { return k >= 0 && k < len(name) && 'a' <= name[k] && name[k] <= 'z' }
		switch {
		case strings.IndexByte("_-.:@$/+() ", b) >= 0:
			flush(i)
			begin = i + 1
		case 'A' <= b && b <= 'Z' && (lower(i-1) || lower(i+1)):
			flush(i)
		}
	}
	flush(len(name))
	return words
}

// opaque are names whose values are somebody's file names, accounts or addresses.
var opaque = Set("jobname dataname accountid accountsid recordingsid servicesid customerkey source filename file uri url mediafileuri " +
	"audiourl redactedaudiourl webhookurl transcriptfileuri mediaurl recordingurl selfuri contenturl nextpageurl previouspageurl " +
	"firstpageurl key requestid apikey signature customid tag tags contenthash self")

// Opaque reports whether a value with a name is replaced as a whole, since it is not written in words: file names,
// accounts, addresses of recordings, and tags that are no words of a program.
func Opaque(name, value string) bool {
	name = PlainName(name)
	return opaque[name] && !(strings.HasPrefix(name, "tag") && Enumerated(value))
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "", "é", "e", "í", "i", "ó", "o", "ã", "a", "ç", "c")

// PlainName returns a name in lower case and without what stands between its words.
func PlainName(name string) string { return separators.Replace(strings.ToLower(name)) }

// structural are names that hold further values.
var structural = Set("results result transcripts transcript speakerlabels segments items alternatives content channels " +
	"channellabels audiosegments text words word speakers metadata utterances paragraphs sentences punctuatedword display lexical itn " +
	"maskeditn displaytext displaywords nbest combinedrecognizedphrases recognizedphrases combinedphrases phrases monologues elements " +
	"value name title parties dialog analysis attachments body analysisinput conversations conversationitems audiotimings summary " +
	"entities chapters gist headline sentimentanalysisresults autohighlightsresult wordsegments chars char tokens participants " +
	"categories matchedcategories matcheddetails pointsofinterest conversationcharacteristics issuesdetected outcomesdetected " +
	"actionitemsdetected contactsummary autogenerated totalconversationdurationmillis talktime nontalktime talkspeed interruptions " +
	"detailsbyparticipant averagewordsperminute interruptionsbyinterrupter overallsentiment sentimentbyperiod quarter displayname " +
	"page pagesize tasks tags search hits query snippet speakerinfo model " +
	"max min params config characteroffsets contentmetadata transcriptiontext meta vendor schema subject tel mailto ani dnis")

// Name reports whether a name is one of a format, and not somebody's value.
func Name(name string) bool {
	name = PlainName(name)
	return forms[name] != nil || opaque[name] || structural[name]
}

// encoded is text that encodes bytes: a recording, an image, a signature.
var encoded = regexp.MustCompile(`^(?:data:[a-z0-9/.+;=-]{1,80},)?[A-Za-z0-9+/_=-]{200,}$`)

// Encoded reports whether a value is bytes in an encoding, in which nobody can look for words.
func Encoded(value string) bool { return len(value) >= 200 && encoded.MatchString(value) }
