package files

import (
	"fmt"
	"strings"
)

// init adds samples of the exports of contact centers and help desks.
func init() {
	samples["genesys.json"] = func(call []spokenTurn) string { return indented(genesysSample(call)) }
	samples["contact-lens.json"] = func(call []spokenTurn) string { return indented(contactLensSample(call)) }
	samples["contact-lens-chat.json"] = func(call []spokenTurn) string { return indented(chatSample(call)) }
	samples["contact-lens-live.json"] = func(call []spokenTurn) string { return indented(liveSample(call)) }
	samples["zoom.json"] = func(call []spokenTurn) string { return indented(zoomSample(call)) }
	samples["ccai.json"] = func(call []spokenTurn) string { return indented(ccaiSample(call)) }
	samples["dialpad.json"] = func(call []spokenTurn) string { return indented(dialpadSample(call)) }
	samples["ringcentral.json"] = func(call []spokenTurn) string { return indented(ringSample(call)) }
	samples["gong.json"] = func(call []spokenTurn) string { return indented(gongSample(call)) }
	samples["salesforce.json"] = func(call []spokenTurn) string { return indented(salesforceSample(call)) }
	samples["zendesk.json"] = func(call []spokenTurn) string { return indented(zendeskSample(call)) }
	samples["intercom.json"] = func(call []spokenTurn) string { return indented(intercomSample(call)) }
	samples["speechmatics.json"] = func(call []spokenTurn) string { return compact(speechmaticsSample(call)) }
	samples["gladia.json"] = func(call []spokenTurn) string { return indented(gladiaSample(call)) }
	samples["captions.sbv"] = sbvSample
	samples["vosk.json"] = func(call []spokenTurn) string { return indented(voskSample(call)) }
}

// sbvSample has captions of five words.
func sbvSample(call []spokenTurn) string {
	var b strings.Builder
	for _, w := range timedWords(call, display) {
		for len(w) > 0 {
			k := min(5, len(w))
			fmt.Fprintf(&b, "%s,%s\n%s\n\n", clockTime(w[0].start, ".")[1:], clockTime(w[k-1].end, ".")[1:], joined(w[:k]))
			w = w[k:]
		}
	}
	return b.String()
}

// sampleUUID is the UUID of the n-th thing.
func sampleUUID(n int) string { return fmt.Sprintf("0000000%d-2222-4333-8333-444444444444", n) }

// sampleStart is when the call begins, in milliseconds since 1970.
const sampleStart = 1772611200000

// sampleEpoch is the time of a call at which its n-th turn begins, in milliseconds.
func sampleEpoch(n int) int { return sampleStart + n*4000 }

// each returns what f makes of each turn and its words.
func each(call []spokenTurn, f func(i int, s spokenTurn, words []timed) m) []m {
	var list []m
	for i, words := range timedWords(call, display) {
		list = append(list, f(i, call[i], words))
	}
	return list
}

func genesysSample(call []spokenTurn) m {
	phrases := each(call, func(i int, s spokenTurn, words []timed) m {
		var list []m
		for _, w := range words {
			list = append(list, m{"word": w.text, "confidence": 0.91, "startTimeMs": sampleStart + ms(w.start), "offset": m{"milliseconds": ms(w.start)}, "duration": m{"milliseconds": 300}})
		}
		return m{"text": s.text, "decoratedText": s.text, "stability": 1.0, "confidence": 0.9, "offset": m{"milliseconds": ms(words[0].start)}, "startTimeMs": sampleStart + ms(words[0].start),
			"duration": m{"milliseconds": 3000}, "words": list, "participantPurpose": []string{"internal", "external"}[s.speaker], "phraseIndex": i}
	})
	return m{"organizationId": sampleUUID(1), "conversationId": sampleUUID(2), "communicationId": sampleUUID(3), "mediaType": "call", "conversationStartTime": sampleEpoch(0),
		"duration": m{"milliseconds": 45000}, "transcripts": []m{{"transcriptId": sampleUUID(4), "language": "en-us", "programId": sampleUUID(5), "engineId": "r2d2", "startTime": sampleEpoch(0), "phrases": phrases}},
		"participants": []m{{"participantPurpose": "external", "initialDirection": "inbound", "ani": "tel:+16045550134", "dnis": "tel:+16045550100"}},
		"uri":          "https://api.mypurecloud.example/api/v2/speechandtextanalytics/conversations/tobias-wendover"}
}

// contactLensSegment is a segment of a call, of which the issue begins at the first word.
func contactLensSegment(i int, s spokenTurn, words []timed) m {
	return m{"Id": sampleUUID(i), "Content": s.text, "ParticipantId": sampleRoles[s.speaker], "Sentiment": "NEUTRAL",
		"BeginOffsetMillis": ms(words[0].start), "EndOffsetMillis": ms(words[len(words)-1].end), "LoudnessScores": []any{78.6, nil},
		"IssuesDetected": []m{{"CharacterOffsets": m{"BeginOffsetChar": 0, "EndOffsetChar": len(s.text)}}}}
}

func contactLensSample(call []spokenTurn) m {
	return m{"Version": "1.1.0", "AccountId": "111122223333", "Channel": "VOICE", "ContentMetadata": m{"Output": "Raw"}, "JobStatus": "COMPLETED", "LanguageCode": "en-US",
		"Participants": []m{{"ParticipantId": "AGENT", "ParticipantRole": "AGENT"}, {"ParticipantId": "CUSTOMER", "ParticipantRole": "CUSTOMER"}},
		"Categories":   m{"MatchedCategories": []string{}, "MatchedDetails": m{}}, "CustomModels": []m{},
		"ConversationCharacteristics": m{"TotalConversationDurationMillis": 45000, "NonTalkTime": m{"TotalTimeMillis": 0, "Instances": []m{}}},
		"Transcript":                  each(call, contactLensSegment)}
}

func chatSample(call []spokenTurn) m {
	return m{"Version": "1.1.0", "AccountId": "111122223333", "Channel": "CHAT", "LanguageCode": "en-US",
		"Participants": []m{{"ParticipantId": sampleUUID(0), "ParticipantRole": "AGENT"}, {"ParticipantId": sampleUUID(1), "ParticipantRole": "CUSTOMER"}},
		"Transcript": each(call, func(i int, s spokenTurn, _ []timed) m {
			return m{"AbsoluteTime": fmt.Sprintf("2026-03-04T10:00:%02d.000Z", i*4), "Content": s.text, "ContentType": "text/plain", "DisplayName": sampleNames[s.speaker],
				"Id": sampleUUID(i), "ParticipantId": sampleUUID(s.speaker), "Type": "MESSAGE"}
		})}
}

func liveSample(call []spokenTurn) m {
	return m{"Segments": each(call, func(i int, s spokenTurn, words []timed) m {
		t := contactLensSegment(i, s, words)
		t["ParticipantRole"] = sampleRoles[s.speaker]
		return m{"Transcript": t}
	})}
}

func zoomSample(call []spokenTurn) m {
	return m{"type": "zoom_transcript", "ver": 1, "recording_id": sampleUUID(1), "timeline": each(call, func(_ int, s spokenTurn, words []timed) m {
		return m{"text": s.text, "ts": clockTime(words[0].start, "."), "end_ts": clockTime(words[len(words)-1].end, "."), "users": []m{{"username": sampleNames[s.speaker],
			"multiple_people": false, "user_id": fmt.Sprintf("1677824%d", s.speaker), "zoom_userid": "", "client_type": 0}}}
	})}
}

func ccaiSample(call []spokenTurn) m {
	return m{"name": "projects/1/locations/us-central1/conversations/2", "medium": "PHONE_CALL", "languageCode": "en-US", "turnCount": len(call), "duration": "45s",
		"createTime": "2026-03-04T10:01:00.123456Z", "callMetadata": m{"customerChannel": 1, "agentChannel": 2},
		"transcript": m{"transcriptSegments": each(call, func(_ int, s spokenTurn, words []timed) m {
			var list []m
			for _, w := range words {
				list = append(list, m{"startOffset": sec(w.start) + "s", "endOffset": sec(w.end) + "s", "word": w.text, "confidence": 0.9})
			}
			return m{"text": s.text, "confidence": 0.9, "languageCode": "en-US", "channelTag": 2 - s.speaker, "words": list,
				"segmentParticipant": m{"role": []string{"HUMAN_AGENT", "END_USER"}[s.speaker]}, "sentiment": m{"magnitude": 0.1, "score": 0.1}}
		})}}
}

func dialpadSample(call []spokenTurn) m {
	return m{"call_id": 5780678246121472, "lines": each(call, func(i int, s spokenTurn, _ []timed) m {
		id := []string{"user_id", "contact_id"}[s.speaker]
		return m{"type": "transcript", "name": sampleNames[s.speaker], "content": s.text, "time": fmt.Sprintf("2026-03-04T10:00:%02d.123000", i*4), id: 4809781539766272}
	})}
}

func ringSample(call []spokenTurn) m {
	return m{"status": "Success", "response": m{"speakerCount": 2, "confidence": 0.9, "transcript": wholeText(call, display), "utterances": each(call, func(_ int, s spokenTurn, words []timed) m {
		var list []m
		for _, w := range words {
			list = append(list, m{"word": w.text, "start": num(w.start), "end": num(w.end), "confidence": 0.9})
		}
		return m{"start": num(words[0].start), "end": num(words[len(words)-1].end), "text": s.text, "confidence": 0.9, "speakerId": fmt.Sprint(s.speaker), "wordTimings": list}
	})}}
}

func gongSample(call []spokenTurn) m {
	return m{"requestId": "4al018gzaztcr8nbukw", "records": m{"totalRecords": 1, "currentPageSize": 1, "currentPageNumber": 0},
		"callTranscripts": []m{{"callId": "7782342274025937895", "transcript": each(call, func(_ int, s spokenTurn, words []timed) m {
			var sentences []m
			for _, text := range strings.SplitAfter(s.text, ". ") {
				sentences = append(sentences, m{"start": ms(words[0].start), "end": ms(words[len(words)-1].end), "text": text})
			}
			return m{"speakerId": fmt.Sprintf("643234567890123456%d", s.speaker), "topic": nil, "sentences": sentences}
		})}}}
}

func salesforceSample(call []spokenTurn) m {
	return m{"conversationEntries": each(call, func(i int, s spokenTurn, _ []timed) m {
		role := []string{"Agent", "EndUser"}[s.speaker]
		return m{"identifier": sampleUUID(i), "clientTimestamp": sampleEpoch(i), "serverReceivedTimestamp": sampleEpoch(i), "clientDuration": 0, "messageText": s.text,
			"senderDisplayName": sampleNames[s.speaker], "sender": m{"role": role, "appType": []string{"agent", "embeddedMessaging"}[s.speaker]}, "relatedRecords": []string{}}
	})}
}

func zendeskSample(call []spokenTurn) m {
	return m{"count": len(call), "next_page": nil, "comments": each(call, func(i int, s spokenTurn, _ []timed) m {
		return m{"id": 1274003000000 + i, "type": "Comment", "author_id": 123123000000 + s.speaker, "audit_id": 432907000000 + i, "body": s.text, "plain_body": s.text, "public": true,
			"attachments": []m{}, "created_at": fmt.Sprintf("2026-03-04T10:00:%02dZ", i*4), "metadata": m{"system": m{"client": "Tobias Wendover's phone"}}}
	}), "users": []m{{"id": 123123000000, "name": sampleNames[0], "role": "agent", "email": "ines.quimby@larkmoor.example"}, {"id": 123123000001, "name": sampleNames[1], "role": "end-user"}}}
}

func intercomSample(call []spokenTurn) m {
	part := func(i int, s spokenTurn) m {
		return m{"type": "conversation_part", "id": fmt.Sprint(i), "part_type": "comment", "body": s.text, "created_at": sampleEpoch(i) / 1000, "redacted": false,
			"author": m{"type": []string{"admin", "user"}[s.speaker], "id": fmt.Sprint(s.speaker), "name": sampleNames[s.speaker], "email": "someone@larkmoor.example"}}
	}
	parts := each(call[1:], func(i int, s spokenTurn, _ []timed) m { return part(i+1, s) })
	source := part(0, call[0])
	source["type"] = "conversation"
	delete(source, "part_type")
	return m{"type": "conversation", "id": "215473", "created_at": sampleEpoch(0) / 1000, "open": true, "priority": "priority", "source": source,
		"conversation_parts": m{"type": "conversation_part.list", "conversation_parts": parts, "total_count": len(parts)}}
}

func speechmaticsSample(call []spokenTurn) m {
	var results []m
	for i, words := range timedWords(call, display) {
		result := func(kind, text string, start, end float64) m {
			return m{"type": kind, "start_time": num(start), "end_time": num(end), "alternatives": []m{{"content": text, "confidence": 0.9, "language": "en", "speaker": fmt.Sprintf("S%d", call[i].speaker+1)}}}
		}
		for _, w := range words {
			text := strings.TrimRight(w.text, ".,?!")
			results = append(results, result("word", text, w.start, w.end))
			if p := w.text[len(text):]; p != "" {
				r := result("punctuation", p, w.end, w.end)
				r["attaches_to"], r["is_eos"] = "previous", p != ","
				results = append(results, r)
			}
		}
	}
	return m{"format": "2.9", "job": m{"created_at": "2026-03-04T10:00:00.123Z", "data_name": "tobias-wendover.wav", "duration": 45, "id": "0a1b2c3d-2222-4333-8333-444444444444"},
		"metadata": m{"created_at": "2026-03-04T10:01:00.123Z", "type": "transcription", "transcription_config": m{"language": "en", "diarization": "speaker", "operating_point": "enhanced"}}, "results": results}
}

func gladiaSample(call []spokenTurn) m {
	return m{"id": sampleUUID(1), "request_id": "G-0a1b2c3d", "version": 2, "status": "done", "kind": "pre-recorded", "created_at": "2026-03-04T10:00:00.123Z", "result": m{
		"metadata": m{"audio_duration": 45.1, "number_of_distinct_channels": 1, "billing_time": 45.1, "transcription_time": 7.4},
		"transcription": m{"languages": []string{"en"}, "full_transcript": wholeText(call, display), "utterances": each(call, func(_ int, s spokenTurn, words []timed) m {
			var list []m
			for _, w := range words {
				list = append(list, m{"word": " " + w.text, "start": num(w.start), "end": num(w.end), "confidence": 0.9})
			}
			return m{"text": s.text, "language": "en", "start": num(words[0].start), "end": num(words[len(words)-1].end), "confidence": 0.9, "channel": 0, "speaker": s.speaker, "words": list}
		})}}}
}

func voskSample(call []spokenTurn) m {
	var list []m
	for _, words := range timedWords(call, spoken) {
		for _, w := range words {
			list = append(list, m{"word": w.text, "start": num(w.start), "end": num(w.end), "conf": 1.0})
		}
	}
	return m{"result": list, "text": wholeText(call, spoken)}
}
