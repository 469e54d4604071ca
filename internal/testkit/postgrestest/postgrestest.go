// Package postgrestest starts a PostgreSQL server on loopback for tests.
//
// The tests that need it run with SOTTO_TEST_POSTGRES=1, which 'make test-review' sets, and are
// skipped without. The programs of the server are taken from PATH or from where Debian has them.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sotto/internal/testkit/brokertest/proc"
	"sotto/internal/testkit/loopback"
)

// EnvPostgres names the environment variable that asks for the tests.
const EnvPostgres = "SOTTO_TEST_POSTGRES"

const patience = time.Minute

// shared is the server of the test binary.
var shared struct {
	once            sync.Once
	err             error // why it did not start
	address, folder string
	process         *proc.Process // nil before the start
	names           atomic.Int64
}

// DSN returns the address of a database in which the tables go into a schema of this test's own. The
// test binary must run its tests with brokertest.Main, which calls Stop at their end.
func DSN(t testing.TB) string {
	t.Helper()
	if os.Getenv(EnvPostgres) == "" {
		t.Skipf("needs PostgreSQL: 'make test-review' runs it, or set %s=1", EnvPostgres)
	}
	shared.once.Do(func() { shared.err = start(t) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return fmt.Sprintf("postgres://sotto@%s/postgres?sslmode=disable&search_path=test%d", shared.address, shared.names.Add(1))
}

func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return "", fmt.Errorf("no %s; install PostgreSQL, as with 'apt-get install postgresql'", name)
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

// unprivileged returns another user to run as, because PostgreSQL refuses to run as root, and gives
// them the folder.
func unprivileged(folder string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(nobody.Uid)
	gid, gidErr := strconv.Atoi(nobody.Gid)
	if err := errors.Join(err, gidErr); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(folder, uid, gid)
}

func start(t testing.TB) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	initdb, err := program("initdb")
	if err != nil {
		return err
	}
	postgres, err := program("postgres")
	if err != nil {
		return err
	}
	if shared.folder, err = os.MkdirTemp("", "sotto-postgres"); err != nil {
		return err
	}
	as, err := unprivileged(shared.folder)
	if err != nil {
		return err
	}
	data := filepath.Join(shared.folder, "data")
	err = proc.Run(ctx, proc.Command{
		Name: "initdb", Path: initdb, Args: []string{"-D", data, "-U", "sotto", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"},
		Dir: shared.folder, LogDir: shared.folder, As: as,
	})
	if err != nil {
		return err
	}
	shared.address = loopback.FreeAddress(t)
	_, port, err := net.SplitHostPort(shared.address)
	if err != nil {
		return err
	}
	shared.process, err = proc.Start(proc.Command{
		Name: "postgres", Path: postgres, Dir: shared.folder, LogDir: shared.folder, As: as,
		Args: []string{"-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="},
	})
	if err != nil {
		return err
	}
	return await(ctx)
}

func await(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, "postgres://sotto@"+shared.address+"/postgres?sslmode=disable")
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-shared.process.Done():
			return fmt.Errorf("PostgreSQL does not start: %s", shared.process.Tail(20))
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop ends the server, with the connections that are still open, and removes its data.
func Stop() error {
	defer os.RemoveAll(shared.folder)
	if shared.process == nil || !shared.process.Running() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := syscall.Kill(shared.process.PID(), syscall.SIGINT); err != nil {
		return err
	}
	_, err := shared.process.Wait(ctx)
	return errors.Join(err, shared.process.Kill())
}
