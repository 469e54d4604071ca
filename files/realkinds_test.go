package files

import (
	"strings"
	"testing"
)

// Files as programs and people write them: what they write around the words stays, and the names in it do not.
func TestFilesThatPeopleHave(t *testing.T) {
	for name, c := range map[string]struct{ file, raw, want string }{
		"Zoom's chat": {"chat.txt",
			"18:21:48 From Ines Quimby to Everyone : hello\n18:22:10 From Tobias W to Ines Quimby(Direct Message) : thanks\n18:23:00\t Von Ines Quimby an Alle:\tyes\n",
			"18:21:48 From [PERSON_NAME_1] to Everyone : hello\n18:22:10 From [PERSON_NAME_2] to [PERSON_NAME_1](Direct Message) : thanks\n18:23:00\t Von [PERSON_NAME_1] an Alle:\tyes\n"},
		"WhatsApp": {"chat.txt",
			"[12/03/24, 10:15:22] Ines Quimby: hello there\n[12/03/24, 10:16:02 PM] Tobias: my number is 604-555-0134\n12.03.24, 10:17 - Ines Quimby: thanks\n",
			"[12/03/24, 10:15:22] [PERSON_NAME_1]: hello there\n[12/03/24, 10:16:02 PM] [PERSON_NAME_2]: my number is [PHONE_NUMBER_1]\n12.03.24, 10:17 - [PERSON_NAME_1]: thanks\n"},
		"Google Meet": {"meet.txt",
			"Attendees\nInes Quimby, Tobias Wendover\nTranscript\nThis editable transcript was computer generated and might contain errors. People can also change the text after it was created.\n\n00:00:00\n\n" +
				"Ines Quimby: hello there\nTobias Wendover: hello Ines\n\nMeeting ended after 00:34:12\n",
			"Attendees\n[PERSON_NAME_1], [PERSON_NAME_2]\nTranscript\nThis editable transcript was computer generated and might contain errors. People can also change the text after it was created.\n\n00:00:00\n\n" +
				"[PERSON_NAME_1]: hello there\n[PERSON_NAME_2]: hello [PERSON_NAME_1]\n\nMeeting ended after 00:34:12\n"},
		"Otter": {"otter.txt",
			"SUMMARY KEYWORDS\norder, delivery\n\nSPEAKERS\nInes Quimby, Tobias\n\nInes Quimby  0:03  \nGood morning, this is Ines.\n\nTobias  0:07  \nHello, how are you?\n\nTranscribed by https://otter.ai\n",
			"SUMMARY KEYWORDS\norder, delivery\n\nSPEAKERS\n[PERSON_NAME_1], [PERSON_NAME_2]\n\n[PERSON_NAME_1]  0:03  \nGood morning, this is [PERSON_NAME_1].\n\n[PERSON_NAME_2]  0:07  \nHello, how are you?\n\nTranscribed by https://otter.ai\n"},
		"Descript": {"descript.md",
			"[00:00:00] **Ines Quimby:** Good morning.\n**Tobias:** [00:00:05] Hello, how are you?\n**Ines Quimby**: Fine, thanks.\n",
			"[00:00:00] **[PERSON_NAME_1]:** Good morning.\n**[PERSON_NAME_2]:** [00:00:05] Hello, how are you?\n**[PERSON_NAME_1]**: Fine, thanks.\n"},
		"times in brackets": {"times.txt",
			"Ines Quimby [00:01:02]: Good morning.\n[Tobias] [00:01:05] Hello, how are you?\nInes Quimby [00:01:07 - 00:01:09] Fine, thanks.\n(00:01:10) Tobias (he/him): Good.\n",
			"[PERSON_NAME_1] [00:01:02]: Good morning.\n[[PERSON_NAME_2]] [00:01:05] Hello, how are you?\n[PERSON_NAME_1] [00:01:07 - 00:01:09] Fine, thanks.\n(00:01:10) [PERSON_NAME_2] (he/him): Good.\n"},
		"a heading with a date": {"otter.txt",
			"Sales sync\nWed, Mar 13, 2024 10:01AM • 12:34\n\nInes Quimby  00:00\nI was born on March 14 1980.\n\nTobias  00:04\nHello Ines.\n",
			"Sales sync\nWed, Mar 13, 2024 10:01AM • 12:34\n\n[PERSON_NAME_1]  00:00\nI was born on [DATE_OF_BIRTH_1].\n\n[PERSON_NAME_2]  00:04\nHello [PERSON_NAME_1].\n"},
		"times within texts": {"times.txt",
			"Agent: Good morning. [00:01:05] I am Ines Quimby [00:01:15.5] call 604-555-0134.\n[00:01:20] [Ines Quimby] Bye.\n[Tobias] [00:01:25] Bye Ines.\n",
			"Agent: Good morning. [00:01:05] I am [PERSON_NAME_1] [00:01:15.5] call [PHONE_NUMBER_1].\n[00:01:20] [[PERSON_NAME_1]] Bye.\n[[PERSON_NAME_2]] [00:01:25] Bye [PERSON_NAME_1].\n"},
		"words of programs": {"a.json",
			`{"messages":[{"role":"user","content":"I am Ines Quimby"}],"tags":["late_delivery","Tobias Wendover"],"ContentMetadata":{"RedactionTypes":["PII"]},"latency":{"p50":800,"max":2700},"ani":"+16045550134","model_name":"nova-2-phonecall"}`,
			`{"messages":[{"role":"user","content":"I am [PERSON_NAME_1]"}],"tags":["late_delivery","[GENERIC_ID]"],"ContentMetadata":{"RedactionTypes":["PII"]},"latency":{"p50":800,"max":2700},"ani":"[PHONE_NUMBER_1]","model_name":"nova-2-phonecall"}`},
		"a name in that of a recording": {"a.ctm",
			";; by Tobias Wendover\nRoger_00000_audio 1 1.06 0.40 Hello 0.98\nRoger_00000_audio 1 1.50 0.30 I'm 0.98\nRoger_00000_audio 1 1.80 0.30 Ines 0.98\nRoger_00000_audio 1 2.10 0.30 Quimby 0.98\n" +
				"Roger_00000_audio 1 2.50 0.30 speaking 0.98\nRoger_00000_audio 1 9.00 0.30 Bye 0.98\n",
			";; by [PERSON_NAME_1]\n[PERSON_NAME_2]_00000_audio 1 1.06 0.40 Hello 0.98\n[PERSON_NAME_2]_00000_audio 1 1.50 0.30 I'm 0.98\n[PERSON_NAME_2]_00000_audio 1 1.80 0.60 [PERSON_NAME_1] 0.98\n" +
				"[PERSON_NAME_2]_00000_audio 1 2.50 0.30 speaking 0.98\n[PERSON_NAME_2]_00000_audio 1 9.00 0.30 Bye 0.98\n"},
		"headings of Fireflies and Meet": {"a.txt",
			"Title: Sales call with Ines Quimby\nDate: 2024-03-01\nWeekly call (2024-03-01 10:15 GMT+1) - Transcript\n\nInes Quimby: Hi, I am Ines.\nTobias: Thanks Ines.\n",
			"Title: Sales call with [PERSON_NAME_1]\nDate: 2024-03-01\nWeekly call (2024-03-01 10:15 GMT+1) - Transcript\n\n[PERSON_NAME_1]: Hi, I am [PERSON_NAME_1].\n[PERSON_NAME_2]: Thanks [PERSON_NAME_1].\n"},
		"escaped marks": {"a.json", `[{"speaker":"agent","text":"This is &lt;Ines Quimby&gt; speaking, (Tobias) too"}]`, `[{"speaker":"agent","text":"This is &lt;[PERSON_NAME_1]&gt; speaking, ([PERSON_NAME_2]) too"}]`},
		"labels of Audacity": {"labels.txt",
			"0.44\t2.40\tThis is Ines Quimby.\n\\\t120.5\t300.25\n2.40\t2.68\tokay my number is 604-555-0134\n",
			"0.44\t2.40\tThis is [PERSON_NAME_1].\n\\\t120.5\t300.25\n2.40\t2.68\tokay my number is [PHONE_NUMBER_1]\n"},
		"a table as text": {"table.txt",
			"Line\tSpkr\tStTime\tContent\tEnTime\n1\tA_01\t0.4436\tThis is Ines Quimby.\t2.4068\n2\tB_01\t2.4068\tokay what is your name\t2.6829\n",
			"Line\tSpkr\tStTime\tContent\tEnTime\n1\tA_01\t0.4436\tThis is [PERSON_NAME_1].\t2.4068\n2\tB_01\t2.4068\tokay what is your name\t2.6829\n"},
		"remarks behind names": {"a.vtt",
			"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nInes Quimby (SL): Okay great\n\n00:00:03.000 --> 00:00:05.000\nTobias Wendover (she/her): Thanks\n\n00:00:05.000 --> 00:00:07.000\nInes Quimby (2): Good\n",
			"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n[PERSON_NAME_1]: Okay great\n\n00:00:03.000 --> 00:00:05.000\n[PERSON_NAME_2] (she/her): Thanks\n\n00:00:05.000 --> 00:00:07.000\n[PERSON_NAME_1] (2): Good\n"},
		"cues without blank lines": {"a.vtt",
			"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nThis is Ines Quimby.\n00:00:03.000 --> 00:00:05.000\nHello Ines.\n",
			"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nThis is [PERSON_NAME_1].\n00:00:03.000 --> 00:00:05.000\nHello [PERSON_NAME_1].\n"},
		"SRT without blank lines": {"a.srt",
			"1\n00:00:01,000 --> 00:00:03,000\nThis is Ines Quimby.\n2\n00:00:03,000 --> 00:00:05,000\nHello Ines.\n",
			"1\n00:00:01,000 --> 00:00:03,000\nThis is [PERSON_NAME_1].\n2\n00:00:03,000 --> 00:00:05,000\nHello [PERSON_NAME_1].\n"},
		"a cue that begins with a space": {"a.vtt",
			"WEBVTT\n\n00:00:00.160 --> 00:00:02.389 align:start position:0%\n \nthis<00:00:00.560><c> is</c><00:00:00.719><c> Ines</c><00:00:00.880><c> Quimby</c>\n",
			"WEBVTT\n\n00:00:00.160 --> 00:00:02.389 align:start position:0%\n \nthis<00:00:00.560><c> is</c><00:00:00.719><c> [PERSON_NAME_1]</c><00:00:00.880><c></c>\n"},
		"HTML in chats": {"a.json",
			`[{"speaker":"agent","text":"<p>Hi, this is <b>Ines</b> Quimby &amp; I&#39;m happy to help.</p><p>Please call&nbsp;<a href=\"tel:6045550134\">604-555-0134</a></p>"}]`,
			`[{"speaker":"agent","text":"<p>Hi, this is <b>[PERSON_NAME_1]</b> &amp; I&#39;m happy to help.</p><p>Please call&nbsp;<a>[PHONE_NUMBER_1]</a></p>"}]`},
		"placeholders": {"a.json",
			`[{"speaker":"agent","text":"[PII] good morning, [PII] speaking, [PII] what went wrong?"},{"speaker":"customer","text":"It broke, [PII]. It is from [ORGANIZATION]. This is <PERSON>, my card is XXXX."},` +
				`{"speaker":"agent","text":"Thanks ****, you said [PERSON_NAME_1]."}]`,
			`[{"speaker":"agent","text":"[PII] good morning, [PII] speaking, [PII] what went wrong?"},{"speaker":"customer","text":"It broke, [PII]. It is from [ORGANIZATION]. This is <PERSON>, my card is XXXX."},` +
				`{"speaker":"agent","text":"Thanks ****, you said [\\PERSON_NAME_1]."}]`},
		"marks of letters": {"a.json", `[{"speaker":"user","text":"we live in गोवा near Mumbai"}]`, `[{"speaker":"user","text":"we live in [LOCATION_1] near [LOCATION_2]"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if clean, _ := anonymized(t, readJob(t), c.file, c.raw); clean != c.want {
				t.Errorf("got  %s\nwant %s", clean, c.want)
			}
		})
	}
}

// The headers of an e-mail that another one quotes stay, whatever the language; the names and addresses in them do not.
func TestQuotedHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		file, raw string
		stay      []string
	}{
		"Outlook": {"a.eml", "From: Ines Quimby <ines@quimby.example>\nSubject: Re: has it arrived?\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nHello, it arrived.\n\n-----Original Message-----\n" +
			"From: Tobias Wendover <tobias@wendover.example>\nSent: Sunday, March 2, 2025 5:49 PM\nTo: Ines Quimby <ines@quimby.example>; Quimby, Rosalind\nSubject: has it arrived?\n\nHi Ines, has it arrived?\n",
			[]string{"Subject: Re: has it arrived?", "-----Original Message-----\r\n", "\nFrom: [PERSON_NAME_", "\nSent: Sunday, March 2, 2025 5:49 PM\r\n", "\nTo: [PERSON_NAME_", "\nSubject: has it arrived?\r\n"}},
		"HTML": {"a.html", "<html><body><p>Hallo, es ist da.</p><div><b>Von:</b> Tobias Wendover &lt;tobias@wendover.example&gt;<br><b>Gesendet:</b> Sonntag, 2. März 2025 17:49<br>" +
			"<b>An:</b> Ines Quimby<br><b>Betreff:</b> Order</div><p>Hi Ines.</p></body></html>",
			[]string{"<p>Von: [PERSON_NAME_", "<p>Gesendet: Sonntag, 2. März 2025 17:49</p>", "<p>An: [PERSON_NAME_", "<p>Betreff: Order</p>"}},
		"a quote": {"a.txt", "Thanks!\n\nOn Mon, Mar 3, 2025 at 9:00 AM Tobias Wendover <tobias@wendover.example> wrote:\n> Hi Ines Quimby, has it arrived?\n",
			[]string{"On Mon, Mar 3, 2025 at 9:00 AM [PERSON_NAME_", "> wrote:\n> Hi [PERSON_NAME_"}},
		"a quote in French": {"a.txt", "Merci!\n\nLe lun. 3 mars 2025 à 09:00, Tobias Wendover <tobias@wendover.example> a écrit :\n> Hi Ines Quimby, has it arrived?\n",
			[]string{"Le lun. 3 mars 2025 à 09:00, [PERSON_NAME_", "> a écrit :\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			clean, _ := anonymized(t, fileJob(t), c.file, c.raw)
			for _, s := range c.stay {
				if !strings.Contains(clean, s) {
					t.Errorf("%q is not in\n%s", s, clean)
				}
			}
			for _, s := range []string{"Quimby", "Ines", "Tobias", "Wendover", "Rosalind", "tobias"} {
				if strings.Contains(clean, s) {
					t.Errorf("%q is in\n%s", s, clean)
				}
			}
		})
	}
}
