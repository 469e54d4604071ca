package harmless

import (
	"strings"
	"testing"
)

// What a format has stays, and a number of somebody under the same name does not.
func TestValue(t *testing.T) {
	l := For(4000)
	for _, c := range []struct{ name, keep, mask string }{
		{"to", "1800 1800000 12.5", "604555013 4539148803436467 5550134999"},
		{"offset", "1800.25 PT1M2.5S 00:01:02.500 361000000 0 12.340000000000002 5.2799997 12.3456789012345678901234", "604555013 PT604555013S 99:99:99 604555.0134 361000001"},
		{"Durée appel", "182", "604555013 Ines"},
		{"time", "1709301600123.5 1709301600.123459", "604555013 6045550134.5 1984-05-03"},
		{"ts", "1772618400 1772618400123 2026-03-04T10:00:00Z 17.5", "604555013 6045550134 9045550134 1984-05-03 2026-13-04"},
		{"timestamp", "1772618400000000", "604555013 16045550134"},
		{"endTime", "26.40s 45s", "604555013s 604555.013"},
		{"confidence", "0.97 1 99.5 0 0.9123456789012345", "604555013 555013 101 12.3456789"},
		{"avg_logprob", "-0.2176543 -12", "604555013 55501"},
		{"agent", "0 1 -1", "55501 604555 1234"},
		{"customer", "7", "55501 604555"},
		{"id", "0 58 999 6b1c2d3e-2222-4333-8333-444444444444 GX00000000000000000000000000000000 " +
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "55501 604555 60455501-3460-4555-0134-604555013400 60455501346045550134604555013400"},
		{"speaker", "SPEAKER_01 spk_0 B agent 12", "Ines 45391 Q1234"},
		{"language", "en en-US en_us yue zh-Hans-CN", "ana-Diaz ana ines en-Ines"},
		{"audio_duration", "45 45.1", "604555013"},
		{"seek", "3000", "604555013"},
		{"words", "", "1"},
		{"lastUpdateTime", "2026-03-04T10:01:00.123456Z 1772618400123", "604555013 1984-05-03"},
		{"TotalCount", "3 999", "45391 604555"},
		{"usage_seconds", "32", "604555013"},
		{"birth_date", "", "2003-05-04"},
		{"nanos", "0 300000000 1500000", "604555013"},
		{"output_locale", "en-US", "Ines"},
		{"conversationStart", "2024-06-01T12:00:00.123Z 12.5", "604555013 1984-05-03"},
		{"max_silence_secs", "3.5 312", "604555013"},
		{"AHT (sec)", "312 45.25", "604555013 Ines"},
		{"Duración (s)", "182", "604555013"},
		{"p99", "2700 0.25", "604555013 Ines"},
		{"Hora de inicio", "10:15:00 2024-03-01T09:00:00Z", "604555013 Ines"},
		{"Horodatage", "2024-03-01T09:00:00Z", "604555013 1984-05-03"},
	} {
		for _, v := range strings.Fields(c.keep) {
			if !l.Value(c.name, v) {
				t.Errorf("%s: %s is masked", c.name, v)
			}
		}
		for _, v := range strings.Fields(c.mask) {
			if l.Value(c.name, v) {
				t.Errorf("%s: %s stays", c.name, v)
			}
		}
	}
	if long := For(1 << 20); !long.Value("id", "30000") || !long.Value("start", "7200000") || long.Value("ts", "604555013") {
		t.Error("the limits do not follow the size of the file")
	}
}

// A number of one or two digits says nothing, unless it is an age or a part of a date.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		name, value string
		small       bool
	}{
		{"stability", "1", true}, {"conf", "0.9712345", true}, {"agentChannel", "2", true}, {"total", "34", true},
		{"customerAge", "34", false}, {"birth_month", "5", false}, {"pin", "12", false}, {"cvv", "123", false}, {"x", "-5", false}, {"x", "6045550134", false},
	} {
		if Small(c.name, c.value) != c.small {
			t.Errorf("%s: %s", c.name, c.value)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{"lastUpdateTime": "last update time", "TotalCount": "total count", "word_boost": "word boost", "@type": "type",
		"SessionID": "session id", "URLPath": "url path", "x": "x", "Dana Whitlock": "dana whitlock"} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Names of members from the documentation of recognizers and contact centers are names, although words of them may be somebody's.
func TestVendorsNamesStay(t *testing.T) {
	for name := range strings.FieldsSeq("ani dnis max_alternatives min_speaker_count max_speaker_count num_speakers punctuated_word smart_format diarize_model detect_topics keyterms " +
		"utt_split filler_words model_uuid sha256 word_boost boost_param speech_threshold auto_highlights dual_channel content_safety_labels iab_categories_result audio_start_from " +
		"custom_spelling sentiment_analysis_results format_text webhook_status_code speaker_labels LanguageCode MediaSampleRateHertz ChannelIdentification VocabularyFilterMethod " +
		"ContentRedaction PiiEntityTypes JobStatus MatchedCategories PointsOfInterest BeginOffsetMillis EndOffsetMillis LoudnessScores NonTalkTime ConversationCharacteristics " +
		"ParticipantRole alternativeLanguageCodes enableAutomaticPunctuation diarizationConfig resultEndTime totalBilledTime channelTag speakerTag maskedITN offsetInTicks " +
		"durationInTicks recognitionStatus combinedRecognizedPhrases nBest displayWords lexical monologues elements segment_id no_speech_prob avg_logprob compression_ratio " +
		"temperature vocab_size result_index end_of_utterance_silence_trigger max_delay operating_point attaches_to is_eos job_info transcription_config max_delay_mode " +
		"call_sid AccountSid MediaSid SentenceIndex TranscriptSid participantPurpose mediaType wrapUpCode conversationStart conversationEnd sentimentScore sentimentTrend phraseIndex " +
		"stabilityScore startTimeMs milliseconds queueName divisionIds acwDuration holdDuration talkTimeMs is_voicemail disconnection_reason call_status agent_version latency_ms " +
		"endedReason costBreakdown analysisPlan artifactPlan successEvaluation endpointing silenceTimeoutSeconds maxDurationSeconds firstMessageMode backgroundDenoisingEnabled " +
		"messages tool_calls finish_reason prompt_tokens completion_tokens logprobs system_fingerprint created_at updated_at is_internal part_type conversation_parts assignee_id " +
		"delivered_as first_response_time_sec satisfaction_rating ticket_form_id custom_fields followup_ids sharing_agreement_ids brand_id via_followup_source_id contactId masterContactId " +
		"skillName campaignName interactionId isInbound agentOffset crosstalk deadAir hold_count transfer_count") {
		words, plain := Program(name)
		if !Name(name) && (words == nil || !plain) {
			t.Errorf("%s is masked", name)
		}
	}
}

// Words of programs stay, and what may be somebody's does not.
func TestEnumerated(t *testing.T) {
	for _, v := range strings.Fields("late_delivery refund-requested PII PHI NO_ANSWER deepgram_prerecorded nova-2-phonecall audio/wav") {
		if !Enumerated(v) {
			t.Errorf("%s is masked", v)
		}
	}
	for _, v := range strings.Fields("ines_quimby may-12-85 Ines INES room-604555 pii") {
		if Enumerated(v) {
			t.Errorf("%s stays", v)
		}
	}
}
