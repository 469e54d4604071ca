package ingest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/testkit/brokertest"
)

// signatureOf is how a vendor signs webhooks; the others have a header.
var signatureOf = map[string]string{
	"twilio": "twilio", "zoom": "zoom", "retell": "retell", "vapi": "vapi", "vonage": "vonage", "dialpad": "dialpad",
	"ringcentral": "ringcentral", "openai-realtime": "standard",
}

// samples are the messages of a vendor.
func samples(t *testing.T, name string) []mapping.Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "anonymize", "intake", "mapping", "testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return mapping.Records(data, "")
}

// vendorRig is the receiver of a vendor's webhooks.
func vendorRig(t *testing.T, name string) *rig {
	t.Helper()
	signature := signatureOf[name]
	if signature == "" {
		signature = "secret"
	}
	environ := []string{"SOTTO_RAW_FORMAT=" + name}
	m, err := mapping.Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapping.NewKeys(m, ""); err != nil {
		signature = "secret" // the others do not cover a header
		environ = append(environ, "SOTTO_INGEST_KEY=$header.X-Call")
	}
	return newRig(t, signature, environ...).start()
}

func kindOf(value []byte) string {
	if strings.ContainsAny(string(value[:1]), "{[") {
		return "application/json"
	}
	return formType
}

// What every vendor sends, each message twice, is written unchanged, in order, under the ID of its call. What the stream makes of
// it is what it makes of messages that came once: repeats are dropped.
func TestWebhooksOfVendors(t *testing.T) {
	for _, name := range mapping.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := vendorRig(t, name)
			sent := samples(t, name)
			for _, m := range sent {
				for range 2 {
					kind := kindOf(m.Value)
					req := r.request(kind, string(m.Value), "X-Call: "+string(m.Key))
					if name == "twilio" && kind != formType {
						continue // a webhook that is no form has its hash in the URL
					}
					if status, text, _ := r.send(req); status != http.StatusOK || text != "" {
						t.Fatalf("the status is %d: %s", status, text)
					}
				}
			}
			m, err := mapping.Load(name, "")
			if err != nil {
				t.Fatal(err)
			}
			want, got := events(mapping.NewTrial(m), sent), events(mapping.NewTrial(m), received(r))
			if !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("the stream makes %d events of the webhooks, want %d:\n%s\n%s", len(got), len(want), got, want)
			}
			r.quiet()
		})
	}
}

func received(r *rig) (all []mapping.Record) {
	for _, rec := range r.records() {
		all = append(all, mapping.Record{Key: rec.Key, Value: rec.Value})
	}
	return all
}

// events are what messages become, in the order of their calls and numbers.
func events(trial *mapping.Trial, all []mapping.Record) (list []string) {
	for _, rec := range all {
		for _, o := range trial.Read(rec) {
			if e := o.Event; e != nil {
				list = append(list, fmt.Sprintf("%s %d %s %s", e.CallID, e.Seq, e.Type, e.Text))
				if e.CallID != string(rec.Key) {
					list = append(list, "under another key")
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// Webhooks are written as they are, whatever is in them, and nothing of them is said, whoever has sent them.
func TestNothingOfAWebhookIsSaid(t *testing.T) {
	r := newRig(t, "zoom", "SOTTO_RAW_FORMAT=zoom", "SOTTO_INGEST_KEY=call").start()
	bodies := []string{
		`{"call":"c1","text":"My name is Wombatley"}`, `{"call":"wombatley"}`, `{"wombatley":1}`, `wombatley`, `["wombatley"`,
		"\xff\xfewombatley", strings.Repeat("[", 10_000) + `"wombatley"`, `{"call":"` + strings.Repeat("wombatley", 1000) + `"}`, "a=wombatley",
	}
	var answers []string
	for _, body := range bodies {
		answers = append(answers, r.post("application/json", body, http.StatusOK, "X-Wombatley: wombatley"))
		forged := r.request("application/json", body)
		forged.Header.Set("X-Zm-Signature", "v0=wombatley")
		_, text, _ := r.send(forged)
		answers = append(answers, text)
	}
	written := map[string]int{}
	for _, rec := range r.records() {
		written[string(rec.Value)]++
		if len(rec.Headers) > 0 {
			t.Error("a record has headers")
		}
		if key := string(rec.Key); key != "" && key != "c1" && key != "wombatley" {
			t.Errorf("a record has the key %.40q", key)
		}
	}
	for _, body := range bodies {
		if written[body] != 1 {
			t.Errorf("%.40q is written %d times", body, written[body])
		}
	}
	for _, line := range []string{
		`sotto_ingest_refused_total{reason="signature"} 9`, `sotto_ingest_records_total 9`, `sotto_ingest_records_without_call_total 7`,
		`sotto_ingest_requests_total{code="200"} 9`, `sotto_ingest_requests_total{code="401"} 9`,
	} {
		if !strings.Contains(r.metrics(), line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	r.network.cut(true)
	r.server.settings.IngestTimeout = 100 * time.Millisecond
	answers = append(answers, r.post("application/json", bodies[0], http.StatusServiceUnavailable))
	r.quiet(answers...)
	if !strings.Contains(r.log.String(), "cannot be written") {
		t.Error("it is not logged that the broker is away")
	}
	r.network.cut(false)
}

// Zoom asks whether the receiver knows the secret. The question is no message.
func TestTheChallengeOfZoom(t *testing.T) {
	r := newRig(t, "zoom", "SOTTO_RAW_FORMAT=zoom", "SOTTO_INGEST_KEY=call").start()
	question := `{"event":"endpoint.url_validation","payload":{"plainToken":"q-1"},"event_ts":1}`
	want := fmt.Sprintf(`{"encryptedToken":"%x","plainToken":"q-1"}`, hmac256(testSecret, "q-1"))
	if got := r.post("application/json", question, http.StatusOK); got != want {
		t.Errorf("the answer is %s, want %s", got, want)
	}
	const next = "the-next-secret-wombatley"
	if err := os.WriteFile(r.set.IngestSecretFile, []byte(testSecret+"\n"+next), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := r.request("application/json", question)
	sign(asked, "zoom", next, time.Now(), question)
	want = fmt.Sprintf(`{"encryptedToken":"%x","plainToken":"q-1"}`, hmac256(next, "q-1"))
	brokertest.Eventually(t, 5*time.Second, "the next secret", func() bool {
		again := asked.Clone(t.Context())
		again.Body, _ = asked.GetBody()
		status, got, _ := r.send(again)
		if status == http.StatusOK && got != want {
			t.Errorf("the answer to another secret is %s, want %s", got, want)
		}
		return status == http.StatusOK
	})
	forged := r.request("application/json", question)
	forged.Header.Set("X-Zm-Signature", "v0="+strings.Repeat("00", 32))
	if status, text, _ := r.send(forged); status != http.StatusUnauthorized || strings.Contains(text, "q-1") {
		t.Errorf("a forged question is answered with %d %s", status, text)
	}
	r.post("application/json", `{"event":"meeting.started","payload":{"plainToken":"endpoint.url_validation"}}`, http.StatusOK)
	if n := len(r.records()); n != 1 {
		t.Errorf("%d records, want 1", n)
	}
}

// RingCentral asks whether there is a receiver, before it sends messages. The question is no message, and whoever asks has no
// message written without the secret.
func TestTheQuestionOfRingCentral(t *testing.T) {
	r := newRig(t, "ringcentral", "SOTTO_RAW_FORMAT=ringcentral").start()
	const message = `{"jobId":"c1","status":"Success","response":{"utterances":[{"speakerId":"0","start":0.5,"end":1,"text":"Hi."}]}}`
	for name, c := range map[string]struct {
		token, secret, body string
		status              int
		echo                string
	}{
		"the question":                    {"3f0d-a.b_c", "", "", http.StatusOK, "3f0d-a.b_c"},
		"with the secret":                 {"3f0d", testSecret, "", http.StatusOK, "3f0d"},
		"with a message":                  {"3f0d", "", message, http.StatusUnauthorized, ""},
		"a message with the secret":       {"3f0d", testSecret, message, http.StatusOK, ""},
		"a token that may be somebody's":  {"wombatley <b>", "", "", http.StatusUnauthorized, ""},
		"a long token":                    {strings.Repeat("a", 257), "", "", http.StatusUnauthorized, ""},
		"neither a token nor the secret":  {"", "", "", http.StatusUnauthorized, ""},
		"a message with another secret":   {"", "another-secret-that-is-long", message, http.StatusUnauthorized, ""},
		"the secret and neither of these": {"", testSecret, "", http.StatusBadRequest, ""},
	} {
		req := r.request("application/json", c.body)
		req.Header.Del("Verification-Token")
		for header, value := range map[string]string{"Validation-Token": c.token, "Verification-Token": c.secret} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		status, text, answer := r.send(req)
		if status != c.status || answer.Get("Validation-Token") != c.echo {
			t.Errorf("%s: the status is %d and the token %q, want %d and %q", name, status, answer.Get("Validation-Token"), c.status, c.echo)
		}
		if c.echo != "" && (text != "" || answer.Get("Content-Type") != "application/json") {
			t.Errorf("%s: the answer is not empty JSON", name)
		}
	}
	if all := r.records(); len(all) != 1 || string(all[0].Value) != message || string(all[0].Key) != "c1" {
		t.Errorf("%d records are written, want the message", len(all))
	}
	r.quiet()
}

// A receiver that was told to stop answers what is in flight, and says before that it is not ready.
func TestStoppingLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "secret")
	r.set.IngestDrain = 500 * time.Millisecond
	r.start()
	ready := func() bool {
		w := httptest.NewRecorder()
		r.server.HealthHandler().ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		return w.Code == http.StatusOK
	}
	if !ready() {
		t.Error("it is not ready")
	}
	idle := dialIdle(t, r)
	idle.post(t, "keep-alive")
	r.network.cut(true) // the request waits
	answered := make(chan int)
	go func() {
		status, _, _ := r.send(r.request("application/json", `{"call_id":"c"}`))
		answered <- status
	}()
	time.Sleep(100 * time.Millisecond)
	ended := make(chan error)
	go func() { ended <- r.end() }()
	brokertest.Eventually(t, 5*time.Second, "it is not ready any more", func() bool { return !ready() })
	other := r.request("application/json", "{}") // somebody who was sent to it meanwhile
	other.Header.Set("Authorization", "Bearer none")
	if status, _, _ := r.send(other); status != http.StatusUnauthorized {
		t.Errorf("the status of another request is %d", status)
	}
	r.network.cut(false)
	idle.post(t, "") // on a connection that was idle when it was told to stop, and is not taken again
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the request in flight got %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	written := map[string]int{}
	for _, rec := range r.records() {
		written[string(rec.Key)]++
	}
	if written["c"] != 1 || written["idle"] != 2 {
		t.Errorf("the records are %v", written)
	}
}

// idleConn is one connection of a proxy, whose requests are refused.
type idleConn struct {
	net.Conn
	from *bufio.Reader
}

func dialIdle(t *testing.T, r *rig) idleConn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return idleConn{c, bufio.NewReader(c)}
}

// post sends a webhook, and checks whether the connection stays open after it.
func (c idleConn) post(t *testing.T, kept string) {
	t.Helper()
	const body = `{"call_id":"idle"}`
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", testSecret, len(body), body)
	resp, err := http.ReadResponse(c.from, nil)
	if err != nil {
		t.Errorf("a connection that was idle is closed: %v", err)
		return
	}
	defer resp.Body.Close()
	if resp.Close != (kept == "") {
		t.Errorf("the connection closes: %v", resp.Close)
	}
}

// Secrets are read again when they change; a broken file leaves the earlier ones.
func TestSecretsAreReadAgain(t *testing.T) {
	r := newRig(t, "secret").start()
	write := func(text string) {
		if err := os.WriteFile(r.set.IngestSecretFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status := func(secret string) int {
		req := r.request("application/json", `{"call_id":"c"}`)
		req.Header.Set("Authorization", "Bearer "+secret)
		code, _, _ := r.send(req)
		return code
	}
	const next = "the-next-secret-wombatley"
	write("short")
	brokertest.Eventually(t, 5*time.Second, "the broken file", func() bool { return strings.Contains(r.metrics(), "sotto_ingest_reload_errors_total 1") })
	if code := status(testSecret); code != http.StatusOK {
		t.Errorf("after a broken file: %d", code)
	}
	write(next + "\n" + testSecret)
	brokertest.Eventually(t, 5*time.Second, "the next secret", func() bool { return status(next) == http.StatusOK })
	if code := status(testSecret); code != http.StatusOK {
		t.Errorf("the earlier secret beside it: %d", code)
	}
	write(next)
	brokertest.Eventually(t, 5*time.Second, "the end of the earlier secret", func() bool { return status(testSecret) == http.StatusUnauthorized })
	r.quiet()
}

// The mapping is read again when it changes, as the stream does, so that both find the same ID.
func TestTheMappingIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.yaml")
	write := func(call string) {
		if err := os.WriteFile(file, []byte("call: "+call+"\nrules: [{when: [text], text: text}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	r := newRig(t, "secret", "SOTTO_RAW_FORMAT="+file).start()
	key := func() string {
		r.post("application/json", `{"text":"a","first":"c1","second":"c2"}`, http.StatusOK)
		all := r.records()
		return string(all[len(all)-1].Key)
	}
	if got := key(); got != "c1" {
		t.Errorf("the key is %q", got)
	}
	write("$key")
	brokertest.Eventually(t, 5*time.Second, "the mapping without a path to the key", func() bool { return strings.Contains(r.metrics(), "sotto_ingest_reload_errors_total 1") })
	if got := key(); got != "c1" {
		t.Errorf("after a mapping that needs a path to the key, it is %q", got)
	}
	write("second")
	brokertest.Eventually(t, 5*time.Second, "the next mapping", func() bool {
		r.post("application/json", `{"text":"a","first":"c1","second":"c2"}`, http.StatusOK)
		return slices.ContainsFunc(r.records(), func(rec *kgo.Record) bool { return string(rec.Key) == "c2" })
	})
}

// Nobody can send webhooks by mistake, and settings without effect are refused.
func TestSettingsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		signature string
		environ   []string
		problem   string
	}{
		"no signature":         {"secret", []string{"SOTTO_INGEST_SIGNATURE=", "SOTTO_INGEST_SECRET_FILE="}, "INGEST_SIGNATURE"},
		"no path to the call":  {"zoom", []string{"SOTTO_RAW_FORMAT=zoom"}, "INGEST_KEY"},
		"a path without need":  {"twilio", []string{"SOTTO_RAW_FORMAT=twilio", "SOTTO_INGEST_KEY=x"}, "INGEST_KEY"},
		"no secret file":       {"secret", []string{"SOTTO_INGEST_SECRET_FILE=/none"}, "INGEST_SECRET_FILE"},
		"a secret of no form":  {"standard", []string{}, "INGEST_SECRET_FILE"},
		"no certificate":       {"secret", []string{"SOTTO_INGEST_TLS_CERT_FILE=/none", "SOTTO_INGEST_TLS_KEY_FILE=/none"}, "INGEST_TLS_CERT_FILE"},
		"a mapping of no name": {"secret", []string{"SOTTO_RAW_FORMAT=none"}, "RAW_FORMAT"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.signature, c.environ...)
			if name == "a secret of no form" {
				if err := os.WriteFile(r.set.IngestSecretFile, []byte("whsec_wombatley-wombatley!"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := Check(&r.set)
			if name == "no signature" {
				_, err = New(r.set, nil, nil)
			}
			if err == nil || !strings.Contains(err.Error(), "SOTTO_"+c.problem) || strings.Contains(err.Error(), "wombatley") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
