package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sotto/files/formats/jsontree"
)

// programWords are words of which the documentation of recognizers and contact centers makes names of members and enumerations.
var programWords = strings.Fields("audio boost buffer cache call channel code config content count custom default detail direction enabled end error event filter " +
	"format frame group index input internal item key label language last length level limit line list local max media message min mode model number offset " +
	"option output param party phase point queue range rate raw record redaction region request response result retry score segment selected sentence " +
	"service session size source speech start state status step stream summary system table term text time title topic total track transfer type unit update " +
	"user value version wait word")

// invented returns a name that a program may have: words in snake, camel or kebab case.
func invented(r *rand.Rand) string {
	n := 2 + r.IntN(3)
	words := make([]string, n)
	for i := range words {
		words[i] = programWords[r.IntN(len(programWords))]
	}
	switch r.IntN(3) {
	case 0:
		return strings.Join(words, "_")
	case 1:
		return strings.Join(words, "-")
	}
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// harmlessMember returns a member that is no text, name or value of a call: a time or a score of any precision, a switch, a small number
// or a word of an enumeration.
func harmlessMember(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	decimals := func(x float64) string {
		if r.IntN(2) == 0 {
			return strconv.FormatFloat(float64(float32(x)), 'f', -1, 64) // as programs with float32 write it
		}
		return strconv.FormatFloat(x, 'f', r.IntN(17), 64)
	}
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf(`%q: %s`, pick("start", "end", "start_time", "endTime", "offset", "duration", "begin", "ts", "timestamp"), decimals(r.Float64()*3500))
	case 1:
		return fmt.Sprintf(`%q: %d`, pick("startMs", "end_ms", "beginOffsetMillis", "durationMilliseconds"), r.IntN(3_500_000))
	case 2:
		return fmt.Sprintf(`%q: %s`, pick("confidence", "probability", "language_confidence", "speakerConfidence"), strconv.FormatFloat(r.Float64(), 'g', 1+r.IntN(17), 64))
	case 3:
		return fmt.Sprintf(`%q: %s`, invented(r), pick("true", "false", "null", "{}", "[]", `""`))
	case 4:
		return fmt.Sprintf(`%q: %d`, invented(r)+"_index", r.IntN(100))
	case 5:
		return fmt.Sprintf(`%q: %q`, invented(r)+"_kind", strings.ToUpper(pick(programWords...)+"_"+pick(programWords...)))
	}
	return fmt.Sprintf(`%q: %q`, invented(r)+"_type", pick("application/json", "audio/wav", "text/plain", "audio/mpeg", "application/vnd.sample.speech+json"))
}

// In every JSON format, what is no text, name or value of the call comes out as it went in.
func TestWhatIsNoTextStays(t *testing.T) {
	samples, err := filepath.Glob("testdata/formats/*.json")
	if err != nil || len(samples) < 20 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	job := fileJob(t)
	for n, sample := range samples {
		t.Run(filepath.Base(sample), func(t *testing.T) {
			raw, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(uint64(n), 17))
			members, seen := []string{}, map[string]bool{}
			for len(members) < 60 {
				m := harmlessMember(r)
				if name, _, _ := strings.Cut(m, ":"); !seen[name] {
					seen[name] = true
					members = append(members, m)
				}
			}
			want := "{" + strings.Join(members, ", ") + "}"
			at := strings.IndexByte(string(raw), '{') + 1
			file := string(raw[:at]) + `"format_config": ` + want + `, ` + string(raw[at:])
			clean, _ := anonymized(t, job, filepath.Base(sample), file)
			root, err := jsontree.Parse(clean)
			if err != nil {
				t.Fatal(err)
			}
			got := root.Pick("format_config | 0.format_config")
			if got == nil {
				t.Fatal("the name of the object is another one")
			}
			inner, err := jsontree.Parse(want)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range inner.Children {
				if i >= len(got.Children) {
					t.Fatal("members are missing")
				}
				o := got.Children[i]
				if before, after := want[m.KeyStart:m.End], clean[o.KeyStart:o.End]; before != after {
					t.Errorf("%s became %s", before, after)
				}
			}
		})
	}
}
