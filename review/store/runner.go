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
type runner struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
}

func (r runner) exec(ctx context.Context, query string, args ...any) error {
	_, err := r.on.ExecContext(ctx, query, storable(args)...)
	return withoutValues(err)
}

// list returns what scan makes of each row.
func list[T any](ctx context.Context, r runner, scan func(into func(...any) error) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := r.on.QueryContext(ctx, query, storable(args)...)
	if err != nil {
		return nil, withoutValues(err)
	}
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, errors.Join(withoutValues(err), withoutValues(rows.Close()))
		}
		all = append(all, v)
	}
	return all, withoutValues(rows.Err()) // Next has closed it
}

// scanText is for rows of one text.
func scanText(scan func(...any) error) (text string, err error) {
	err = scan(&text)
	return text, err
}

func (r runner) row(ctx context.Context, query string, args ...any) row {
	return row{r.on.QueryRowContext(ctx, query, storable(args)...)}
}

type row struct{ *sql.Row }

// scan returns sql.ErrNoRows if there is no row.
func (r row) scan(to ...any) error { return withoutValues(r.Scan(to...)) }

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
