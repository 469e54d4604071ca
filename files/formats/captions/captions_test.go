package captions

import (
	"testing"

	"sotto/files/formats/transcript"
)

// replaced replaces every label by <L>, every other text by <X>, and every word of a repeat by <W>.
func replaced(t *testing.T, d *transcript.Document, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Calls {
		for _, turn := range append(c.Turns, c.Others...) {
			if turn.Set != nil {
				turn.Set("a<b")
			}
			if turn.SetLabel != nil {
				turn.SetLabel("L")
			}
			for _, r := range turn.Repeats {
				var spans []transcript.Span
				for i := range r.Pieces {
					spans = append(spans, transcript.Span{First: i, Last: i, Text: "W"})
				}
				r.Set(spans)
			}
		}
		for _, l := range c.Labels {
			l.Set("L")
		}
	}
	out, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestVTT(t *testing.T) {
	const in = "WEBVTT\r\n\r\nNOTE by Ines\r\n\r\nintro\r\n00:01.000 --> 00:02.000 align:start\r\n<v Ines Quimby>hello &amp; bye</v>\r\n\r\n" +
		"7\n00:02.000 --> 00:03.000 name:Ines\nInes: one <i>two</i>\nthree\n"
	const want = "WEBVTT\r\n\r\na<b\r\n\r\na<b\r\n00:01.000 --> 00:02.000 align:start\r\n<v L>a&lt;b</v>\r\n\r\n" +
		"7\n00:02.000 --> 00:03.000\nL: W <i>W</i>\nW\n"
	d, err := ReadVTT(in)
	if d != nil && d.Calls[0].Turns[0].Text != "hello & bye" {
		t.Errorf("the text is %q", d.Calls[0].Turns[0].Text)
	}
	if got := replaced(t, d, err); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := ReadVTT("WEBVTT\n\nno cue\n"); err == nil {
		t.Error("a file without cues is read")
	}
}

func TestSRTJoinsASentence(t *testing.T) {
	const in = "1\n00:00:01,000 --> 00:00:02,000\nmy number is\n\n2\n00:00:02,000 --> 00:00:03,500\n555 0134.\n\n3\n00:00:04,000 --> 00:00:05,000\nOkay\n"
	d, err := ReadSRT(in)
	if err != nil {
		t.Fatal(err)
	}
	turns := d.Calls[0].Turns
	if len(turns) != 2 || turns[0].Text != "my number is 555 0134." || *turns[0].StartMS != 1000 || *turns[0].EndMS != 3500 {
		t.Errorf("%d turns, the first is %q", len(turns), turns[0].Text)
	}
	if out, _ := d.Encode(); string(out) != in {
		t.Errorf("an unchanged file became %q", out)
	}
}

func TestTTML(t *testing.T) {
	const in = `<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY x "Ines">]><!-- Ines --><tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml" note="Ines's"><head><metadata>` +
		`<ttm:agent xml:id="s1"><ttm:name type="full">Ines &amp; Co</ttm:name></ttm:agent></metadata></head><body><div>` +
		`<p begin="00:00:01.000" end="00:00:02.000" ttm:agent="s1">hello<br/>you</p></div></body></tt>`
	const want = `<?xml version="1.0"?><tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml"><head><metadata>` +
		`<ttm:agent xml:id="s1"><ttm:name type="full">L</ttm:name></ttm:agent></metadata></head><body><div>` +
		`<p begin="00:00:01.000" end="00:00:02.000" ttm:agent="s1">W<br/>W</p></div></body></tt>`
	d, err := ReadTTML(in)
	if d != nil {
		if turn := d.Calls[0].Turns[0]; turn.Speaker.Label != "Ines & Co" || turn.Text != "hello you" || *turn.StartMS != 1000 {
			t.Errorf("the turn is %+v", turn)
		}
	}
	if got := replaced(t, d, err); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
