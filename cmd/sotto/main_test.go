package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sotto/cmd/internal/cli"
	"sotto/config"
)

// envMain makes the test binary run as the program itself, for tests of its process.
const envMain = "SOTTO_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(envMain) != "" {
		fmt.Println("started") // from here on, it must survive a signal
		cli.Main(commands)
	}
	goleak.VerifyTestMain(m)
}

// outcome is the result of one command line.
type outcome struct {
	code        int
	out, errors string
}

func sotto(t *testing.T, environ map[string]string, stdin string, args ...string) outcome {
	t.Helper()
	return sottoContext(t.Context(), environ, stdin, args...)
}

func sottoContext(ctx context.Context, environ map[string]string, stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := cli.Execute(ctx, args, cli.System{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Environ: environ}, commands)
	return outcome{code, out.String(), errs.String()}
}

func TestWrongUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want string
	}{
		{"frobnicate", "unknown command"},
		{"anonymise", "did you mean 'sotto anonymize'?"},
		{"evla", "did you mean 'sotto eval'?"},
		{"corpus exprt", "did you mean 'sotto corpus export'? See 'sotto corpus --help'"},
		{"corpus zzz", "unknown command; see 'sotto corpus --help'"},
		{"corpus lm --help", "unknown command; see 'sotto corpus --help'"},
		{"--frobnicate", "unknown flag: --frobnicate; see 'sotto --help'"},
		{"config now", "sotto config takes no arguments"},
		{"version please", "sotto version takes no arguments"},
		{"config --check --markdown", "none of the others can be"},
		{"anonymize a b", "several files need a folder"},
		{"anonymize --format nope x", "the formats are amazon"},
		{"anonymize " + filepath.Join(dir, "none.jsonl"), "give an existing FILE"},
		{"anonymize " + dir, "name it with -o"},
		{"demo --calls 0", "--calls must be 1 to"},
		{"demo --calls x", "invalid argument"},
		{"demo --speed 0", "--speed must be more than 0"},
		{"demo --speed NaN", "--speed must be more than 0"},
		{"demo --input " + filepath.Join(dir, "none"), "give an existing FILE"},
	} {
		t.Run(c.args, func(t *testing.T) {
			o := sotto(t, nil, "", strings.Fields(c.args)...)
			if o.code != cli.Usage {
				t.Errorf("exit status %d, want %d", o.code, cli.Usage)
			}
			if !strings.HasPrefix(o.errors, "sotto: ") || !strings.Contains(o.errors, c.want) {
				t.Errorf("standard error: %q, want %q", o.errors, c.want)
			}
			if strings.Count(o.errors, "\n") != 1 {
				t.Errorf("the error is not one line: %q", o.errors)
			}
			if o.out != "" {
				t.Errorf("standard output: %q", o.out)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	o := sotto(t, nil, "")
	for _, command := range []string{"run", "demo", "anonymize", "config", "version"} {
		if !regexp.MustCompile(`(?m)^  `+command+` `).MatchString(o.out) || o.code != cli.Done {
			t.Errorf("the help does not list %s", command)
		}
		if o := sotto(t, nil, "", command, "--help"); o.code != cli.Done || !strings.Contains(o.out, "Usage:") {
			t.Errorf("%s --help: status %d", command, o.code)
		}
	}
}

func TestVersion(t *testing.T) {
	if o := sotto(t, nil, "", "--version"); o.code != cli.Done || !regexp.MustCompile(`^sotto version \S.*, commit \S.*\n$`).MatchString(o.out) {
		t.Errorf("--version: status %d, output %q", o.code, o.out)
	}
	o := sotto(t, nil, "", "version")
	if o.code != cli.Done || !regexp.MustCompile(`^version +\S.*\ncommit +\S.*\npolicy +[0-9a-f]{6,}\n$`).MatchString(o.out) {
		t.Errorf("status %d, output %q", o.code, o.out)
	}
}

func TestConfigListsEverySetting(t *testing.T) {
	const password = "correct-horse"
	o := sotto(t, map[string]string{"SOTTO_KAFKA_SASL_PASSWORD": password, "SOTTO_KAFKA_GROUP": "night-shift"}, "", "config")
	if o.code != cli.Done || o.errors != "" {
		t.Fatalf("status %d: %s", o.code, o.errors)
	}
	s, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(o.out), " ")
	for _, info := range s.Describe() {
		if !strings.Contains(o.out, info.Name+"=") || !strings.Contains(words, info.Help) {
			t.Errorf("%s is missing or not explained", info.Name)
		}
		if info.Help == "" {
			t.Errorf("%s has no meaning", info.Name)
		}
	}
	if !strings.Contains(o.out, "SOTTO_KAFKA_GROUP=night-shift\n") {
		t.Error("a value from the environment is not shown")
	}
	if strings.Contains(o.out, password) {
		t.Error("a secret is shown")
	}
}

func TestConfigReportsEveryProblemInOneLine(t *testing.T) {
	environ := map[string]string{"SOTTO_SESSIONS": "99", "SOTTO_COMMIT_INTERVAL": "soon", "SOTTO_COLOUR": "red"}
	for _, args := range [][]string{{"config"}, {"config", "--check"}, {"run"}, {"version"}, {"anonymize"}, {"demo"}} {
		o := sotto(t, environ, "", args...)
		if o.code != cli.Usage || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, o.code, o.errors)
		}
		for name := range environ {
			if !strings.Contains(o.errors, name) {
				t.Errorf("%v: the error does not name %s", args, name)
			}
		}
	}
}

// keyFile makes a state key.
func keyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(file, []byte("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestConfigCheck(t *testing.T) {
	o := sotto(t, map[string]string{"SOTTO_STATE_KEY_FILE": keyFile(t)}, "", "config", "--check")
	if o.code != cli.Done || o.out != "The configuration is valid.\n" {
		t.Errorf("status %d: %s%s", o.code, o.out, o.errors)
	}
	o = sotto(t, nil, "", "config", "--check")
	if o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_STATE_KEY_FILE is not set") {
		t.Errorf("without a key: status %d: %s", o.code, o.errors)
	}
}

// docs/config.md is generated. This test fails if it is out of date.
func TestSettingsAreDocumented(t *testing.T) {
	want := sotto(t, nil, "", "config", "--markdown").out
	got, err := os.ReadFile("../../docs/config.md")
	if err != nil || string(got) != want {
		t.Error("docs/config.md is not up to date: run 'make docs'")
	}
}

func TestAnonymizeReportsBadLines(t *testing.T) {
	const secret = "Quillfeather"
	input := `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"good morning"}
` + secret + `
{"call_id":"a","seq":2,"type":"UTTERANCE","text":"good","final":false}
{"call_id":"a","seq":3,"type":"END"}
`
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]outcome{
		"file":           sotto(t, nil, "", "anonymize", file),
		"standard input": sotto(t, nil, input, "anonymize"),
		"dash":           sotto(t, nil, input, "anonymize", "-"),
	} {
		if o.code != cli.Failed {
			t.Errorf("%s: status %d", name, o.code)
		}
		if strings.Count(o.out, "\n") != 2 || !strings.Contains(o.out, "good morning") {
			t.Errorf("%s: the good lines were not written", name)
		}
		for _, want := range []string{"sotto: line 2: ", "sotto: 1 interim hypotheses dropped\n", "sotto: 1 of 4 lines could not be processed"} {
			if !strings.Contains(o.errors, want) {
				t.Errorf("%s: standard error lacks %q", name, want)
			}
		}
		if strings.Contains(o.errors, secret) {
			t.Errorf("%s: a bad line's text is on standard error", name)
		}
	}
}

// A panic must not print the text that caused it.
func TestPanicIsReportedByItsPosition(t *testing.T) {
	var out, errs bytes.Buffer
	code := func() int {
		return cli.Execute(t.Context(), []string{"anonymize"}, cli.System{Stdin: panicking{}, Stdout: &out, Stderr: &errs}, commands)
	}()
	if code != cli.Failed || strings.Contains(errs.String(), "Quillfeather") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("status %d: %s", code, errs.String())
	}
	if !regexp.MustCompile(`internal error at \S*cmd/sotto\.panicking\.Read:\d+`).MatchString(errs.String()) {
		t.Errorf("the position is not named: %s", errs.String())
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic(fmt.Errorf("while reading Quillfeather")) }
