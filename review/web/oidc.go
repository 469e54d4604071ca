package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC logs people in with an OpenID provider, by the authorization code flow with PKCE. A person's
// name is the verified e-mail address of the ID token.
type OIDC struct {
	config   oauth2.Config
	verifier *oidc.IDTokenVerifier
	// asking has a place for each question to the provider.
	asking chan struct{}
}

// maxAsking is how many questions to the provider may be open.
const maxAsking = 8

// NewOIDC asks the provider for its endpoints. URL is that of these pages as browsers see it.
func NewOIDC(ctx context.Context, issuer, clientID, secret, url string) (*OIDC, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	return &OIDC{
		config: oauth2.Config{
			ClientID: clientID, ClientSecret: secret, Endpoint: provider.Endpoint(), RedirectURL: url + "/login/callback",
			Scopes: []string{oidc.ScopeOpenID, "email"},
		},
		verifier: provider.Verifier(&oidc.Config{ClientID: clientID}),
		asking:   make(chan struct{}, maxAsking),
	}, nil
}

// loginTime is how long somebody may take at the provider.
const loginTime = 10 * time.Minute

func (o *OIDC) redirect(w http.ResponseWriter, r *http.Request, secure bool) {
	values := map[string]string{"state": rand.Text(), "nonce": rand.Text(), "pkce": oauth2.GenerateVerifier()}
	for name, value := range values {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName + "_" + name, Value: value, Path: "/login", MaxAge: int(loginTime.Seconds()),
			HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
		})
	}
	url := o.config.AuthCodeURL(values["state"], oidc.Nonce(values["nonce"]), oauth2.S256ChallengeOption(values["pkce"]))
	http.Redirect(w, r, url, http.StatusSeeOther)
}

var errLogin = forbidden("the login failed; try again")

// finish returns the name of who comes back from the provider.
func (o *OIDC) finish(r *http.Request) (string, error) {
	var values [3]string
	for i, name := range []string{"state", "nonce", "pkce"} {
		cookie, err := r.Cookie(cookieName + "_" + name)
		if err != nil {
			return "", errLogin
		}
		values[i] = cookie.Value
	}
	if values[0] == "" || r.URL.Query().Get("state") != values[0] {
		return "", errLogin
	}
	select {
	case o.asking <- struct{}{}:
		defer func() { <-o.asking }()
	case <-r.Context().Done():
		return "", errLogin
	}
	token, err := o.config.Exchange(r.Context(), r.URL.Query().Get("code"), oauth2.VerifierOption(values[2]))
	if err != nil {
		return "", errLogin
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := o.verifier.Verify(r.Context(), raw)
	if err != nil || id.Nonce != values[1] {
		return "", errLogin
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		Party    string `json:"azp"`
	}
	var raws json.RawMessage
	if id.Claims(&raws) != nil || !unambiguous(raws) {
		return "", errLogin
	}
	switch err := id.Claims(&claims); {
	case err != nil:
		return "", errLogin
	// A token for several clients, or issued to another one, may be one that the other passed on.
	case (len(id.Audience) > 1 || claims.Party != "") && claims.Party != o.config.ClientID:
		return "", forbidden("the token was issued to another client")
	case !claims.Verified:
		return "", forbidden("the provider names no verified e-mail address")
	}
	return claims.Email, nil
}

// usedClaims are the claims that say who somebody is and whom a token is for.
var usedClaims = []string{"iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "email", "email_verified"}

// unambiguous reports whether no name is there twice among the claims of a token, and none that is used in another case: the
// package json takes both, and the last.
func unambiguous(claims json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(claims))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok || seen[name] {
			return false
		}
		seen[name] = true
		if slices.ContainsFunc(usedClaims, func(used string) bool { return used != name && strings.EqualFold(used, name) }) {
			return false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
	return true
}

func (s *Server) loginCallback(w http.ResponseWriter, r *http.Request) {
	if s.opts.Access.OIDC == nil {
		http.NotFound(w, r)
		return
	}
	s.begin(w, r, func() (person, error) {
		name, err := s.opts.Access.OIDC.finish(r)
		if err != nil {
			return person{}, err
		}
		return s.opts.Access.admit(name)
	})
}
