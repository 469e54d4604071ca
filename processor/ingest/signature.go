package ingest

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/config"
)

// verifier decides who may send webhooks.
type verifier struct {
	scheme             scheme
	header, timeHeader string
	base               string // of the URL that the vendor was given, up to its path
	maxAge             time.Duration
	secrets            func() []string
	now                func() time.Time
}

// scheme is how a vendor signs. It looks at the header first, so that no body is read of whoever cannot have signed it, and
// returns what decides by the body, nil if nothing does.
type scheme func(*verifier, *http.Request) (body opener, refused *refusal)

// opener reports whether a body is signed, and returns the message in it.
type opener func(body []byte) (message []byte, ok bool)

// whole is for bodies that are the message themselves.
func whole(signed func([]byte) bool) opener {
	return func(body []byte) ([]byte, bool) { return body, signed(body) }
}

var schemes = map[string]scheme{
	"twilio": (*verifier).twilio, "zoom": (*verifier).zoom, "retell": (*verifier).retell, "vapi": (*verifier).secret,
	"vonage": (*verifier).vonage, "dialpad": (*verifier).dialpad, "ringcentral": (*verifier).secret,
	"standard": (*verifier).standard, "hmac": (*verifier).hmac, "secret": (*verifier).secret,
}

func newVerifier(s *config.Settings, secrets func() []string) *verifier {
	v := &verifier{scheme: schemes[s.IngestSignature], base: strings.TrimRight(s.IngestURL, "/"), maxAge: s.IngestMaxAge, secrets: secrets, now: time.Now}
	v.header, v.timeHeader, _ = strings.Cut(s.IngestHeader, ",")
	switch {
	case s.IngestSignature == "vapi":
		v.header = "X-Vapi-Secret"
	case s.IngestSignature == "ringcentral":
		v.header = "Verification-Token"
	case s.IngestSignature == "secret" && v.header == "":
		v.header = "Authorization"
	}
	return v
}

// header returns the value of a header that must be there once.
func header(r *http.Request, name string) string {
	if values := r.Header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// any reports whether a signature is that of one of the secrets.
func (v *verifier) any(is func(secret string) bool) bool {
	_, found := v.which(is)
	return found
}

// which returns the secret whose signature is there. It tries all, in constant time.
func (v *verifier) which(is func(secret string) bool) (secret string, found bool) {
	for _, s := range v.secrets() {
		if is(s) {
			secret, found = s, true
		}
	}
	return secret, found
}

// mac returns the HMAC of texts that follow one another.
func mac(kind func() hash.Hash, key []byte, parts ...string) []byte {
	h := hmac.New(kind, key)
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// signed reports whether a signature is the HMAC-SHA256 of texts with one of the secrets.
func (v *verifier) signed(signature []byte, parts ...string) bool {
	return v.any(func(secret string) bool { return hmac.Equal(signature, mac(sha256.New, []byte(secret), parts...)) })
}

// fresh refuses a time that is too far from now. unit is what it counts.
func (v *verifier) fresh(count string, unit time.Duration) *refusal {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 0 || n > int64(1<<62)/int64(unit) {
		return errSignature
	}
	if age := v.now().Sub(time.Unix(0, n*int64(unit))); age > v.maxAge || age < -v.maxAge {
		return errExpired
	}
	return nil
}

// secret is that of whoever sends the secret itself.
func (v *verifier) secret(r *http.Request) (opener, *refusal) {
	given := header(r, v.header)
	if strings.EqualFold(v.header, "Authorization") {
		kind, token, _ := strings.Cut(given, " ")
		if !strings.EqualFold(kind, "Bearer") {
			return nil, errSignature
		}
		given = strings.TrimSpace(token)
	}
	sum := sha256.Sum256([]byte(given)) // of equal length, which is then no secret
	if given == "" || !v.any(func(secret string) bool {
		want := sha256.Sum256([]byte(secret))
		return subtle.ConstantTimeCompare(sum[:], want[:]) == 1
	}) {
		return nil, errSignature
	}
	return nil, nil
}

// hmac is that of whoever signs the body, perhaps with the time before it, in hexadecimal or base64.
func (v *verifier) hmac(r *http.Request) (opener, *refusal) {
	given := strings.TrimPrefix(header(r, v.header), "sha256=")
	signature, err := hex.DecodeString(given)
	if err != nil {
		signature, err = base64.StdEncoding.DecodeString(given)
	}
	if err != nil || len(signature) != sha256.Size {
		return nil, errSignature
	}
	if v.timeHeader == "" {
		return whole(func(body []byte) bool { return v.signed(signature, string(body)) }), nil
	}
	at := header(r, v.timeHeader)
	return whole(func(body []byte) bool { return v.signed(signature, at, ".", string(body)) }), v.fresh(at, time.Second)
}

// zoom: v0=HEX in one header, the time in another.
func (v *verifier) zoom(r *http.Request) (opener, *refusal) {
	if _, ok := zoomSignature(r); !ok {
		return nil, errSignature
	}
	return whole(func(body []byte) bool { _, ok := v.zoomSecret(r, body); return ok }), v.fresh(header(r, zoomTime), time.Second)
}

const zoomTime = "X-Zm-Request-Timestamp"

func zoomSignature(r *http.Request) (signature []byte, ok bool) {
	given, ok := strings.CutPrefix(header(r, "X-Zm-Signature"), "v0=")
	signature, err := hex.DecodeString(given)
	return signature, ok && err == nil
}

// zoomSecret returns the secret with which a request is signed.
func (v *verifier) zoomSecret(r *http.Request, body []byte) (secret string, ok bool) {
	signature, _ := zoomSignature(r)
	return v.which(func(secret string) bool {
		return hmac.Equal(signature, mac(sha256.New, []byte(secret), "v0:", header(r, zoomTime), ":", string(body)))
	})
}

// retell: v=MILLISECONDS,d=HEX.
func (v *verifier) retell(r *http.Request) (opener, *refusal) {
	at, given, ok := strings.Cut(strings.TrimPrefix(header(r, "X-Retell-Signature"), "v="), ",d=")
	signature, err := hex.DecodeString(given)
	if !ok || err != nil {
		return nil, errSignature
	}
	return whole(func(body []byte) bool { return v.signed(signature, string(body), at) }), v.fresh(at, time.Millisecond)
}

// standard is that of Standard Webhooks: several signatures with their versions. The secret is base64 behind whsec_.
func (v *verifier) standard(r *http.Request) (opener, *refusal) {
	id, at, given := header(r, "Webhook-Id"), header(r, "Webhook-Timestamp"), header(r, "Webhook-Signature")
	var signatures [][]byte
	for one := range strings.FieldsSeq(given) {
		text, ok := strings.CutPrefix(one, "v1,")
		signature, err := base64.StdEncoding.DecodeString(text)
		if ok && err == nil {
			signatures = append(signatures, signature)
		}
	}
	// With a dot in it, the ID could take in what was signed as the time and the beginning of the body.
	if id == "" || strings.Contains(id, ".") || len(signatures) == 0 || len(signatures) > maxSignatures {
		return nil, errSignature
	}
	return whole(func(body []byte) bool {
		return v.any(func(secret string) bool {
			key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
			want := mac(sha256.New, key, id, ".", at, ".", string(body))
			return err == nil && slices.ContainsFunc(signatures, func(s []byte) bool { return hmac.Equal(s, want) })
		})
	}), v.fresh(at, time.Second)
}

// maxSignatures bounds the signatures of a request: a vendor sends several while a secret is replaced.
const maxSignatures = 10

// vonage: a JSON Web Token with the SHA-256 of the body.
func (v *verifier) vonage(r *http.Request) (opener, *refusal) {
	kind, token, _ := strings.Cut(header(r, "Authorization"), " ")
	data, ok := v.token(strings.TrimSpace(token))
	var claims struct {
		IssuedAt int64  `json:"iat"`
		Expires  int64  `json:"exp"`
		Hash     string `json:"payload_hash"`
	}
	if !ok || !strings.EqualFold(kind, "Bearer") || json.Unmarshal(data, &claims) != nil {
		return nil, errSignature
	}
	if claims.Expires != 0 && v.now().After(time.Unix(claims.Expires, 0)) {
		return nil, errExpired
	}
	want, err := hex.DecodeString(claims.Hash)
	if err != nil || len(want) != sha256.Size {
		return nil, errSignature
	}
	return whole(func(body []byte) bool {
		sum := sha256.Sum256(body)
		return hmac.Equal(want, sum[:])
	}), v.fresh(strconv.FormatInt(claims.IssuedAt, 10), time.Second)
}

// dialpad: the body is a JSON Web Token, whose claims are the message.
func (v *verifier) dialpad(*http.Request) (opener, *refusal) {
	return func(body []byte) ([]byte, bool) {
		message, ok := v.token(strings.TrimSpace(string(body)))
		return message, ok && len(message) > 0
	}, nil
}

// token returns the claims of a JSON Web Token. Only HS256 is accepted, whatever the token says. Nothing is decoded of one that is
// not signed.
func (v *verifier) token(text string) (claims []byte, ok bool) {
	end := max(0, strings.LastIndexByte(text, '.'))
	given, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(text[end:], "."))
	if err != nil || !v.signed(given, text[:end]) {
		return nil, false
	}
	first, second, _ := strings.Cut(text[:end], ".")
	var head struct{ Alg string }
	data, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil || json.Unmarshal(data, &head) != nil || head.Alg != "HS256" {
		return nil, false
	}
	claims, err = base64.RawURLEncoding.DecodeString(second)
	return claims, err == nil
}

// twilio signs the URL that it was given, with the fields of a form behind it, or with the SHA-256 of another body in its query.
func (v *verifier) twilio(r *http.Request) (opener, *refusal) {
	signature, err := base64.StdEncoding.DecodeString(header(r, "X-Twilio-Signature"))
	if err != nil || len(signature) != sha1.Size || !strings.HasPrefix(r.RequestURI, "/") {
		return nil, errSignature
	}
	given, hashed := r.URL.Query()["bodySHA256"]
	form := mediaType(r) == "application/x-www-form-urlencoded"
	if !hashed && !form {
		return nil, errSignature
	}
	return whole(func(body []byte) bool {
		if hashed {
			want, err := hex.DecodeString(given[0])
			if sum := sha256.Sum256(body); err != nil || len(given) != 1 || !hmac.Equal(want, sum[:]) {
				return false
			}
		}
		fields := ""
		if form {
			var ok bool
			if fields, ok = formText(string(body)); !ok {
				return false
			}
		}
		return v.any(func(secret string) bool {
			found := false
			for _, base := range withPort(v.base) {
				found = hmac.Equal(signature, mac(sha1.New, []byte(secret), base, r.RequestURI, fields)) || found
			}
			return found
		})
	}), nil
}

// formText is what Twilio signs of a form: the names with their values, sorted.
func formText(body string) (text string, ok bool) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return "", false
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		values := slices.Clone(form[name])
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			b.WriteString(name)
			b.WriteString(value)
		}
	}
	return b.String(), true
}

// withPort returns a URL with and without the port that is its scheme's own: Twilio signs either.
func withPort(base string) []string {
	port := map[bool]string{true: ":443", false: ":80"}[strings.HasPrefix(base, "https:")]
	u, err := url.Parse(base)
	if err != nil {
		return []string{base}
	}
	switch u.Port() {
	case "":
		u.Host += port
	case port[1:]:
		u.Host = strings.TrimSuffix(u.Host, port)
	}
	return []string{base, u.String()}
}
