package web

import (
	"bufio"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"sotto/review/store"
)

// Role is what a person may do.
type Role string

// The roles. Each may do what the one before may.
const (
	Annotator   Role = "annotator"   // reads calls of the queue, marks, judges for the red team
	Adjudicator Role = "adjudicator" // sees the readings of others, and the figures
	Admin       Role = "admin"       // exports, erases, sees the access log
)

var roles = []Role{Annotator, Adjudicator, Admin}

func (r Role) atLeast(least Role) bool { return slices.Index(roles, r) >= slices.Index(roles, least) }

// ReadUsers reads lines of a name and a role. Blank lines and those that start with # are skipped.
func ReadUsers(r io.Reader) (map[string]Role, error) {
	users := map[string]Role{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || !slices.Contains(roles, Role(fields[1])) {
			return nil, fmt.Errorf("line %d: want a name and one of %v", n, roles)
		}
		users[fields[0]] = Role(fields[1])
	}
	return users, lines.Err()
}

// Access says who may use the pages. Exactly one of Token, Header and OIDC is set.
type Access struct {
	// Users are the known people. nil means that everybody whom the rest admits is an admin.
	Users map[string]Role
	// Token is the secret that TokenOf makes tokens from, for pages that only this machine can reach.
	Token string
	// Header is where a proxy puts the name of who has logged in. Only requests from Proxies may
	// have it.
	Header  string
	Proxies []netip.Prefix
	// OIDC logs people in with an OpenID provider.
	OIDC *OIDC
	// Secure marks cookies as for HTTPS only.
	Secure bool
}

// Sessions end after this time, or when they have not been used for the idle time.
const (
	sessionTime = 12 * time.Hour
	idleTime    = 2 * time.Hour
	cookieName  = "sotto_review"
)

type person struct {
	Name string
	Role Role
}

var (
	errSignIn    = &requestError{http.StatusUnauthorized, "sign in first"}
	errForbidden = forbidden("you have no access; ask an admin to add your name to the list of users")
	errToken     = forbidden("wrong name or token; use the address that 'sotto review' printed for you")
)

// validName keeps names fit for file names, logs and headers.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$`)

func (a *Access) admit(name string) (person, error) {
	if !validName.MatchString(name) {
		return person{}, errForbidden
	}
	if a.Users == nil {
		return person{name, Admin}, nil
	}
	role, ok := a.Users[name]
	if !ok {
		return person{}, errForbidden
	}
	return person{name, role}, nil
}

// TokenOf returns the token with which a person logs in. It is theirs alone, so that nobody gets around what
// their name may not do under another one.
func (a *Access) TokenOf(name string) string {
	m := hmac.New(sha256.New, []byte(a.Token))
	m.Write([]byte(name))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// checkToken admits a person by their name and token.
func (a *Access) checkToken(name, token string) (person, error) {
	if a.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(a.TokenOf(name))) != 1 {
		return person{}, errToken
	}
	return a.admit(name)
}

func (s *Server) who(r *http.Request) (person, error) {
	a := &s.opts.Access
	if name, token, ok := r.BasicAuth(); ok && a.Token != "" {
		return a.checkToken(name, token) // a program
	}
	if a.Header != "" {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(from.Addr().Unmap()) }) {
			return person{}, errForbidden
		}
		// A second value could have come from the browser.
		if v := r.Header.Values(a.Header); len(v) == 1 {
			return a.admit(v[0])
		}
		return person{}, errForbidden
	}
	cookie, err := r.Cookie(a.cookie())
	if err != nil {
		return person{}, errSignIn
	}
	name, err := s.opts.Store.Resume(r.Context(), cookie.Value, sessionTime, idleTime)
	if errors.Is(err, store.ErrNoSession) {
		return person{}, errSignIn
	}
	if err != nil {
		return person{}, err
	}
	// The list of users may have changed since.
	return a.admit(name)
}

// cookie is the name of the session's cookie. The prefix makes browsers refuse it from plain HTTP
// and other hosts.
func (a *Access) cookie() string {
	if a.Secure {
		return "__Host-" + cookieName
	}
	return cookieName
}

// Failed logins hold their place for a time, so that they fill neither the log nor the memory.
const (
	failedTime = time.Second
	maxLogins  = 8
	// maxLogin is how many bytes a login may have.
	maxLogin = 4 << 10
)

// attempt runs a check of who somebody is. An error of the person is logged without what they typed, and answered late:
// few at a time have a place for that. Who is right waits for none of them.
func (s *Server) attempt(w http.ResponseWriter, r *http.Request, check func() (person, error)) (person, bool) {
	p, err := check()
	if err == nil {
		return p, true
	}
	select {
	case s.logins <- struct{}{}:
	case <-r.Context().Done():
		return person{}, false
	}
	defer func() { <-s.logins }()
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	s.opts.Log.WarnContext(r.Context(), "a login failed", "from", from, "err", err)
	select {
	case <-time.After(s.failTime):
	case <-r.Context().Done():
	}
	s.fail(w, r, err)
	return person{}, false
}

// begin starts a session of who passes a check, and goes to the queue.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, check func() (person, error)) {
	p, ok := s.attempt(w, r, check)
	if !ok {
		return
	}
	id := rand.Text()
	if err := s.opts.Store.Begin(r.Context(), id, p.Name, sessionTime); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.record(r, p, "signed in", ""); err != nil {
		s.opts.Log.ErrorContext(r.Context(), "somebody has signed in", "err", err)
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.opts.Access.cookie(), Value: id, Path: "/", MaxAge: int(sessionTime.Seconds()),
		HttpOnly: true, Secure: s.opts.Access.Secure, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	a := &s.opts.Access
	switch {
	case a.OIDC != nil:
		a.OIDC.redirect(w, r, a.Secure)
	case a.Token == "":
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case r.Method == http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
		token, name := r.PostFormValue("token"), strings.TrimSpace(r.PostFormValue("name"))
		s.begin(w, r, func() (person, error) { return a.checkToken(name, token) })
	default:
		_ = s.render(w, r, "login", person{}, map[string]any{"Token": r.URL.Query().Get("token"), "Name": r.URL.Query().Get("name")})
	}
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(s.opts.Access.cookie()); err == nil {
		if err := s.opts.Store.EndSession(r.Context(), cookie.Value); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: s.opts.Access.cookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.opts.Access.Secure})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
