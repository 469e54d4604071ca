package web

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// provider is an OpenID provider that logs everybody in under one address.
type provider struct {
	*httptest.Server
	key       *rsa.PrivateKey
	email     string
	audience  any
	azp       string
	verified  bool
	nonce     string
	challenge string
	// more are further claims.
	more string
	// forge spoils the signature.
	forge bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		n := base64.RawURLEncoding.EncodeToString(key.N.Bytes())
		e := base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes())
		answer(w, map[string]any{"keys": []map[string]string{{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": n, "e": e}}})
	})
	mux.HandleFunc("/auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		p.nonce, p.challenge = q.Get("nonce"), q.Get("code_challenge")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge {
			http.Error(w, "wrong verifier", http.StatusBadRequest)
			return
		}
		answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.token(t)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) token(t *testing.T) string {
	t.Helper()
	values := map[string]any{
		"iss": p.URL, "aud": p.audience, "sub": "1", "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(),
		"nonce": p.nonce, "email": p.email, "email_verified": p.verified,
	}
	if p.azp != "" {
		values["azp"] = p.azp
	}
	claims, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	if p.more != "" {
		claims = append(claims[:len(claims)-1], ","+p.more+"}"...)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	if p.forge {
		signature[0] ^= 1
	}
	return signed + "." + encode(signature)
}

func TestLoginWithAnOpenIDProvider(t *testing.T) {
	p := newProvider(t)
	var pages http.Handler
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pages.ServeHTTP(w, r) }))
	defer h.Close()
	o, err := NewOIDC(t.Context(), p.URL, "review", "secret", h.URL)
	if err != nil {
		t.Fatal(err)
	}
	inner, _, log := start(t, Access{OIDC: o, Users: map[string]Role{"ann@example.org": Annotator}}, sample("c1"))
	pages = inner.Config.Handler
	for name, c := range map[string]struct {
		change func()
		want   int
	}{
		"known":      {func() {}, 200},
		"unknown":    {func() { p.email = "eve@example.org" }, 403},
		"unverified": {func() { p.verified = false }, 403},
		"forged":     {func() { p.forge = true }, 403},

		"verified in capitals":  {func() { p.verified, p.more = false, `"EMAIL_VERIFIED":true` }, 403},
		"verified the 2nd time": {func() { p.verified, p.more = false, `"email_verified":true` }, 403},
		"of two addresses":      {func() { p.email, p.more = "eve@example.org", `"email":"ann@example.org"` }, 403},
		"with a further claim":  {func() { p.more = `"groups":["a"]` }, 200},

		"for another":               {func() { p.audience = "other" }, 403},
		"for several, by nobody":    {func() { p.audience = []string{"review", "other"} }, 403},
		"for several, by another":   {func() { p.audience, p.azp = []string{"review", "other"}, "other" }, 403},
		"for several, by us":        {func() { p.audience, p.azp = []string{"review", "other"}, "review" }, 200},
		"for us alone, by another":  {func() { p.azp = "other" }, 403},
		"for us alone in a list":    {func() { p.audience = []string{"review"} }, 200},
		"for us alone, again by us": {func() { p.azp = "review" }, 200},
	} {
		p.email, p.verified, p.forge, p.audience, p.azp, p.more = "ann@example.org", true, false, "review", "", ""
		c.change()
		jar, _ := cookiejar.New(nil)
		status, body := do(t, &http.Client{Jar: jar}, "GET", h.URL+"/", "")
		if status != c.want || (status == 200) != strings.Contains(body, "ann@example.org") {
			t.Errorf("%s: %d, want %d", name, status, c.want)
		}
	}
	if status, _ := do(t, http.DefaultClient, "GET", h.URL+"/login/callback?code=c&state=guess", ""); status != 403 {
		t.Errorf("a callback that nobody began: %d", status)
	}
	if n := strings.Count(log.String(), "a login failed"); n != 11 || strings.Contains(log.String(), "eve@") {
		t.Errorf("%d failed logins are logged:\n%s", n, log)
	}
}
