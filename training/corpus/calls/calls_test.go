package calls_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sotto/internal/gold"
	"sotto/training/corpus/calls"
)

var update = flag.Bool("update", false, "write the golden files")

func TestSampleAsJSONLines(t *testing.T) {
	conversations, err := calls.ReadFile("testdata/sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := gold.Write(&got, conversations); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/sample.jsonl"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the sample differs from %s (-want +got):\n%s", golden, diff)
	}
	// The other format, through the same function.
	again, err := calls.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		again[i].Line = conversations[i].Line
		for k := range again[i].Utterances {
			if len(again[i].Utterances[k].Entities) == 0 {
				again[i].Utterances[k].Entities = nil
			}
		}
	}
	if diff := cmp.Diff(conversations, again); diff != "" {
		t.Errorf("the formats differ (-marked-up +JSON):\n%s", diff)
	}
}

func TestErrorsNameThePlaceOnly(t *testing.T) {
	const header = "### id=x context=sales\n"
	for _, c := range []struct{ text, want string }{
		{"### context=sales\nAGENT: hi\n", "c.txt:1: the header needs id= and context="},
		{"### id=x\nAGENT: hi\n", "c.txt:1: the header needs"},
		{header + "secret words\n", "c.txt:2: no speaker"},
		{header + "Agent: secret\n", "c.txt:2: no speaker"},
		{header + "AGENT:secret\n", "c.txt:2: no speaker"},
		{"AGENT: secret\n", "c.txt:1: a turn before the first"},
		{header + "AGENT: hi {{SECRET|secret}}\n", "c.txt:2: a label has an unknown infoType"},
		{header + "AGENT: hi {{GENDER|secret}}\n", "c.txt:2: a label has an unknown infoType"},
		{header + "\nAGENT: hi {{AGE|secret\n", "c.txt:3: broken markup"},
		{header + "AGENT: hi {{age|secret}}\n", "c.txt:2: broken markup"},
		{header + "AGENT: hi {{AGE|}}\n", "c.txt:2: broken markup"},
		{header + "AGENT: hi {{AGE|se{{cret}} {{AGE|one}}\n", "c.txt:2: broken markup"},
		{header + "AGENT: hi secret}}\n", "c.txt:2: broken markup"},
		{header + "AGENT: secret\xff\n", "c.txt:2: the line is not valid UTF-8"},
		{header + header + "AGENT: hi\n", "c.txt:1: a call without turns"},
		{header + "AGENT: hi\n" + header + "AGENT: hi\n", "c.txt:3: an earlier call has the same id"},
	} {
		_, err := calls.Parse(strings.NewReader(c.text), "c.txt")
		switch {
		case err == nil:
			t.Errorf("a text that should fail with %q was read", c.want)
		case !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("error %q, want %q", err, c.want)
		case strings.Contains(strings.ToLower(err.Error()), "secret"):
			t.Errorf("error %q repeats the input", err)
		}
	}
}

// Check continues after a problem, and counts the turns with a problem.
func TestCheckReportsEveryProblem(t *testing.T) {
	const text = "AGENT: early\n### id=x\nAGENT: hi {{AGE|nine}}\nno speaker\nAGENT: {{XX|hi}} {{\n"
	r, err := calls.Check(strings.NewReader(text), "c.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range r.Problems {
		lines = append(lines, p.Line)
	}
	if !slices.Equal(lines, []int{1, 2, 4, 5, 5}) || r.Counts.Calls != 1 || r.Counts.Turns != 2 || r.Counts.Labels != 2 {
		t.Errorf("problems in lines %v, counts %+v", lines, r.Counts)
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		turns string
		want  []string
	}{
		{"A: {{PERSON_NAME|Zora}}\nB: zora, &zora and dezora\nB: zoras", []string{`"zora" is PERSON_NAME elsewhere in x`}},
		{"A: {{PERSON_NAME|Will}} {{DATE|today}} {{PERSON_NAME|Ada}}\nB: will ada today", nil},
		{"A: {{PERSON_NAME|Zora}} {{DATE|zora}}\nB: zora", nil},
		{"A: {{PERSON_NAME|Zora}}{{AGE|nine}}zora", []string{`"zora" is PERSON_NAME elsewhere in x`}},
	} {
		r, err := calls.Check(strings.NewReader("### id=x context=sales\n"+c.turns), "c.txt")
		if err != nil || len(r.Problems) > 0 {
			t.Fatal(err, r.Problems)
		}
		var got []string
		for _, n := range r.Notes {
			place, note, _ := strings.Cut(n.String(), ": ")
			if !strings.HasPrefix(place, "c.txt:") {
				t.Errorf("a note does not begin with its place: %q", n)
			}
			got = append(got, note)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: notes %q, want %q", c.turns, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	const text = "### id=a context=x\nA: Ada\n### id=b context=x\nA: ada {{AGE|ten}}\n// kind 3\n" +
		"### id=c context=x\nA: ada\n### id=d context=x\nA: Ada\n// kind 1\n### id=e context=x\nA: ada"
	r, err := calls.Check(strings.NewReader(text), "c.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"": 1, calls.Raw: 1, calls.Commercial: 2, calls.Typed: 1}
	if diff := cmp.Diff(want, r.Counts.ByKind); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestCounts(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := calls.Check(bytes.NewReader(text), "sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	var twice calls.Counts
	twice.Add(r.Counts)
	twice.Add(r.Counts)
	want := calls.Counts{
		Calls: 6, Turns: 12, Labels: 18,
		ByType: map[string]int{"ORGANIZATION_NAME": 2, "PERSON_NAME": 6, "GENERIC_ID": 4, "AGE": 2,
			"PHONE_NUMBER": 2, "NUMERIC": 2},
		ByContext: map[string]int{"customer_support": 2, "one_to_one": 2, "voicemail": 2},
		ByKind:    map[string]int{calls.Typed: 2, calls.Raw: 2, calls.Commercial: 2},
	}
	if diff := cmp.Diff(want, twice); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// The corpus of the repository has no error, and each call has its own ID and a context of the guide.
func TestCorpusIsWellFormed(t *testing.T) {
	files, err := filepath.Glob("../../corpora/calls/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("the corpus is missing", err)
	}
	contexts := []string{"customer_support", "sales", "meeting", "one_to_one", "voicemail"}
	seen := map[string]bool{}
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		for _, c := range conversations {
			if seen[c.ID] {
				t.Errorf("%s:%d: a call of another file has the same id", file, c.Line)
			}
			seen[c.ID] = true
			if !slices.Contains(contexts, c.Context) {
				t.Errorf("%s:%d: the context is none of the guide's: %s", file, c.Line, c.Context)
			}
		}
	}
}

// utterances generates utterances that the format can hold.
func utterances(t *rapid.T) []gold.Utterance {
	word := rapid.StringMatching(`[a-zé0-9{}|,.:#/]{1,6}`)
	var out []gold.Utterance
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		var u gold.Utterance
		u.Speaker = rapid.SampledFrom([]string{"agent", "speaker_2", "customer 3"}).Draw(t, "speaker")
		for range rapid.IntRange(0, 8).Draw(t, "words") {
			w := word.Draw(t, "word")
			start := utf8.RuneCountInString(u.Text)
			if rapid.Bool().Draw(t, "label") {
				u.Entities = append(u.Entities, gold.Span{Start: start, End: start + utf8.RuneCountInString(w), Type: "PERSON_NAME"})
			}
			u.Text += w + rapid.SampledFrom([]string{"", " "}).Draw(t, "space")
		}
		out = append(out, u)
	}
	return out
}

// A file that was written reads the same. What cannot be read the same is not written.
func TestWriteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := []gold.Conversation{{ID: "a", Context: "sales", Vertical: "x", Utterances: utterances(t)},
			{ID: "b", Context: "meeting", Utterances: utterances(t)}}
		var text bytes.Buffer
		if err := calls.Write(&text, want); err != nil {
			t.Skip("the format cannot hold it")
		}
		got, err := calls.Parse(bytes.NewReader(text.Bytes()), "c.txt")
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Source, want[i].Line = "calls", got[i].Line
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	ok := gold.Conversation{ID: "a", Context: "sales", Utterances: []gold.Utterance{{Speaker: "agent", Text: "hi tom"}}}
	with := func(change func(*gold.Conversation)) gold.Conversation {
		c := ok
		c.Utterances = slices.Clone(ok.Utterances)
		change(&c)
		return c
	}
	spans := func(s ...gold.Span) gold.Conversation {
		return with(func(c *gold.Conversation) { c.Utterances[0].Entities = s })
	}
	for name, c := range map[string]gold.Conversation{
		"no id":             with(func(c *gold.Conversation) { c.ID = "" }),
		"no context":        with(func(c *gold.Conversation) { c.Context = "" }),
		"space in vertical": with(func(c *gold.Conversation) { c.Vertical = "a b" }),
		"no turns":          with(func(c *gold.Conversation) { c.Utterances = nil }),
		"no speaker":        with(func(c *gold.Conversation) { c.Utterances[0].Speaker = "" }),
		"two lines":         with(func(c *gold.Conversation) { c.Utterances[0].Text = "hi\ntom" }),
		"marked-up text":    with(func(c *gold.Conversation) { c.Utterances[0].Text = "hi {{AGE|tom}}" }),
		"overlap":           spans(gold.Span{Start: 0, End: 4, Type: "AGE"}, gold.Span{Start: 3, End: 6, Type: "AGE"}),
		"unknown infoType":  spans(gold.Span{Start: 3, End: 6, Type: "HAT"}),
	} {
		err := calls.Write(&bytes.Buffer{}, []gold.Conversation{ok, c})
		if err == nil || !strings.HasPrefix(err.Error(), "conversation 2") || strings.Contains(err.Error(), "tom") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := calls.Write(&bytes.Buffer{}, []gold.Conversation{ok}); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	sample, err := os.ReadFile("testdata/sample.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add("### id=x context=y\r\nA: {{AGE|{{AGE|x}}}}}\r\n\r\n// kind 9\n###")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := calls.Check(strings.NewReader(text), "c.txt")
		if err != nil {
			t.Fatal(err)
		}
		conversations, err := calls.Parse(strings.NewReader(text), "c.txt")
		if (err != nil) != (len(r.Problems) > 0) {
			t.Fatalf("Check finds %d problems, the error of Parse is %v", len(r.Problems), err)
		}
		if err != nil {
			return
		}
		for _, c := range conversations {
			for _, u := range c.Utterances {
				n := utf8.RuneCountInString(u.Text)
				for _, s := range u.Entities {
					if s.Start < 0 || s.End <= s.Start || s.End > n {
						t.Fatalf("a label from %d to %d in a text of %d code points", s.Start, s.End, n)
					}
				}
			}
		}
		var lines bytes.Buffer
		if err := gold.Write(&lines, conversations); err != nil {
			t.Fatal(err)
		}
		if again, err := gold.Read(&lines, "c.jsonl"); err != nil || len(again) != len(conversations) {
			t.Fatalf("JSON lines with %d of %d conversations: %v", len(again), len(conversations), err)
		}
	})
}
