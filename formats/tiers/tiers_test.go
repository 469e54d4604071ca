package tiers

import (
	"strings"
	"testing"

	"sotto/formats/transcript"
)

// replaced returns a document with W for all texts and N for all names.
func replaced(t *testing.T, d *transcript.Document, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	c := d.Calls[0]
	repeats := c.Repeats
	for _, x := range append(c.Turns, c.Others...) {
		if repeats = append(repeats, x.Repeats...); x.Set != nil {
			x.Set("W")
		}
	}
	for _, l := range c.Labels {
		l.Set("N")
	}
	for _, r := range repeats {
		r.Set([]transcript.Span{{Last: len(r.Pieces) - 1, Text: "W"}})
	}
	out, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func elanFile(tier, tiers string) string {
	return `<?xml version="1.0"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-03-04T10:00:00+01:00" FORMAT="3.0" VERSION="3.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"><PROPERTY NAME="lastUsedAnnotationId">2</PROPERTY></HEADER>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="780"/><TIME_SLOT TIME_SLOT_ID="ts2"/></TIME_ORDER>
<TIER DEFAULT_LOCALE="en" LINGUISTIC_TYPE_REF="default-lt"` + tier + `><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>W</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
` + tiers + `<LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
<LOCALE COUNTRY_CODE="US" LANGUAGE_CODE="en"/>
<CONSTRAINT STEREOTYPE="Time_Subdivision"/>
</ANNOTATION_DOCUMENT>
`
}

func gridFile(name, tiers string) string {
	return "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = 2.3409 \ntiers? <exists> \nsize = 2 \nitem []: \n" +
		"    item [1]:\n        class = \"IntervalTier\" \n        name = \"" + name + "\" \n        xmin = 0 \n        xmax = 2.3409 \n        intervals: size = 1 \n" +
		"        intervals [1]:\n            xmin = 0 \n            xmax = 2.3409 \n            text = \"W\" \n" + tiers
}

const points = "    item [2]:\n        class = \"TextTier\" \n        name = \"notes\" \n        xmin = 0 \n        xmax = 2.3409 \n        points: size = 1 \n" +
	"        points [1]:\n            number = 1.5 \n            mark = \"W\" \n"

const chatHead = "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tAGT Participant, CUS N Participant\n@ID:\teng||AGT|||||Participant|||\n@Date:\t04-MAR-2026\n"

var readers = map[string]func(string) (*transcript.Document, error){"<": ReadELAN, "F": ReadTextGrid, "@": ReadCHAT}

// What the formats have stays, byte for byte.
func TestWhatIsKnownStays(t *testing.T) {
	for _, text := range []string{
		elanFile(` TIER_ID="Agent-words"`, ""), elanFile(` PARTICIPANT="Agent" TIER_ID="utterance"`, `<TIER LINGUISTIC_TYPE_REF="default-lt" PARENT_REF="utterance" TIER_ID="gloss@Agent">`+
			`<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1"><ANNOTATION_VALUE>W</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>`+"\n"),
		gridFile("Speaker 1 - words", points), gridFile("utterances", points),
		chatHead + "*AGT:\tW \x15780_1500\x15 \n%com:\tW\n*CUS:\tW \n@New Episode\n@Comment:\tW\n@End\n",
	} {
		d, err := readers[text[:1]](text)
		if got := replaced(t, d, err); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
	}
}

// Whatever is not known of the format is a text of the call, or goes: the tests replace all texts.
func TestNoValueStaysInAnOddPlace(t *testing.T) {
	elan := elanFile(` TIER_ID="Ines Quimby"`, "")
	for _, c := range [][2]string{
		{`TIME_VALUE="780"`, `TIME_VALUE="4539148803436467"`}, {`TIME_VALUE="780"`, `TIME_VALUE="quimby"`}, {`"ts1"`, `"quimby"`}, {`"a1"`, `"a4539148803"`}, {`"a1"`, `"4539 1488 0343"`},
		{`AUTHOR=""`, `AUTHOR="quimby"`}, {`AUTHOR=""`, `QUIMBY="1"`}, {`AUTHOR=""`, `AUTHOR="" quimby:AUTHOR="4539"`}, {`MEDIA_FILE=""`, `MEDIA_FILE="/home/quimby/quimby.wav"`},
		{`MEDIA_FILE=""`, `MEDIA_FILE="a.quimby"`}, {`"default-lt"`, `"quimby"`}, {`>2<`, `>4539148803436467<`}, {`"lastUsedAnnotationId"`, `"quimby"`}, {`"en"`, `"quimby"`},
		{`"Time_Subdivision"`, `"quimby"`}, {`"milliseconds"`, `"quimby"`}, {`"3.0"`, `"45391488.0"`}, {`<HEADER`, `<!-- quimby --><?quimby 4539?><!DOCTYPE quimby><HEADER`},
		{`<LOCALE`, `<QUIMBY/><LOCALE`}, {`<LOCALE`, `quimby<LOCALE`}, {`>W<`, `><![CDATA[quimby]]><`}, {`>W<`, `>&#113;uimby<`}, {`http://www.w3.org/2001/XMLSchema-instance`, `http://quimby`},
		{` TIER_ID=`, ` PARTICIPANT="quimby" ANNOTATOR="quimby" TIER_ID=`}, {`EAFv3.0.xsd`, `quimby.xsd`}, {`COUNTRY_CODE="US"`, `COUNTRY_CODE="QUIMBY"`},
	} {
		if !strings.Contains(elan, c[0]) {
			t.Fatal(c[0])
		}
		d, err := ReadELAN(strings.ReplaceAll(elan, c[0], c[1]))
		nothingOf(t, c[1], replaced(t, d, err))
	}
	grid := gridFile("Ines Quimby", strings.Replace(points, "notes", "quimby notes", 1))
	for _, c := range [][2]string{
		{"xmin = 0", "xmin = quimby 0"}, {"xmax = 2.3409", "xmax = 4539148803436467"}, {"xmax = 2.3409", "xmax = 2.34094539148803"}, {"item [1]", "item [4539148803]"}, {"= 1.5", "= -4539148803"},
		{`"TextTier"`, `"Quimby"`}, {"item []:", "quimby ! quimby 4539"}, {`"W"`, `"q""W" !quimby`}, {`"W"`, `"" "quimby"`}, {"<exists>", "<exists> <quimby>"}, {"size = 2", "size = 45391488"},
	} {
		d, err := ReadTextGrid(strings.ReplaceAll(grid, c[0], c[1]))
		nothingOf(t, c[1], replaced(t, d, err))
	}
	const chat = chatHead + "*AGT:\tW \x15780_1500\x15\n%wor:\tW \x15780_1500\x15\n@End\n"
	for _, c := range [][2]string{
		{"@End", "@Quimby\n@Comment of Quimby:\tW\n@Birth of QUI:\t04-MAR-1999\n@End\tquimby"}, {"eng", "quimby"}, {"04-MAR-2026", "quimby"}, {"AGT", "QUIMBY"}, {" N ", " Ines_Quimby "}, {"AGT P", "QUI Quimby P"},
		{"Participant", "Quimby"}, {"eng||", "eng|Quimby|"}, {"|AGT||", "|AGT|45;39.14|quimby"}, {"Participant|||", "Participant|quimby|4539|"}, {"@Date:", "@Media:\tquimby, audio\n@Date:"},
		{"\x15780_1500", "\x154539148803_4539148804"}, {"\x15780_1500", "\x15quimby_780_1500"}, {"%wor", "%quimby"}, {"%wor:\tW", "%com:\tquimby"}, {"%wor:\tW", "%mor:\tquimby"}, {"\tW", "\tW\n\tquimby"},
		{"@End", "quimby"}, {"@UTF8", "@UTF8 quimby"}, {"@Begin", "@Begin\tquimby"},
	} {
		if !strings.Contains(chat, c[0]) {
			t.Fatal(c[0])
		}
		d, err := ReadCHAT(strings.ReplaceAll(chat, c[0], c[1]))
		nothingOf(t, c[1], replaced(t, d, err))
	}
}

func nothingOf(t *testing.T, in, out string) {
	t.Helper()
	if low := strings.ToLower(out); strings.Contains(low, "quimby") || strings.Contains(low, "4539") || strings.Contains(low, "qui ") {
		t.Errorf("of %q stays\n%s", in, out)
	}
}

// A tier of words repeats the turns, one of sounds is emptied, and names of tiers stay apart.
func TestTiers(t *testing.T) {
	type layers = []*tier
	renamed := map[*tier]string{}
	tier := func(name string, texts ...string) *tier {
		x := &tier{name: name}
		x.rename = []func(string){func(s string) { renamed[x] = s }}
		for i, text := range texts {
			from, to := int64(i*500), int64(i*500+400)
			x.notes = append(x.notes, transcript.Slot{Text: text, Set: func(s string) { texts[i] = s }, StartMS: &from, EndMS: &to})
		}
		return x
	}
	sounds := []string{"AY1", "N", "EH1", "Z"}
	words, a, b := tier("Ines - words", "I", "am", "Ines"), tier("Ines", "I am Ines."), tier("Ana", "four", "one", "two")
	d := &transcript.Document{}
	addTiers(d, layers{words, a, b, tier("Ines - phones", sounds...)})
	c := d.Calls[0]
	if len(c.Turns) != 2 || c.Turns[0].Text != "I am Ines." || c.Turns[1].Text != "four one two" || len(c.Repeats) != 1 || len(c.Repeats[0].Pieces) != 3 {
		t.Errorf("turns %d, repeats %d", len(c.Turns), len(c.Repeats))
	}
	if strings.Join(sounds, "") != "" || len(d.Notes) != 1 {
		t.Errorf("sounds stay: %q", sounds)
	}
	for _, l := range c.Labels {
		l.Set("N")
	}
	if got := renamed[words] + "|" + renamed[a] + "|" + renamed[b]; got != "N - words|N|N (2)" {
		t.Error(got)
	}
}
