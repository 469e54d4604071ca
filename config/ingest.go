package config

import (
	"net/url"
	"regexp"
	"strings"
)

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

// MaxRawBytes is the size of the largest raw record that can be an event. JSON may need six bytes for one byte of text; the rest
// is for the other fields.
func (s *Settings) MaxRawBytes() int { return 6*s.MaxTextBytes + 256<<10 }

// WebhookBytes is the size of the largest webhook that is received.
func (s *Settings) WebhookBytes() int {
	if s.IngestMaxBytes == 0 {
		return s.MaxRawBytes()
	}
	return s.IngestMaxBytes
}

func (s *Settings) validateIngest(p *problems) {
	p.require(s.IngestMaxBytes <= s.MaxRawBytes(), "INGEST_MAX_BYTES", "is more than the stream reads of a record with this SOTTO_MAX_TEXT_BYTES, %d", s.MaxRawBytes())
	own := s.IngestSignature == "hmac" || s.IngestSignature == "secret"
	p.require((s.IngestSignature == "") == (s.IngestSecretFile == ""), "INGEST_SIGNATURE", "and SOTTO_INGEST_SECRET_FILE must be set together")
	p.require(s.IngestSignature != "hmac" || s.IngestHeader != "", "INGEST_HEADER", "is needed with SOTTO_INGEST_SIGNATURE=hmac")
	p.require(s.IngestHeader == "" || own, "INGEST_HEADER", "has no effect without SOTTO_INGEST_SIGNATURE=hmac or secret")
	names := strings.Split(s.IngestHeader, ",")
	for _, name := range names {
		p.require(s.IngestHeader == "" || headerName.MatchString(name), "INGEST_HEADER", "must be the name of a header, of letters, digits and -")
	}
	p.require(len(names) == 1 || len(names) == 2 && s.IngestSignature == "hmac", "INGEST_HEADER", "names too many headers: only hmac has one with the time")
	p.require((s.IngestSignature == "twilio") == (s.IngestURL != ""), "INGEST_URL", "is for SOTTO_INGEST_SIGNATURE=twilio, which needs it")
	// Whoever has seen a request could send it again for another call: a signature of the body does not cover its header.
	plain := s.IngestSignature == "secret" || s.IngestSignature == "vapi" || s.IngestSignature == "ringcentral"
	p.require(!strings.Contains(s.IngestKey, "$header.") || plain || s.IngestClientCAFile != "", "INGEST_KEY",
		"names a header, which no signature covers: that needs SOTTO_INGEST_SIGNATURE=secret, vapi or ringcentral, or SOTTO_INGEST_TLS_CLIENT_CA_FILE")
	u, err := url.Parse(s.IngestURL)
	p.require(s.IngestURL == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.RawQuery == "" && u.Fragment == "",
		"INGEST_URL", "must be a URL without a query, such as https://hooks.example.com")
	p.require((s.IngestTLSCertFile == "") == (s.IngestTLSKeyFile == ""), "INGEST_TLS_CERT_FILE", "and SOTTO_INGEST_TLS_KEY_FILE must be set together")
	p.require(s.IngestClientCAFile == "" || s.IngestTLSCertFile != "", "INGEST_TLS_CLIENT_CA_FILE", "needs SOTTO_INGEST_TLS_CERT_FILE")
}
