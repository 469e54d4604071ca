package files

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"sotto/anonymize"
	"sotto/files/formats"
)

var update = flag.Bool("update", false, "write the samples and the golden files again")

func fileJob(t testing.TB) *Job {
	t.Helper()
	e, err := anonymize.New(anonymize.Options{RawOffsets: true, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	return &Job{Engine: e}
}

// readJob is a fileJob whose engine reads as it does by default, with the encoder.
func readJob(t testing.TB) *Job {
	t.Helper()
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		t.Fatal(err)
	}
	return &Job{Engine: e}
}

// anonymized returns a file's anonymized form.
func anonymized(t rapidOrTest, j *Job, name, raw string) (string, []CallResult) {
	f, err := formats.Read(context.Background(), []byte(raw), formats.Options{Name: name})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	results, err := j.Document(context.Background(), f.Document)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out, err := f.Encode()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out), results
}

type rapidOrTest interface {
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func TestEveryFormatIsGolden(t *testing.T) {
	j := fileJob(t)
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		t.Run(name, func(t *testing.T) {
			raw := samples[name](madeUp)
			clean, results := anonymized(t, j, name, raw)
			for file, content := range map[string]string{
				filepath.Join("testdata/formats", name): raw, filepath.Join("testdata/golden", name): clean,
			} {
				if *update {
					if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(want, []byte(content)) {
					t.Errorf("%s differs; if it is better now, run 'go test ./files -update'", file)
				}
			}
			noMaskedValue(t, name, clean, results)
			for _, v := range []string{"Wendover", "Quimby", "4111", "1111", "0134", "tobias@"} {
				if strings.Contains(strings.ToLower(visible(t, name, clean)), strings.ToLower(v)) {
					t.Errorf("%s is in the output", v)
				}
			}
			if again, _ := anonymized(t, j, name, clean); !strings.Contains(visible(t, name, again), "help") {
				t.Error("the output cannot be read again")
			}
		})
	}
}

// noMaskedValue fails if a value that was masked in a turn is in the output, however it is divided
// there.
func noMaskedValue(t rapidOrTest, name, clean string, results []CallResult) {
	out := lettersOf(visible(t, name, clean))
	for _, c := range results {
		for _, turn := range c.Turns {
			runes := []rune(turn.Raw)
			for _, e := range turn.Clean.Entities {
				value := lettersOf(string(runes[*e.RawStart:*e.RawEnd]))
				if len(value) >= 5 && strings.Contains(out, value) {
					t.Errorf("%s: a masked value of %d letters is in the output", name, len(value))
				}
			}
		}
	}
}

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// No masked value is anywhere in the output, whatever is said.
func TestNoMaskedValueIsInAnyFormat(t *testing.T) {
	j := fileJob(t)
	names := slices.Sorted(maps.Keys(samples))
	rapid.Check(t, func(t *rapid.T) {
		call := randomCall(t)
		name := rapid.SampledFrom(names).Draw(t, "format")
		clean, results := anonymized(t, j, name, samples[name](call))
		noMaskedValue(t, name, clean, results)
	})
}

func randomCall(t *rapid.T) []spokenTurn {
	given := rapid.SampledFrom([]string{"Zebulon", "Ottoline", "Marisol", "Bartholomew"})
	surname := rapid.SampledFrom([]string{"Quillfeather", "Larkmoor", "Brumphette", "Thistlewood"})
	digits := rapid.StringMatching(`[2-9][0-9]{2}-555-01[0-9]{2}`)
	call := make([]spokenTurn, rapid.IntRange(1, 5).Draw(t, "turns"))
	for i := range call {
		name := given.Draw(t, "given") + " " + surname.Draw(t, "surname")
		number := digits.Draw(t, "number")
		text := rapid.SampledFrom([]string{
			"My name is %[1]s, okay?", "Please call %[1]s at %[2]s today.", "It's %[2]s.", "Okay, thank you.", "Is that %[1]s? My number is %[2]s",
		}).Draw(t, "text")
		if strings.Contains(text, "%") {
			text = fmt.Sprintf(text+"%.[1]0s%.[2]0s", name, number)
		}
		call[i] = spokenTurn{i % 2, text, strings.ToLower(strings.NewReplacer(",", "", ".", "", "?", "", "-", " ").Replace(text))}
	}
	return call
}
