package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// runner runs statements on a database, a connection or a transaction. Statements are in the SQL that
// SQLite and PostgreSQL share, with parameters $1, $2, and so on. Errors quote no parameter and no
// column.
//
// The first error stays in err. After it, no statement runs any more, and queries return nothing.
type runner struct {
	ctx context.Context
	on  interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
	err error
}

// run returns a runner for statements outside of a transaction.
func (s *Store) run(ctx context.Context) *runner { return &runner{ctx: ctx, on: s.pool} }

// fail keeps an error, if it is the first one.
func (r *runner) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *runner) exec(query string, args ...any) {
	if r.err == nil {
		_, err := r.on.ExecContext(r.ctx, query, storable(args)...)
		r.err = withoutValues(err)
	}
}

// scan scans the first row of a query, and reports whether there is one.
func (r *runner) scan(to []any, query string, args ...any) bool {
	if r.err != nil {
		return false
	}
	err := r.on.QueryRowContext(r.ctx, query, storable(args)...).Scan(to...)
	if !errors.Is(err, sql.ErrNoRows) {
		r.err = withoutValues(err)
	}
	return err == nil
}

// value returns what a query for one value returns, the zero value if that is no row.
func value[T any](r *runner, query string, args ...any) (v T) {
	r.scan([]any{&v}, query, args...)
	return v
}

// row is a row of a list.
type row struct {
	*runner
	rows *sql.Rows
}

func (r row) read(to ...any) { r.fail(withoutValues(r.rows.Scan(to...))) }

// list returns what scan makes of each row.
func list[T any](r *runner, scan func(row) T, query string, args ...any) (all []T) {
	if r.err != nil {
		return nil
	}
	rows, err := r.on.QueryContext(r.ctx, query, storable(args)...)
	if err != nil {
		r.err = withoutValues(err)
		return nil
	}
	for r.err == nil && rows.Next() {
		all = append(all, scan(row{r, rows}))
	}
	r.fail(withoutValues(rows.Close()))
	r.fail(withoutValues(rows.Err()))
	return all
}

// one is list for the first row. It reports whether there is one.
func one[T any](r *runner, scan func(row) T, query string, args ...any) (v T, ok bool) {
	all := list(r, scan, query, args...)
	if r.err != nil || len(all) == 0 {
		return v, false
	}
	return all[0], true
}

func scanText(r row) (text string) {
	r.read(&text)
	return text
}

// storable replaces what PostgreSQL cannot keep in a text, in place. One code point replaces one, so
// that positions stay.
func storable(args []any) []any {
	for i, a := range args {
		if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			args[i] = storableText(v.String())
		}
	}
	return args
}

func storableText(s string) string {
	return strings.Map(func(c rune) rune {
		if c == 0 {
			return '\uFFFD'
		}
		return c // of an invalid byte it is U+FFFD
	}, s)
}

// dataException is the class of PostgreSQL's errors about a value, which their messages quote.
const dataException = "22"

// withoutValues returns an error that may be logged: what is not known to be free of values is
// replaced by its type.
func withoutValues(err error) error {
	var refused *pgconn.PgError
	var file *sqlite.Error
	var network net.Error
	var connect *pgconn.ConnectError
	var path *fs.PathError // of the file with the password
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows), errors.Is(err, sql.ErrTxDone), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &connect), errors.As(err, &file), errors.As(err, &path):
		return err
	case errors.As(err, &refused) && strings.HasPrefix(refused.Code, dataException):
		return fmt.Errorf("PostgreSQL refuses a value (SQLSTATE %s)", refused.Code)
	case errors.As(err, &refused):
		return err
	case errors.As(err, &network):
		return fmt.Errorf("the connection to PostgreSQL is lost: %w", network)
	}
	return fmt.Errorf("the database cannot run a statement (%T)", err)
}
