package config

import (
	"net/url"
	"regexp"
	"strings"
)

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

func (s *Settings) validateIngest(p *problems) {
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
	u, err := url.Parse(s.IngestURL)
	p.require(s.IngestURL == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.RawQuery == "" && u.Fragment == "",
		"INGEST_URL", "must be a URL without a query, such as https://hooks.example.com")
	p.require((s.IngestTLSCertFile == "") == (s.IngestTLSKeyFile == ""), "INGEST_TLS_CERT_FILE", "and SOTTO_INGEST_TLS_KEY_FILE must be set together")
	p.require(s.IngestClientCAFile == "" || s.IngestTLSCertFile != "", "INGEST_TLS_CLIENT_CA_FILE", "needs SOTTO_INGEST_TLS_CERT_FILE")
}
