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
