package config

import (
	"strings"
	"testing"
)

// What is received is what the stream reads: a larger record would be a dead letter after its sender was told that it is written.
func TestWebhookBytes(t *testing.T) {
	for _, c := range []struct {
		text, given string
		want        int // 0: refused
	}{
		{"", "", 6*65536 + 256<<10}, {"", "2000", 2000}, {"", "655360", 655360}, {"", "655361", 0}, {"1024", "", 6*1024 + 256<<10},
		{"262144", "", 6*262144 + 256<<10}, {"262144", "655361", 655361},
	} {
		s, err := Load(map[string]string{"SOTTO_KAFKA_BROKERS": "b:9092", "SOTTO_MAX_TEXT_BYTES": c.text, "SOTTO_INGEST_MAX_BYTES": c.given})
		switch {
		case c.want == 0 && (err == nil || !strings.Contains(err.Error(), "SOTTO_INGEST_MAX_BYTES")):
			t.Errorf("%+v: %v", c, err)
		case c.want > 0 && (err != nil || s.WebhookBytes() != c.want || s.WebhookBytes() > s.MaxRawBytes()):
			t.Errorf("%+v: %d bytes of %d, %v", c, s.WebhookBytes(), s.MaxRawBytes(), err)
		}
	}
}

// No signature covers the headers, so that the ID of a call comes from one only where the sender is known by other means.
func TestTheKeyFromAHeader(t *testing.T) {
	for signature, permitted := range map[string]bool{"hmac": false, "zoom": false, "standard": false, "secret": true, "vapi": true} {
		env := map[string]string{"SOTTO_KAFKA_BROKERS": "b:9092", "SOTTO_INGEST_SIGNATURE": signature, "SOTTO_INGEST_SECRET_FILE": "s", "SOTTO_INGEST_KEY": "id | $header.X-Call"}
		if signature == "hmac" {
			env["SOTTO_INGEST_HEADER"] = "X-Signature"
		}
		if _, err := Load(env); (err == nil) != permitted {
			t.Errorf("%s: %v", signature, err)
		}
		env["SOTTO_INGEST_TLS_CERT_FILE"], env["SOTTO_INGEST_TLS_KEY_FILE"], env["SOTTO_INGEST_TLS_CLIENT_CA_FILE"] = "c", "k", "a"
		if _, err := Load(env); err != nil {
			t.Errorf("%s with client certificates: %v", signature, err)
		}
	}
}
