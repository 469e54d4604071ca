package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/config"
)

func databaseOf(t *testing.T, env map[string]string) (*Database, error) {
	t.Helper()
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	return DatabaseOf(&s)
}

func secretFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInsecureDatabasesAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"a database on the network without TLS": {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto?sslmode=disable"}, "SOTTO_REVIEW_DATABASE connects without TLS"},
		"a database that may do without TLS":    {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto"}, "SOTTO_REVIEW_DATABASE connects without TLS"},
		"a database that may be another":        {map[string]string{"SOTTO_REVIEW_DATABASE": "host=db user=u password=hush sslmode=require"}, "without checking who answers"},
		"a second host without TLS":             {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@localhost,db/sotto?sslmode=disable"}, "connects without TLS"},
		"a database without TLS, permitted": {map[string]string{
			"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto?sslmode=disable", "SOTTO_REVIEW_DATABASE_PLAINTEXT": "true",
		}, ""},
		"a database with TLS":        {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto?sslmode=verify-full"}, ""},
		"a database on this machine": {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@127.0.0.1:5432/sotto"}, ""},
		"a database on a socket":     {map[string]string{"SOTTO_REVIEW_DATABASE": "host=/run/postgresql user=u password=hush"}, ""},
		"a database that is none":    {map[string]string{"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db:port/sotto"}, "SOTTO_REVIEW_DATABASE must be the address"},
		"a file with a database without TLS": {map[string]string{
			"SOTTO_REVIEW_DATABASE_FILE": secretFile(t, "postgres://u:hush@db/sotto\n"),
		}, "SOTTO_REVIEW_DATABASE_FILE connects without TLS"},
		"a file with a database that is none": {map[string]string{"SOTTO_REVIEW_DATABASE_FILE": secretFile(t, "http://u:hush@db")}, "SOTTO_REVIEW_DATABASE_FILE must be"},
		"a database's authority that is missing": {map[string]string{
			"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto?sslmode=verify-full&sslrootcert=/nowhere.pem",
		}, "SOTTO_REVIEW_DATABASE names a file that cannot be read: open /nowhere.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := databaseOf(t, tc.env)
			if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestThePasswordOfTheDatabaseIsReadAgain(t *testing.T) {
	file := secretFile(t, "postgres://u:hush@localhost/sotto")
	db, err := databaseOf(t, map[string]string{"SOTTO_REVIEW_DATABASE_FILE": file})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("postgres://u:new@localhost/sotto"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := db.Password(); p != "new" || err != nil {
		t.Errorf("%q %v", p, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Password(); err == nil {
		t.Error("a missing file gives a password")
	}
}

func TestWithoutADatabase(t *testing.T) {
	if db, err := databaseOf(t, nil); db != nil || err != nil {
		t.Errorf("%v, %v", db, err)
	}
}
