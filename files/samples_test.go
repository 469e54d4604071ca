package files

import (
	"encoding/json"
	"fmt"
	"strings"
)

// spokenTurn is an utterance of a made-up call, with the recognizer's unformatted form.
type spokenTurn struct {
	speaker       int // 0 is the agent, 1 the customer
	text, lexical string
}

// madeUp is the call of all samples.
var madeUp = []spokenTurn{
	{0, "Thank you for calling Larkmoor Mutual, this is Ines Quimby. How can I help?", "thank you for calling larkmoor mutual this is ines quimby how can i help"},
	{1, "Hi, my name is Tobias Wendover and I have a new card.", "hi my name is tobias wendover and i have a new card"},
	{0, "Sure, Tobias. What is the card number?", "sure tobias what is the card number"},
	{1, "It's 4111 1111 1111 1111.", "it's four one one one one one one one one one one one one one one one"},
	{0, "Thanks. And a phone number?", "thanks and a phone number"},
	{1, "604-555-0134, and my email is tobias@wendover.example.", "six oh four five five five oh one three four and my email is tobias at wendover dot example"},
	{0, "Great, that is all.", "great that is all"},
}

var (
	sampleNames = []string{"Ines Quimby", "Tobias Wendover"}
	sampleRoles = []string{"AGENT", "CUSTOMER"}
)

// timed is a word with its times in seconds.
type timed struct {
	text       string
	start, end float64
}

// timedWords gives each word of a call a time; a word takes 0.3 s.
func timedWords(call []spokenTurn, form func(spokenTurn) string) [][]timed {
	at := 0.5
	out := make([][]timed, len(call))
	for i, s := range call {
		for _, w := range strings.Fields(form(s)) {
			out[i] = append(out[i], timed{w, at, at + 0.3})
			at += 0.4
		}
		at++
	}
	return out
}

func display(s spokenTurn) string { return s.text }
func spoken(s spokenTurn) string  { return s.lexical }

type m = map[string]any

func sec(f float64) string      { return fmt.Sprintf("%.2f", f) }
func num(f float64) json.Number { return json.Number(sec(f)) }
func ms(f float64) int          { return int(f*1000 + 0.5) }
func ticks(f float64) int       { return int(f*1e7 + 0.5) }
func iso(f float64) string      { return "PT" + strings.TrimSuffix(fmt.Sprintf("%.2f", f), "0") + "S" }
func bare(w string) string      { return strings.ToLower(strings.Trim(w, ".,?!")) }

func wholeText(call []spokenTurn, form func(spokenTurn) string) string {
	var parts []string
	for _, s := range call {
		parts = append(parts, form(s))
	}
	return strings.Join(parts, " ")
}

func clockTime(f float64, comma string) string {
	n := ms(f)
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", n/3600000, n/60000%60, n/1000%60, comma, n%1000)
}

// samples write a call in each format; the key is the name of the file.
var samples = map[string]func([]spokenTurn) string{
	"text.txt": func(call []spokenTurn) string {
		var b strings.Builder
		for i, s := range call {
			fmt.Fprintf(&b, "[00:00:%02d] %s:   %s\n", i*4, sampleNames[s.speaker], s.text)
			if i == 1 {
				b.WriteString("\n")
			}
		}
		return b.String()
	},
	"ownline.txt": func(call []spokenTurn) string {
		var b strings.Builder
		for i, s := range call {
			fmt.Fprintf(&b, "%s  0:%02d\r\n%s\r\n\r\n", sampleNames[s.speaker], i*4, s.text)
		}
		return b.String()
	},
	"zoom.vtt": func(call []spokenTurn) string {
		var b strings.Builder
		b.WriteString("WEBVTT\n")
		for i, w := range timedWords(call, display) {
			fmt.Fprintf(&b, "\n%d\n%s --> %s\n%s: %s\n", i+1, clockTime(w[0].start, "."), clockTime(w[len(w)-1].end, "."), sampleNames[call[i].speaker], call[i].text)
		}
		return b.String()
	},
	"teams.vtt": func(call []spokenTurn) string {
		var b strings.Builder
		b.WriteString("WEBVTT\n")
		for i, w := range timedWords(call, display) {
			half := len(w) / 2
			fmt.Fprintf(&b, "\n5f1b2c3d-0a1b-4c2d-8e3f-112233445566/%d-0\n%s --> %s\n<v %s>%s\n%s</v>\n", i, clockTime(w[0].start, "."),
				clockTime(w[len(w)-1].end, "."), sampleNames[call[i].speaker], joined(w[:half]), joined(w[half:]))
		}
		return b.String()
	},
	"captions.vtt": func(call []spokenTurn) string {
		b := strings.Builder{}
		b.WriteString("WEBVTT - " + sampleNames[1] + "\n\nNOTE reviewed by " + sampleNames[0] + "\n")
		for _, w := range timedWords(call, display) {
			for len(w) > 0 { // captions of four words
				n := min(4, len(w))
				fmt.Fprintf(&b, "\n%s --> %s align:start position:10%%\n<i>%s</i>\n", clockTime(w[0].start, "."), clockTime(w[n-1].end, "."), joined(w[:n]))
				w = w[n:]
			}
		}
		return b.String()
	},
	"captions.srt": func(call []spokenTurn) string {
		var b strings.Builder
		n := 0
		for _, w := range timedWords(call, display) {
			for len(w) > 0 {
				k := min(5, len(w))
				n++
				fmt.Fprintf(&b, "%d\r\n%s --> %s\r\n%s\r\n\r\n", n, clockTime(w[0].start, ","), clockTime(w[k-1].end, ","), joined(w[:k]))
				w = w[k:]
			}
		}
		return b.String()
	},
	"captions.ttml": func(call []spokenTurn) string {
		b := strings.Builder{}
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en">` +
			"\n<head><metadata><ttm:title>Call with " + sampleNames[1] + "</ttm:title>\n")
		for i, n := range sampleNames {
			fmt.Fprintf(&b, `<ttm:agent xml:id="speaker%d" type="person"><ttm:name type="full">%s</ttm:name></ttm:agent>`+"\n", i, n)
		}
		b.WriteString("</metadata></head>\n<body><div>\n")
		for i, w := range timedWords(call, display) {
			half := len(w) / 2
			fmt.Fprintf(&b, `<p begin="%s" end="%s" ttm:agent="speaker%d">%s<br/>%s</p>`+"\n", clockTime(w[0].start, "."), clockTime(w[len(w)-1].end, "."),
				call[i].speaker, joined(w[:half]), joined(w[half:]))
		}
		return b.String() + "</div></body></tt>\n"
	},
	"table.csv": func(call []spokenTurn) string {
		b := strings.Builder{}
		b.WriteString("call_id,start_ms,speaker,text,agent_notes\r\n")
		for i, s := range call {
			fmt.Fprintf(&b, "c-1,%d,%s,%q,%s\r\n", i*4000, sampleNames[s.speaker], s.text, "spoke with "+sampleNames[1])
		}
		return b.String()
	},
	"table.tsv": func(call []spokenTurn) string {
		b := strings.Builder{}
		b.WriteString("conversation\trole\tutterance\n")
		for _, s := range call {
			fmt.Fprintf(&b, "1\t%s\t%s\n", strings.ToLower(sampleRoles[s.speaker]), s.text)
		}
		return b.String()
	},
	"lines.jsonl": func(call []spokenTurn) string {
		var b strings.Builder
		for i, w := range timedWords(call, display) {
			var words []m
			for _, t := range w {
				words = append(words, m{"word": t.text, "start": num(t.start), "end": num(t.end), "bare": bare(t.text)})
			}
			b.WriteString(compact(m{"conversation_id": "c-1", "speaker": sampleNames[call[i].speaker], "text": call[i].text, "start": i * 4,
				"extra": m{"by": sampleNames[0], "words": words}}) + "\n")
		}
		return b.String()
	},
}

func joined(words []timed) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

func compact(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func indented(v any) string {
	b, _ := json.MarshalIndent(v, "", "  ")
	return string(b) + "\n"
}
