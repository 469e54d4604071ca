// Package harmless says which values of a file may be kept as they are: those of which the name and
// the form together show that they are a time, a score, an identifier or a word of the format. A
// value that has the name and not the form is not harmless.
package harmless

import (
	"regexp"
	"strings"
)

// OpaqueMark replaces opaque values.
const OpaqueMark = "[GENERIC_ID]"

// forms says for names which form a value must have to be kept. Names are compared in lower case,
// without "_" and "-".
var forms = func() map[string]*regexp.Regexp {
	m := map[string]*regexp.Regexp{}
	for form, names := range map[string]string{
		formCount: "rank count channel channels channeltag channelnumber numberofchannels mediachannel seek numwords startword " +
			"endword sentenceindex index sequence speakertag speakers speakerscount speakersexpected agent customer speaker id " +
			"segmentid itemid items dialog parties party originator participantid page pagesize p",
		formNumber: "score scores loudnessscores samples confidence confidencescore confidencescores wordconfidence speakerconfidence " +
			"languageconfidence languageprobability probability avglogprob compressionratio nospeechprob temperature absolutevalue " +
			"percentage totaltimemillis totaltimeseconds instances overallsentiment loudness sentimentscore intensity confidence_score " +
			"begin end start stop duration offset from to ts endts starttime endtime startms endms begintime timestamp " +
			"audioduration durationinticks offsetinticks durationinseconds durationmilliseconds offsetmilliseconds " +
			"totalconversationdurationmillis averagewordsperminute begintimemillis beginoffsetmillis endoffsetmillis durationmillis audiostartfrom audioendat speechthreshold",
		formTime: "begin end start stop duration offset from to ts endts starttime endtime starttimestamp endtimestamp timestamp " +
			"created createdat updatedat datecreated dateupdated completedat submittedat totalbilledtime resultendtime resultendoffset " +
			"startoffset endoffset begintime",
		formID: "id uuid requestid sid transcriptid speakerid itemid conversationid participantid modeluuid models sha256 " +
			"dialogid segmentid utteranceid callid",
		formSpeaker: "speaker speakerlabel speakerid channel channellabel channelid participantid speakertag role participantrole id",
		formLanguage: "language languagecode languagecodes detectedlanguage locale languages identifiedlanguagecode " +
			"speechlanguage",
		formWord: "type kind status jobstatus sentiment overallsentiment role participantrole task modality recognitionstatus channel " +
			"object category language outcome encoding mimetype mediatype vcon version speechmodel acousticmodel languagemodel " +
			"domain displayformat arch schematype output vendor",
	} {
		for name := range strings.FieldsSeq(names) {
			old := ""
			if f := m[name]; f != nil {
				old = f.String() + "|"
			}
			m[name] = regexp.MustCompile(old + `^(?:` + form + `)$`)
		}
	}
	return m
}()

// The forms of harmless values. None of them has room for a name or for a number of somebody.
const (
	formCount  = `-?\d{1,6}`
	formNumber = `-?\d{1,9}|-?\d{1,13}\.\d{1,20}|-?\d(?:\.\d{1,20})?[eE]-?\d{1,3}`
	formTime   = `\d{1,9}(?:\.\d{1,9})?s?|1\d{9}(?:\d{3}){0,3}|PT[\d.HMS]{1,24}|\d{1,3}:\d\d:\d\d(?:[.,]\d{1,7})?|` +
		`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?`
	formID       = `[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[A-Z]{2}[0-9a-f]{32}|[0-9a-f]{32}|[0-9a-f]{64}|\d{1,4}`
	formSpeaker  = `(?i)(?:spk|speaker|ch|channel|guest|agent|customer|participant|party)?[ _-]?\d{1,3}|[A-Z]|(?i)agent|customer|unknown|system`
	formLanguage = `[a-z]{2,3}(?:[-_][A-Za-z]{2,4}){0,2}|(?i)english`
	// formWord is one of the words that the formats use, or a media type or version.
	formWord = `(?i)word|text|punct|punctuation|pronunciation|recording|transfer|incomplete|transcript|transcribe|summary|sentiment|` +
		`completed|success|succeeded|failed|processing|positive|negative|neutral|mixed|voice|general|none|json|base64url|` +
		`text/plain|audio/(?:wav|x-wav|mpeg|ogg)|\d{1,2}(?:\.\d{1,3}){1,2}|v\d{1,2}|nova-\d|best|nano|universal|deepgram|amazon|aws|google|azure|whisper|assemblyai|rev|twilio|openai|final|partial|agent|customer|raw|redacted`
)

// Value reports whether a value with a name may be kept as it is.
func Value(name, value string) bool {
	form := forms[plainName(name)]
	return form != nil && form.MatchString(value)
}

// opaque are names whose values are somebody's file names, accounts or addresses.
var opaque = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq("jobname accountid accountsid recordingsid servicesid customerkey source filename file uri url mediafileuri " +
		"audiourl redactedaudiourl webhookurl transcriptfileuri mediaurl recordingurl selfuri contenturl nextpageurl previouspageurl " +
		"firstpageurl key requestid apikey signature customid tag tags contenthash self") {
		m[name] = true
	}
	return m
}()

// Opaque reports whether values with a name are replaced as a whole, since they are not written in
// words: file names, accounts, addresses of recordings.
func Opaque(name string) bool { return opaque[plainName(name)] }

var separators = strings.NewReplacer("_", "", "-", "")

func plainName(name string) string { return separators.Replace(strings.ToLower(name)) }

// structural are names that hold further values.
var structural = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq("results result transcripts transcript speakerlabels segments items alternatives content channels " +
		"channellabels audiosegments text words word speakers metadata utterances paragraphs sentences punctuatedword display lexical itn " +
		"maskeditn displaytext displaywords nbest combinedrecognizedphrases recognizedphrases combinedphrases phrases monologues elements " +
		"value name title parties dialog analysis attachments body analysisinput conversations conversationitems audiotimings summary " +
		"entities chapters gist headline sentimentanalysisresults autohighlightsresult wordsegments chars char tokens participants " +
		"categories matchedcategories matcheddetails pointsofinterest conversationcharacteristics issuesdetected outcomesdetected " +
		"actionitemsdetected contactsummary autogenerated totalconversationdurationmillis talktime nontalktime talkspeed interruptions " +
		"detailsbyparticipant averagewordsperminute interruptionsbyinterrupter overallsentiment sentimentbyperiod quarter displayname " +
		"page pagesize tasks tags search hits query snippet speakerinfo model " +
		"characteroffsets contentmetadata transcriptiontext meta vendor schema subject tel mailto") {
		m[name] = true
	}
	return m
}()

// Name reports whether a name is one of a format, and not somebody's value.
func Name(name string) bool {
	name = plainName(name)
	return forms[name] != nil || opaque[name] || structural[name]
}

// encoded is text that encodes bytes: a recording, an image, a signature.
var encoded = regexp.MustCompile(`^(?:data:[a-z0-9/.+;=-]{1,80},)?[A-Za-z0-9+/_=-]{200,}$`)

// Encoded reports whether a value is bytes in an encoding, in which nobody can look for words.
func Encoded(value string) bool { return len(value) >= 200 && encoded.MatchString(value) }
