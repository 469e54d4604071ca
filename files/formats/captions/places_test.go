package captions

import (
	"strings"
	"testing"
)

// Whatever is not known of the format is a text of the call, or goes: the tests replace all texts.
func TestNoValueStaysInAnOddPlace(t *testing.T) {
	const at = "00:00:01.000 --> 00:00:09.000"
	for _, cue := range []string{
		at + "\n<4539148803436467>hello", at + "\n<45:39:14.880>hello", at + "\nhello <c.quimby.n4539148803436467>you</c>", at + "\n<v.quimby Ines>hello</v>",
		at + "\n<quimby>hello</quimby>", at + "\n<lang quimby>hello</lang>", at + "\n<font color=\"#45391488\">hello</font>", at + "\n<font color=\"quimby\">hello</font>",
		at + " region:quimby\nhello", at + " region:4539148803436467\nhello", at + " X1:4539 X2:1488 Y1:0343 Y2:6467\nhello", at + " position:4539%\nhello",
		at + " line:45,39148803\nhello", at + " align:quimby\nhello", at + " line:45 line:39 line:14\nhello",
		"45391488-0343-6467-4539-148803436467/1-0\n" + at + "\nhello", "453914\n" + at + "\nhello", "4539-148-803-436-467-4539-148-803-43\n" + at + "\nhello",
		"4539148803436467:00:01.000 --> 4539148803436467:00:02.000\nhello",
		at + "\n&#52;&#53;&#51;&#57;148803436467",
	} {
		d, err := ReadVTT("WEBVTT\n\n" + cue + "\n\n00:00:10.000 --> 00:00:11.000\nbye\n")
		nothingOf(t, cue, replaced(t, d, err))
	}
	for _, xml := range []string{
		`<p region="quimby">a</p>`, `<p xml:id="n4539148803436467">a</p>`, `<p ttm:agent="quimby">a</p>`, `<p quimby="center">a</p>`, `<p tts:quimby="center">a</p>`,
		`<p quimby:lang="en">a</p>`, `<p xmlns:quimby="http://www.w3.org/ns/ttml">a</p>`, `<p xmlns:tts="http://www.w3.org/4539148803436467">a</p>`,
		`<p tts:extent="45391488px 03436467px">a</p>`, `<p tts:extent="4539 1488 0343 6467">a</p>`, `<p tts:color="quimby">a</p>`, `<p tts:color="#45391488">a</p>`,
		`<p tts:fontFamily="quimby">a</p>`, `<p begin="4539148803436467">a</p>`, `<p end="4539148803s">a</p>`, `<p begin="4539148803436467t">a</p>`, `<p ttm:role="quimby">a</p>`,
		`<p>a<quimby>b</quimby>c</p>`, `<p>a<quimby:span>b</quimby:span><tts:quimby/>c</p>`, `<p>a<n4539148803436467/>b</p>`, `<p xml:lang="quimby">a</p>`,
		`<p ttp:frameRate="4539148803436467">a</p>`, `<p smpte:backgroundImage="#quimby">a</p>`, `<p style="quimby s1">a</p>`, `<p Ínquimby="start">a</p>`,
		`<?quimby 4539?><p>a</p>`, `<p note="&#52;539148803436467">a</p>`, `<p>a<![CDATA[quimby]]></p>`,
	} {
		d, err := ReadTTML(`<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body><div>` + xml + `</div></body></tt>`)
		got := replaced(t, d, err)
		nothingOf(t, xml, got)
		if again, err := ReadTTML(got); err != nil || len(again.Calls[0].Turns) == 0 {
			t.Errorf("%s: the output cannot be read again: %v\n%s", xml, err, got)
		}
	}
	for _, prolog := range []string{`<?xml version="1.0" quimby="4539"?>`, `<?xml version="1.0" encoding="quimby"?>`} {
		d, err := ReadTTML(prolog + `<tt><body><div><p>a</p></div></body></tt>`)
		nothingOf(t, prolog, replaced(t, d, err))
	}
}

func nothingOf(t *testing.T, in, out string) {
	t.Helper()
	if low := strings.ToLower(out); strings.Contains(low, "quimby") || strings.Contains(low, "4539") || strings.Contains(low, "453914") || strings.Contains(low, "45:39") ||
		strings.Contains(low, "#52") || strings.Contains(low, "line:39") {
		t.Errorf("of %q stays\n%s", in, out)
	}
}

// What the formats have stays, byte for byte, with what refers to it.
func TestWhatIsKnownStays(t *testing.T) {
	vtt := "WEBVTT\n\n5f1b2c3d-0a1b-4c2d-8e3f-112233445566/1-0\n00:01.000 --> 00:09.000 align:start position:10%,line-left line:-1 size:33.5% vertical:rl region:r1\n" +
		"<c.yellow.bg_blue><00:02.500><b>W</b></c> <ruby>W<rt>W</rt></ruby>\n\n2\n00:10.000 --> 00:11.000\n<font color=\"#ffffff\">W</font> <i>W</i>\n"
	d, err := ReadVTT(vtt)
	if got := replaced(t, d, err); got != vtt {
		t.Errorf("got  %s\nwant %s", got, vtt)
	}
	const tt = `<?xml version="1.0" encoding="UTF-8" standalone="no"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" ` +
		`xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:ebutts="urn:ebu:tt:style" ttp:cellResolution="50 30" ttp:timeBase="media" ttp:frameRate="25" ` +
		`ttp:tickRate="10000000" xml:lang="en-GB" xml:space="preserve" tts:extent="1920px 1080px"><head><styling>` +
		`<style xml:id="s1" tts:color="#ffffff" tts:backgroundColor="black" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:textAlign="center"/>` +
		`</styling><layout><region xml:id="r1" tts:origin="10% 80%" tts:extent="80.5% 15%" tts:displayAlign="after" ebutts:linePadding="0.5c"/></layout></head>` +
		`<body><div><p xml:id="p12" begin="00:00:01.000" end="00:00:02:12" region="r1" style="s1"><span tts:color="yellow">W</span><br/>W</p>` +
		`<p begin="10000000t" end="25000000t">W</p><p begin="12.5s" dur="2s">W</p></div></body></tt>`
	d, err = ReadTTML(tt)
	if got := replaced(t, d, err); got != tt {
		t.Errorf("got  %s\nwant %s", got, tt)
	}
	d, err = ReadTTML(`<tt><head><metadata><ttm:agent xml:id="quimby"/></metadata></head><body><p ttm:agent="quimby" style="s1">a</p></body></tt>`)
	const want = `<tt><head><metadata><ttm:agent xml:id="id1"/></metadata></head><body><p ttm:agent="id1" style="s1">a&lt;b</p></body></tt>`
	if got := replaced(t, d, err); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A line of a style that is not known goes, and what is left is CSS.
func TestStylesStayStyles(t *testing.T) {
	const cues = "\n\n00:01.000 --> 00:09.000\nW\n"
	for style, want := range map[string]string{
		"::cue(.yellow) {\n  color: peachpuff;\n  background-image: linear-gradient(to bottom, dimgray, lightgray);\n}": "",
		"::cue(b) { color: lime }\n::cue(v[voice=\"Ines Quimby\"]) { color: red }\n::cue(i) { color: blue }":            "::cue(b) { color: lime }\n/**/\n::cue(i) { color: blue }",
		"::cue(.quimby) {\n  color: red;\n  content: \"quimby\";\n}":                                                    "::cue(.none) {\n  color: red;\n/**/\n}",
		"::cue(b) { font-size: 4539148803436467px }":                                                                    "/**/",
	} {
		if want == "" {
			want = style
		}
		d, err := ReadVTT("WEBVTT\n\nSTYLE\n" + style + cues)
		if got, _, _ := strings.Cut(replaced(t, d, err), "\n\n00:01"); got != "WEBVTT\n\nSTYLE\n"+want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
