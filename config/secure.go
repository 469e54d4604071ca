package config

import (
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// validateTransport refuses settings that show a secret to the network, or that have no
// effect although they are meant to protect something.
func (s *Settings) validateTransport(p *problems) {
	p.require(s.SASLMechanism != "plain" || s.TLSEnable || s.brokersOnThisMachine(), "KAFKA_TLS_ENABLE",
		"is needed with SOTTO_KAFKA_SASL_MECHANISM=plain, or anybody on the network could read the password")
	for _, f := range []struct{ name, file string }{
		{"KAFKA_TLS_CA_FILE", s.TLSCAFile}, {"KAFKA_TLS_CERT_FILE", s.TLSCertFile}, {"KAFKA_TLS_KEY_FILE", s.TLSKeyFile},
	} {
		p.require(f.file == "" || s.TLSEnable, f.name, "has no effect without SOTTO_KAFKA_TLS_ENABLE=true: connections are not encrypted")
	}
	for _, b := range s.Brokers {
		p.require(!strings.Contains(b, "@"), "KAFKA_BROKERS", "must list host:port only: user and password belong into SOTTO_KAFKA_SASL_USER and SOTTO_KAFKA_SASL_PASSWORD_FILE")
	}
	if s.SchemaRegistryURL != "" {
		u, err := url.Parse(s.SchemaRegistryURL)
		p.require(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", "SCHEMA_REGISTRY_URL", "must be the URL of a registry, such as https://registry:8081")
		p.require(err != nil || u.User == nil, "SCHEMA_REGISTRY_URL", "must not contain a user or a password: they belong into SOTTO_SCHEMA_REGISTRY_USER and SOTTO_SCHEMA_REGISTRY_PASSWORD_FILE")
	}
}

func (s *Settings) brokersOnThisMachine() bool {
	return !slices.ContainsFunc(s.Brokers, func(b string) bool { return !isLoopback(b) })
}

// Warnings lists what is permitted and weakens the protection of calls or secrets.
func (s *Settings) Warnings() []string {
	var p problems
	p.require(s.TLSEnable || s.brokersOnThisMachine(), "KAFKA_TLS_ENABLE", "is false: anybody on the network to the brokers can read the calls")
	p.require(!strings.HasPrefix(s.SchemaRegistryURL, "http://") || s.SchemaRegistryUser == "", "SCHEMA_REGISTRY_URL",
		"is not https: anybody on the network can read the password")
	p.require(!strings.HasPrefix(s.RemoteURL, "http://") || s.RemoteTokenFile == "", "REMOTE_URL",
		"is not https: anybody on the network can read the API key")
	p.require(!s.ReviewDatabasePlaintext || s.ReviewDatabaseSetting() == "", "REVIEW_DATABASE_PLAINTEXT",
		"is true: anybody on the network to the database may be able to read the calls")
	for f, v := range s.settings {
		name, value := f.Tag.Get("env"), v.String()
		switch secret := f.Tag.Get("secret"); {
		case value == "":
		case secret == "value":
			p.require(false, name, "is in the environment, where every process of this user can read it: prefer %s%s_FILE", EnvPrefix, name)
		case secret == "file":
			mode, open := openToAll(value)
			p.require(!open, name, "names a file that everybody on this machine may read or change (mode %04o): use chmod 0440 or stricter", mode)
		}
	}
	var all []string
	for _, problem := range p {
		all = append(all, problem.Error())
	}
	return all
}

// openToAll reports whether every user of this machine may read or change a file, with its mode.
// Windows has no such modes.
func openToAll(file string) (mode fs.FileMode, open bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS == "windows" {
		return 0, false
	}
	return info.Mode().Perm(), info.Mode().Perm()&0o007 != 0
}

// userInfo is user and password in the URL of a setting, or before the host of a broker.
var userInfo = regexp.MustCompile(`(^|,|//)[^/,]*@`)

// query is what follows the path in a URL: it may have a key.
var query = regexp.MustCompile(`(://[^?#]*)[?#].*`)

// hideSecrets hides in the value of a setting what may be a password or a key.
func hideSecrets(value string) string {
	return query.ReplaceAllString(userInfo.ReplaceAllString(value, "${1}(hidden)@"), "$1?(hidden)")
}
