package store

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"

	"sotto/config"
)

// Database says how to connect to PostgreSQL.
type Database struct {
	Config *pgx.ConnConfig
	// Password returns the password for a connection. It reads the file again, so that a new one
	// needs no restart.
	Password func() (string, error)
}

// DatabaseOf returns the PostgreSQL of the settings that keeps what 'sotto review' needs, nil if a
// file keeps it. Errors name the setting and quote no secret.
func DatabaseOf(s *config.Settings) (*Database, error) {
	name := s.ReviewDatabaseSetting()
	if name == "" {
		return nil, nil
	}
	read := func() (*pgx.ConnConfig, error) {
		dsn, err := s.ReviewDatabase()
		if err != nil {
			return nil, err
		}
		c, err := parseDatabase(dsn)
		if err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		return c, nil
	}
	c, err := read()
	if err != nil {
		return nil, err
	}
	if !s.ReviewDatabasePlaintext && !protected(c) {
		return nil, errors.New(name + " connects without TLS, or without checking who answers: add sslmode=verify-full, and sslrootcert=FILE for an authority " +
			"of your own; SOTTO_REVIEW_DATABASE_PLAINTEXT=true permits it, and anybody on the network could then read the calls")
	}
	return &Database{c, func() (string, error) {
		c, err := read()
		if err != nil {
			return "", err
		}
		return c.Password, nil
	}}, nil
}

// parseDatabase parses what libpq takes. The errors of the parser may quote the password.
func parseDatabase(dsn string) (*pgx.ConnConfig, error) {
	if strings.TrimSpace(dsn) == "" {
		return nil, errors.New("is empty")
	}
	c, err := pgx.ParseConfig(dsn)
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return nil, fmt.Errorf("names a file that cannot be read: %w", file)
	case err != nil:
		return nil, errors.New("must be the address of a PostgreSQL database, such as postgres://user:password@host/database?sslmode=verify-full")
	}
	return c, nil
}

// protected reports whether no address of the database is reached over a network without TLS that
// verifies the server.
func protected(c *pgx.ConnConfig) bool {
	ok := func(host string, t *tls.Config) bool {
		ip := net.ParseIP(host)
		return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback() || t != nil && !t.InsecureSkipVerify
	}
	all := ok(c.Host, c.TLSConfig)
	for _, f := range c.Fallbacks {
		all = all && ok(f.Host, f.TLSConfig)
	}
	return all
}
