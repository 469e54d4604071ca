package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of shared/cases/files are of people's kinds; its README says what should come out. Each row has what the output has, and
// what it must not have besides the names.
func TestSharedCases(t *testing.T) {
	const folder = "../../shared/cases/files"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("there is no shared folder")
	}
	for name, c := range map[string]struct {
		has, lacks []string
		read       bool
	}{
		"00-LEAK-speaker-id-object.json":  {[]string{`"id":"[PERSON_NAME_2]"`}, []string{"Roger"}, false},
		"01-deepgram-float-times.json":    {[]string{"5.2799997", "25.933313"}, nil, false},
		"02-google-nanos.json":            {[]string{`"nanos": 300000000`}, nil, false},
		"03-plain-headers.csv":            {[]string{"Speaker,Start Time,End Time,Text\n"}, nil, false},
		"04-headers-metrics.csv":          {[]string{"call_id,speaker,text,call_duration_min,queue,csat,nps\n", ",12,billing,5,9\n"}, nil, false},
		"05-column-transcription.csv":     {[]string{"call_id,Transcription\n"}, nil, false},
		"06-one-object-pretty.json":       {[]string{"\n  \"transcript\": \"Agent: This is [PERSON_NAME_1].\\n"}, nil, false},
		"07-zoom-chat.txt":                {[]string{"From [PERSON_NAME_1] to Everyone : hello", "From [PERSON_NAME_2] to Everyone : thanks"}, nil, false},
		"08-speaker-paren.vtt":            {[]string{"\n[PERSON_NAME_1]: Okay great"}, nil, false},
		"09-no-blank-line.vtt":            {[]string{"\n00:00:03.000 --> 00:00:05.000\n"}, nil, false},
		"10-youtube-first-cue.vtt":        {[]string{"\n \nthis<00:00:00.560><c> is</c>"}, nil, false},
		"11-contact-lens-categories.json": {[]string{"[PII] hi [PII] I'm [PII] happy to help.", `"MatchedCategories":["No_Closing_Remark"]`}, nil, false},
		"12-vcon-json-in-string.json":     {[]string{`\"dealerId\": `, `\"outboundPhoneNumber\": \"[PHONE_NUMBER_1]\"`}, nil, false},
		"13-vcon-without-version.json":    {[]string{`"message":"This is [PERSON_NAME_`}, nil, false},
		"14-conversations-messages.json":  {[]string{`"sender": "agent"`, "2025-04-27T22:22:05Z"}, nil, false},
		"15-sharegpt.json":                {[]string{`{"from": "gpt", "value": "Hello [PERSON_NAME_1]"}`}, nil, false},
		"16-pairs.json":                   {[]string{`["agent", "This is [PERSON_NAME_1]"]`}, nil, false},
		"17-hf-word-chunks.json":          {[]string{`{"text": " [PERSON_NAME_1]", "timestamp": [1.2, 1.9]}, {"text": " my"`}, nil, false},
		"18-tsv-named.txt":                {[]string{"Line\tSpkr\tStTime\tContent\tEnTime\n1\tA_01\t0.4436\tThis is [PERSON_NAME_1].\t2.4068\n"}, nil, false},
		"19-audacity-labels.txt":          {[]string{"0.44\t2.40\tThis is [PERSON_NAME_1].\n"}, nil, false},
		"21-bda.json":                     {[]string{`"text":"This is [PERSON_NAME_1]"`, `"audio_item_indices":[0,101,102]`, `"end_timestamp_millis":2300`}, nil, false},
		"22-srt-bold-speaker.srt":         {[]string{"<b>[PERSON_NAME_1]</b>: "}, nil, false},
		"23-redacted-placeholders.json":   {[]string{"[PII] hi [PII] I'm [PII] happy to be helping you today.", "Alright [PII]. From [ORGANIZATION]."}, nil, false},
		"24-stm-labels.stm":               {[]string{";; LABEL \"O\" \"Overall\" \"Overall Scores\"\n", "2347 A 2347-A 1.06 3.47 <O,WA> hello this is [PERSON_NAME_1]"}, []string{"ines", "quimby"}, false},
		"24b-same-recording.ctm":          {[]string{"2347 A 1.50 0.30 this\n2347 A 1.80 0.30 is\n2347 A 2.10 0.30 [PERSON_NAME_1]\n"}, []string{"ines"}, false},
		"25-combining-mark.json":          {[]string{"we live in [LOCATION_1]"}, []string{"गोवा", "ा", "mumbai"}, false},
		"26-keys-max-min-millis.json":     {[]string{`"config":{"max_lines":2,"max_line_length":37,"boost_param":null,"output_locale":"en-US"}`}, nil, false},
		"27-email-quoted-headers.eml":     {[]string{"-----Original Message-----\r\nFrom: [PERSON_NAME_", "Sent: Sunday, March 2, 2025 5:49 PM\r\nTo: [PERSON_NAME_"}, nil, false},
		"28-ordinary-words.txt":           {[]string{"webinars or live events to generate buzz and engage with potential customers.", "initial wireframes for the website redesign and sent them out for feedback.", "17.32% later."}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			job := fileJob(t)
			if c.read {
				job = readJob(t)
			}
			clean, _ := anonymized(t, job, name, string(raw))
			for _, s := range c.has {
				if !strings.Contains(clean, s) {
					t.Errorf("%q is not in\n%s", s, clean)
				}
			}
			for _, s := range append(c.lacks, "Ines", "Quimby", "Tobias", "Wendover", "604-555", "0134") {
				if strings.Contains(clean, s) {
					t.Errorf("%q is in\n%s", s, clean)
				}
			}
		})
	}
}
