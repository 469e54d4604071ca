package store

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sotto/config"
)

// postgresSchema is the schema of PostgreSQL that has the tables, unless the connection names
// another one as search_path.
const postgresSchema = "sotto_review"

// inPostgres translates schema.sql. Texts sort by bytes, as in SQLite.
var inPostgres = strings.NewReplacer(
	"INTEGER PRIMARY KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
	"INTEGER", "BIGINT", "REAL", "DOUBLE PRECISION", "BLOB", "BYTEA", "TEXT", `TEXT COLLATE "C"`, " WITHOUT ROWID", "")

// Parameters of each connection, in milliseconds or seconds. They end the turn of a process that
// hangs or whose machine is gone, so that others can go on.
var connectionParameters = map[string]string{
	"application_name":                    "sotto-review",
	"lock_timeout":                        "20000",
	"idle_in_transaction_session_timeout": "20000",
	"tcp_keepalives_idle":                 "15",
	"tcp_keepalives_interval":             "5",
	"tcp_keepalives_count":                "3",
}

// maxConnections bounds what one process takes of the server's connections.
const maxConnections = 10

// OpenPostgres opens a store in PostgreSQL, which any number of processes may serve, and creates its
// tables if there are none. It calls password before each connection, so that a new password needs no
// restart.
func OpenPostgres(ctx context.Context, c *pgx.ConnConfig, password func() (string, error), o Options) (*Store, error) {
	c = c.Copy()
	for name, value := range connectionParameters {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	name := c.RuntimeParams["search_path"]
	if name == "" {
		name = postgresSchema
	}
	c.RuntimeParams["search_path"] = pgx.Identifier{name}.Sanitize()
	db := stdlib.OpenDB(*c, stdlib.OptionBeforeConnect(func(_ context.Context, c *pgx.ConnConfig) (err error) {
		c.Password, err = password()
		return err
	}), stdlib.OptionAfterConnect(waitForTheDisk))
	db.SetMaxOpenConns(maxConnections)
	turn := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lockKey(name, "turn"))
	s := &Store{pool: db, opts: o, turn: turn, exclusiveKey: lockKey(name, "exclusive")}
	if err := s.change(ctx, func(tx *runner) { migratePostgres(tx, name) }); err != nil {
		return nil, errors.Join(fmt.Errorf("the PostgreSQL store: %w", err), db.Close())
	}
	return s, nil
}

// waitForTheDisk makes a commit wait for the server's disk where the server would not.
func waitForTheDisk(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
	return err
}

// lockKey is the number of an advisory lock. Locks of other programs in the database have others,
// with all probability.
func lockKey(schema, purpose string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "sotto review\x00%s\x00%s", schema, purpose)
	return int64(h.Sum64())
}

// migratePostgres creates the tables. Processes that start at once take turns.
func migratePostgres(tx *runner, name string) {
	var there, tables bool
	tx.scan([]any{&there, &tables}, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1), to_regclass('version') IS NOT NULL", name)
	if tables {
		if have := value[int](tx, "SELECT version FROM version"); have != version {
			tx.fail(wrongVersion(have))
		}
		return
	}
	create := fmt.Sprintf("CREATE TABLE version (version INTEGER NOT NULL); INSERT INTO version VALUES (%d);", version)
	if !there {
		// Only who may create schemas can run this, even if the schema exists.
		create = "CREATE SCHEMA " + pgx.Identifier{name}.Sanitize() + ";" + create
	}
	tx.exec(create + inPostgres.Replace(schema))
}

// Times of exclusive.
const (
	electionTime = 2 * time.Second // between attempts, and between checks that the right still holds
	checkTime    = 5 * time.Second // bounds a check
)

// exclusive runs f while this process holds a lock of PostgreSQL, on a connection of its own. The
// server releases the lock when the connection ends.
func exclusive(ctx context.Context, db *sql.DB, key int64, f func(context.Context) error) error {
	for {
		ended, err := tryExclusive(ctx, db, key, f)
		if ended || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(electionTime):
		}
	}
}

// tryExclusive reports whether f ran to its end, and its error.
func tryExclusive(ctx context.Context, db *sql.DB, key int64, f func(context.Context) error) (ended bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, nil
	}
	defer func() { _ = conn.Close() }()
	var mine bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&mine); err != nil || !mine {
		return false, nil
	}
	// The connection is not used again, so that the lock ends with it.
	defer conn.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // it is the error
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var result error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result = f(running)
	}()
	check := time.NewTicker(electionTime)
	defer check.Stop()
	for {
		select {
		case <-done:
			return true, result
		case <-check.C:
			checking, stop := context.WithTimeout(ctx, checkTime)
			_, err := conn.ExecContext(checking, "SELECT 1")
			stop()
			if err != nil {
				cancel()
				<-done
				return false, nil // f runs again, here or elsewhere
			}
		}
	}
}

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
