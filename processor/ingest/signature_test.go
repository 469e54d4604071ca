package ingest

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"sotto/config"
)

const (
	testSecret = "a-secret-of-some-length"
	testBase   = "https://hooks.example.com"
)

// at is when the requests of these tests are sent.
var at = time.Unix(1_800_000_000, 0)

func hmac256(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return h.Sum(nil)
}

// webToken is a JSON Web Token.
func webToken(secret, head, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(hmac256(secret, text))
}

// posted is the body in which a message is sent.
func posted(signature, secret, message string) string {
	if signature == "dialpad" {
		return webToken(secret, `{"alg":"HS256","typ":"JWT"}`, message)
	}
	return message
}

// sign signs a request as the vendors document it.
func sign(r *http.Request, signature, secret string, now time.Time, body string) {
	seconds := strconv.FormatInt(now.Unix(), 10)
	switch signature {
	case "twilio":
		text := testBase + r.URL.RequestURI()
		if form, err := url.ParseQuery(body); err == nil && r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
			text += sortedForm(form)
		}
		h := hmac.New(sha1.New, []byte(secret))
		h.Write([]byte(text))
		r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(h.Sum(nil)))
	case "zoom":
		r.Header.Set("X-Zm-Request-Timestamp", seconds)
		r.Header.Set("X-Zm-Signature", "v0="+hex.EncodeToString(hmac256(secret, "v0:"+seconds+":"+body)))
	case "retell":
		ms := strconv.FormatInt(now.UnixMilli(), 10)
		r.Header.Set("X-Retell-Signature", "v="+ms+",d="+hex.EncodeToString(hmac256(secret, body+ms)))
	case "vapi":
		r.Header.Set("X-Vapi-Secret", secret)
	case "vonage":
		sum := sha256.Sum256([]byte(body))
		claims, _ := json.Marshal(map[string]any{"iat": now.Unix(), "payload_hash": hex.EncodeToString(sum[:]), "iss": "Vonage"})
		r.Header.Set("Authorization", "Bearer "+webToken(secret, `{"alg":"HS256","typ":"JWT"}`, string(claims)))
	case "ringcentral":
		r.Header.Set("Verification-Token", secret)
	case "standard":
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		r.Header.Set("Webhook-Id", "msg_1")
		r.Header.Set("Webhook-Timestamp", seconds)
		r.Header.Set("Webhook-Signature", "v1a,AAAA v1,"+base64.StdEncoding.EncodeToString(hmac256(string(key), "msg_1."+seconds+"."+body)))
	case "hmac":
		r.Header.Set("X-Signature", "sha256="+hex.EncodeToString(hmac256(secret, body)))
	case "secret":
		r.Header.Set("Authorization", "Bearer "+secret)
	}
}

func sortedForm(form url.Values) (text string) {
	for _, pair := range strings.Split(form.Encode(), "&") { // Encode sorts
		if name, value, ok := strings.Cut(pair, "="); ok {
			name, _ = url.QueryUnescape(name)
			value, _ = url.QueryUnescape(value)
			text += name + value
		}
	}
	return text
}

// secretFor is a secret in the form of a scheme.
func secretFor(signature, secret string) string {
	if signature == "standard" {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))
	}
	return secret
}

func newRequest(target, kind, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	return r
}

func verifierFor(signature string, secrets ...string) *verifier {
	s := config.Settings{IngestSignature: signature, Bounds: config.Bounds{IngestMaxAge: 5 * time.Minute}}
	switch signature {
	case "hmac":
		s.IngestHeader = "X-Signature"
	case "twilio":
		s.IngestURL = testBase + "/"
	}
	v := newVerifier(&s, func() []string { return secrets })
	v.now = func() time.Time { return at }
	return v
}

// verify reports why a request is refused, nil if it is not.
func (v *verifier) verify(r *http.Request, body string) *refusal {
	_, refused := v.open(r, body)
	return refused
}

// open returns the message in a body.
func (v *verifier) open(r *http.Request, body string) (string, *refusal) {
	open, refused := v.scheme(v, r)
	if refused != nil || open == nil {
		return body, refused
	}
	message, ok := open([]byte(body))
	if !ok {
		return "", errSignature
	}
	return string(message), nil
}

const formType = "application/x-www-form-urlencoded"

func TestSignatures(t *testing.T) {
	for signature := range schemes {
		secret, other := secretFor(signature, testSecret), secretFor(signature, "another-secret-that-is-long")
		kind, message := "application/json", `{"text":"hello"}`
		if signature == "twilio" {
			kind, message = formType, "CallSid=CA1&Text=a&Text=a+b%26c"
		}
		timed := !strings.Contains("twilio vapi dialpad ringcentral hmac secret", signature)
		bodied := !strings.Contains("vapi ringcentral secret", signature)
		headed := signature != "dialpad"
		for _, c := range []struct {
			name   string
			secret string
			at     time.Time
			change func(r *http.Request, body string) string
			want   *refusal
		}{
			{"as it is", secret, at, nil, nil},
			{"another secret", other, at, nil, errSignature},
			{"no header", secret, at, func(r *http.Request, body string) string { r.Header = http.Header{"Content-Type": {kind}}; return body }, when(headed, errSignature)},
			{"the header twice", secret, at, func(r *http.Request, body string) string {
				for name, values := range r.Header {
					if name != "Content-Type" {
						r.Header[name] = append(values, values[0])
					}
				}
				return body
			}, when(headed, errSignature)},
			{"another body", secret, at, func(_ *http.Request, body string) string { return body[:len(body)-2] + "x" + body[len(body)-1:] }, when(bodied, errSignature)},
			{"an earlier request", secret, at.Add(-6 * time.Minute), nil, when(timed, errExpired)},
			{"a request from the future", secret, at.Add(6 * time.Minute), nil, when(timed, errExpired)},
			{"a clock that differs", secret, at.Add(-4 * time.Minute), nil, nil},
		} {
			r := newRequest("/in?x=1", kind, "")
			sent := posted(signature, c.secret, message)
			sign(r, signature, c.secret, c.at, sent)
			if c.change != nil {
				sent = c.change(r, sent)
			}
			got, refused := verifierFor(signature, "the-first-of-two-secrets", secret).open(r, sent)
			if refused != c.want {
				t.Errorf("%s, %s: %v, want %v", signature, c.name, refused, c.want)
			}
			if refused == nil && bodied && got != message {
				t.Errorf("%s, %s: the message is another one", signature, c.name)
			}
		}
	}
}

func when(is bool, then *refusal) *refusal {
	if is {
		return then
	}
	return nil
}

// Signatures that others have published with the secret of their examples.
func TestPublishedSignatures(t *testing.T) {
	const uri = "/myapp.php?foo=1&bar=2"
	twilio := verifierFor("twilio", "12345")
	twilio.base = "https://mycompany.com"
	form := "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212"
	r := newRequest(uri, formType, form)
	r.Header.Set("X-Twilio-Signature", "RSOYDt4T1cUTdK1PDd93/VVr8B8=")
	if refused := twilio.verify(r, form); refused != nil {
		t.Error("a form of Twilio:", refused)
	}
	hashed := `{"property": "value", "boolean": true}`
	r = newRequest(uri+"&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620", "application/json", hashed)
	r.Header.Set("X-Twilio-Signature", "a9nBmqA0ju/hNViExpshrM61xv4=")
	if refused := twilio.verify(r, hashed); refused != nil {
		t.Error("JSON of Twilio:", refused)
	}
	if refused := twilio.verify(r, hashed+" "); refused != errSignature {
		t.Error("JSON of Twilio with another body:", refused)
	}

	standard := verifierFor("standard", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	standard.now = func() time.Time { return time.Unix(1614265330, 0) }
	body := `{"test": 2432232314}`
	r = newRequest("/", "application/json", body)
	r.Header = http.Header{"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}}
	if refused := standard.verify(r, body); refused != nil {
		t.Error("Standard Webhooks:", refused)
	}
}

// With a dot in its ID, a recorded request could be sent again at another time: the body has a time and dots, too.
func TestAnIDWithADot(t *testing.T) {
	secret := secretFor("standard", testSecret)
	seconds := strconv.FormatInt(at.Unix(), 10)
	recorded := `{"t":"x.` + seconds + `.{}"}`
	r := newRequest("/", "application/json", recorded)
	sign(r, "standard", secret, at.Add(-time.Hour), recorded)
	body := `{}"}`
	r.Header.Set("Webhook-Id", "msg_1."+strconv.FormatInt(at.Add(-time.Hour).Unix(), 10)+`.{"t":"x`)
	r.Header.Set("Webhook-Timestamp", seconds)
	if got := verifierFor("standard", secret).verify(r, body); got != errSignature {
		t.Errorf("%v, want %v", got, errSignature)
	}
}

// What is not as it must be, although somebody who knows the secret has signed it.
func TestSignedAndWrong(t *testing.T) {
	token := func(head, claims string) string { return "Bearer " + webToken(testSecret, head, claims) }
	sum := sha256.Sum256([]byte("{}"))
	claims := fmt.Sprintf(`{"iat":%d,"payload_hash":"%x"`, at.Unix(), sum)
	for _, c := range []struct {
		token string
		want  *refusal
	}{
		{token(`{"alg":"HS256"}`, claims+`}`), nil},
		{token(`{"alg":"none"}`, claims+`}`), errSignature},
		{token(`{"alg":"HS512"}`, claims+`}`), errSignature},
		{token(`{"alg":"HS256"}`, fmt.Sprintf(`{"iat":%d}`, at.Unix())), errSignature},
		{token(`{"alg":"HS256"}`, claims+fmt.Sprintf(`,"exp":%d}`, at.Unix()-1)), errExpired},
		{token(`{"alg":"HS256"}`, claims+`,"iat":-1}`), errSignature},
		{token(`{"alg":"HS256"}`, claims+`,"iat":9223372036854775807}`), errSignature},
		{strings.Replace(token(`{"alg":"HS256"}`, claims+`}`), "Bearer", "Basic", 1), errSignature},
	} {
		r := newRequest("/", "application/json", "{}")
		r.Header.Set("Authorization", c.token)
		if got := verifierFor("vonage", testSecret).verify(r, "{}"); got != c.want {
			t.Errorf("%s: %v, want %v", c.token, got, c.want)
		}
	}

	// A token that is the body.
	signed := func(text string) string {
		return text + "." + base64.RawURLEncoding.EncodeToString(hmac256(testSecret, text))
	}
	for body, want := range map[string]*refusal{
		webToken(testSecret, `{"alg":"HS256"}`, "{}"):              nil,
		" " + webToken(testSecret, `{"alg":"HS256"}`, "{}") + "\n": nil,
		webToken(testSecret, `{"alg":"none"}`, "{}"):               errSignature,
		webToken(testSecret, `{"alg":"HS384"}`, "{}"):              errSignature,
		webToken(testSecret, `{}`, "{}"):                           errSignature,
		webToken(testSecret, `{"alg":"HS256"}`, ""):                errSignature,
		strings.TrimRight(webToken("", `{"alg":"none"}`, "{}"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"): errSignature,
		signed("eyJhbGciOiJIUzI1NiJ9"):         errSignature,
		signed("eyJhbGciOiJIUzI1NiJ9.e30.e30"): errSignature,
		signed(""):                             errSignature,
		"{}":                                   errSignature,
		"":                                     errSignature,
		strings.Repeat(".", 1000):              errSignature,
	} {
		if got := verifierFor("dialpad", testSecret).verify(newRequest("/", "application/json", ""), body); got != want {
			t.Errorf("the body %.60q: %v, want %v", body, got, want)
		}
	}

	// A signature of Twilio that covers no body.
	r := newRequest("/in", "application/json", "{}")
	sign(r, "twilio", testSecret, at, "")
	if got := verifierFor("twilio", testSecret).verify(r, "{}"); got != errSignature {
		t.Errorf("a body that is not signed: %v", got)
	}
	// An HMAC with a time before the body.
	timed := verifierFor("hmac", testSecret)
	timed.timeHeader = "X-Time"
	for age, want := range map[time.Duration]*refusal{0: nil, 6 * time.Minute: errExpired} {
		r := newRequest("/", "application/json", "{}")
		seconds := strconv.FormatInt(at.Add(-age).Unix(), 10)
		r.Header.Set("X-Time", seconds)
		r.Header.Set("X-Signature", base64.StdEncoding.EncodeToString(hmac256(testSecret, seconds+".{}")))
		if got := timed.verify(r, "{}"); got != want {
			t.Errorf("an age of %s: %v, want %v", age, got, want)
		}
	}
	// Twilio signs the port of the URL or leaves it out.
	v := verifierFor("twilio", testSecret)
	for _, base := range []string{"https://hooks.example.com", "https://hooks.example.com:443"} {
		v.base = base
		r := newRequest("/in", formType, "a=b")
		sign(r, "twilio", testSecret, at, "a=b")
		if got := v.verify(r, "a=b"); got != nil {
			t.Errorf("%s: %v", base, got)
		}
	}
}

// Nothing that somebody can write who does not know the secret is accepted, or makes the receiver fail.
func FuzzSignatures(f *testing.F) {
	for signature := range schemes {
		r := newRequest("/in?bodySHA256=00", formType, "a=b")
		sign(r, signature, secretFor(signature, "what-they-guess-it-is"), at, "a=b")
		for _, name := range signatureHeaders {
			f.Add(signature, r.Header.Get(name), strconv.FormatInt(at.Unix(), 10), "/in?bodySHA256=00", formType, []byte(posted(signature, "what-they-guess-it-is", "a=b")))
		}
	}
	f.Add("twilio", "", "", "/?bodySHA256", "application/json", []byte("{}"))
	f.Fuzz(func(t *testing.T, signature, given, when, query, kind string, body []byte) {
		if schemes[signature] == nil {
			t.Skip()
		}
		r := newRequest("/", kind, "")
		r.RequestURI = query
		r.URL.RawQuery = query
		for _, name := range signatureHeaders {
			r.Header[name] = []string{given}
		}
		r.Header["Webhook-Id"] = []string{given}
		r.Header["Webhook-Timestamp"], r.Header["X-Zm-Request-Timestamp"] = []string{when}, []string{when}
		if refused := verifierFor(signature, secretFor(signature, testSecret)).verify(r, string(body)); refused == nil {
			t.Error("it is accepted")
		}
	})
}

var signatureHeaders = []string{"X-Twilio-Signature", "X-Zm-Signature", "X-Retell-Signature", "X-Vapi-Secret", "Verification-Token", "Authorization", "Webhook-Signature", "X-Signature"}

// The text that Twilio signs of a form has every name with every value, whatever the form looks like.
func FuzzFormText(f *testing.F) {
	f.Add("a=b&c=d")
	f.Add("b=2&a=1&a=0&%zz")
	f.Add(strings.Repeat("a[", 1000) + "=1;&=&&")
	f.Fuzz(func(t *testing.T, body string) {
		text, ok := formText(body)
		form, err := url.ParseQuery(body)
		if ok != (err == nil) {
			t.Fatalf("it is a form: %v, %v", ok, err)
		}
		if !ok {
			return
		}
		length := 0
		for name, values := range form {
			seen := map[string]bool{}
			for _, v := range values {
				if !seen[v] {
					length += len(name) + len(v)
				}
				seen[v] = true
			}
		}
		if len(text) != length {
			t.Errorf("the text has %d bytes, want %d", len(text), length)
		}
	})
}
