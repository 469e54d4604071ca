package batch

import (
	"fmt"
	"strings"
)

// init adds samples of the formats of linguists, and of NICE CXone.
func init() {
	samples["cxone.json"] = func(call []spokenTurn) string { return indented(cxoneSample(call)) }
	samples["annotated.eaf"] = elanSample
	samples["turns.TextGrid"] = textGridSample
	samples["words.TextGrid"] = shortTextGridSample
	samples["call.cha"] = chatFileSample
}

func cxoneSample(call []spokenTurn) m {
	return m{"vendorId": "7", "busId": "4597359", "virtualAgentId": "larkmoor-agent", "contactId": "502613790511", "contactState": "SELF_SERVICE", "mediaType": "Voice",
		"selfServiceSessionDetails": m{"transcriptPublishSettingOption": "PUBLISH_TRANSCRIPTS_ONLY", "sessionCompletionType": "ESCALATED", "sessionCompletionDetails": "Tobias Wendover asked for a person",
			"transcriptSummary": "Tobias Wendover has a new card.", "transcripts": each(call, func(i int, s spokenTurn, _ []timed) m {
				return m{"participantId": []string{"Bot", "Patron"}[s.speaker], "messageBody": s.text, "messageContentType": "TRANSCRIPT", "utcDateTime": fmt.Sprintf("2026-03-04T10:00:%02d.000Z", i*4)}
			})}}
}

// elanSample has a tier of turns for each speaker, and below it one of words.
func elanSample(call []spokenTurn) string {
	var slots, tiers strings.Builder
	ids, slot := 0, 0
	annotation := func(w timed, text string) {
		ids++
		fmt.Fprintf(&slots, "        <TIME_SLOT TIME_SLOT_ID=\"ts%d\" TIME_VALUE=\"%d\"/>\n        <TIME_SLOT TIME_SLOT_ID=\"ts%d\" TIME_VALUE=\"%d\"/>\n", slot+1, ms(w.start), slot+2, ms(w.end))
		fmt.Fprintf(&tiers, "        <ANNOTATION>\n            <ALIGNABLE_ANNOTATION ANNOTATION_ID=\"a%d\" TIME_SLOT_REF1=\"ts%d\" TIME_SLOT_REF2=\"ts%d\">\n"+
			"                <ANNOTATION_VALUE>%s</ANNOTATION_VALUE>\n            </ALIGNABLE_ANNOTATION>\n        </ANNOTATION>\n", ids, slot+1, slot+2, text)
		slot += 2
	}
	for speaker, name := range sampleNames {
		for _, words := range []bool{false, true} {
			id, parent := name, ""
			if words {
				id, parent = name+"-words", ` PARENT_REF="`+name+`"`
			}
			fmt.Fprintf(&tiers, "    <TIER ANNOTATOR=\"Marisol Thistlewood\" DEFAULT_LOCALE=\"en\" LINGUISTIC_TYPE_REF=\"default-lt\"%s PARTICIPANT=\"%s\" TIER_ID=\"%s\">\n", parent, name, id)
			for i, w := range timedWords(call, display) {
				switch {
				case call[i].speaker != speaker:
				case words:
					for _, one := range w {
						annotation(one, one.text)
					}
				default:
					annotation(timed{start: w[0].start, end: w[len(w)-1].end}, call[i].text)
				}
			}
			tiers.WriteString("    </TIER>\n")
		}
	}
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<ANNOTATION_DOCUMENT AUTHOR="Marisol Thistlewood" DATE="2026-03-04T10:00:00+01:00" FORMAT="3.0" VERSION="3.0" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">` + "\n" +
		`    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">` + "\n" +
		`        <MEDIA_DESCRIPTOR MEDIA_URL="file:///home/thistlewood/tobias-wendover.wav" MIME_TYPE="audio/x-wav" RELATIVE_MEDIA_URL="./tobias-wendover.wav"/>` + "\n" +
		`        <PROPERTY NAME="URN">urn:nl-mpi-tools-elan-eaf:` + sampleUUID(1) + `</PROPERTY>` + "\n" + fmt.Sprintf(`        <PROPERTY NAME="lastUsedAnnotationId">%d</PROPERTY>`, ids) + "\n    </HEADER>\n" +
		"    <TIME_ORDER>\n" + slots.String() + "    </TIME_ORDER>\n" + tiers.String() +
		`    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>` + "\n" +
		`    <LOCALE COUNTRY_CODE="US" LANGUAGE_CODE="en"/>` + "\n" +
		`    <CONSTRAINT DESCRIPTION="Time subdivision of parent annotation's time interval, no time gaps allowed within this interval" STEREOTYPE="Time_Subdivision"/>` + "\n</ANNOTATION_DOCUMENT>\n"
}

// intervals are the words of a speaker with the silence between them, or his turns.
func intervals(call []spokenTurn, speaker int, words bool) (list []timed, end float64) {
	add := func(w timed) {
		if w.start > end {
			list = append(list, timed{"", end, w.start})
		}
		list, end = append(list, w), w.end
	}
	for i, w := range timedWords(call, display) {
		switch {
		case call[i].speaker != speaker:
		case words:
			for _, one := range w {
				add(one)
			}
		default:
			add(timed{call[i].text, w[0].start, w[len(w)-1].end})
		}
	}
	return list, end
}

// textGridSample has turns of each speaker, in the long form.
func textGridSample(call []spokenTurn) string {
	var b strings.Builder
	_, last := intervals(call, 0, false)
	_, other := intervals(call, 1, false)
	last = max(last, other)
	fmt.Fprintf(&b, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = %s \ntiers? <exists> \nsize = 2 \nitem []: \n", sec(last))
	for speaker, name := range sampleNames {
		list, end := intervals(call, speaker, false)
		if end < last {
			list = append(list, timed{"", end, last})
		}
		fmt.Fprintf(&b, "    item [%d]:\n        class = \"IntervalTier\" \n        name = \"%s\" \n        xmin = 0 \n        xmax = %s \n        intervals: size = %d \n", speaker+1, name, sec(last), len(list))
		for i, w := range list {
			fmt.Fprintf(&b, "        intervals [%d]:\n            xmin = %s \n            xmax = %s \n            text = \"%s\" \n", i+1, sec(w.start), sec(w.end), strings.ReplaceAll(w.text, `"`, `""`))
		}
	}
	return b.String()
}

// shortTextGridSample has the words of everybody, as aligners write them, and remarks at points, in the short form.
func shortTextGridSample(call []spokenTurn) string {
	var list []timed
	last := 0.0
	for _, words := range timedWords(call, spoken) {
		for _, w := range words {
			list, last = append(list, timed{"", last, w.start}, w), w.end
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "File type = \"ooTextFile short\"\n\"TextGrid\"\n\n0\n%s\n<exists>\n2\n\"IntervalTier\"\n\"words\"\n0\n%s\n%d\n", sec(last), sec(last), len(list))
	for _, w := range list {
		fmt.Fprintf(&b, "%s\n%s\n\"%s\"\n", sec(w.start), sec(w.end), w.text)
	}
	fmt.Fprintf(&b, "\"TextTier\"\n\"notes\"\n0\n%s\n1\n0.25\n\"Tobias Wendover is on a \"\"new\"\" phone\"\n", sec(last))
	return b.String()
}

// chatFileSample has a line for each turn, with the times of words below it.
func chatFileSample(call []spokenTurn) string {
	codes := []string{"AGT", "CUS"}
	b := strings.Builder{}
	b.WriteString("@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tAGT Ines_Quimby Participant, CUS Tobias_Wendover Participant\n" +
		"@ID:\teng|larkmoor|AGT|||||Participant|||\n@ID:\teng|larkmoor|CUS|47;03.|male|||Participant|||\n@Media:\tcall, audio\n@Comment:\tTobias Wendover called twice,\n\tand Ines Quimby answered\n")
	for i, w := range timedWords(call, spoken) {
		var words, forms strings.Builder
		for _, one := range w {
			fmt.Fprintf(&words, "%s \x15%d_%d\x15 ", one.text, ms(one.start), ms(one.end))
			fmt.Fprintf(&forms, "n|%s ", one.text)
		}
		fmt.Fprintf(&b, "*%s:\t%s . \x15%d_%d\x15\n%%mor:\t%s.\n%%wor:\t%s.\n", codes[call[i].speaker], call[i].lexical, ms(w[0].start), ms(w[len(w)-1].end), forms.String(), words.String())
	}
	return b.String() + "@End\n"
}
