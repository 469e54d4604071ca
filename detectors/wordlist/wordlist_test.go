package wordlist

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/wordhash"
)

const file = `
# Words that people say.
[greetings]
hi hello
  hey

[farewells]
see you later, have a   good day
take care,

[characters]
zero oh = 0
hash = #
`

func Example() {
	lists := MustParse("[greetings]\nhi hello\n\n[farewells]\nsee you later, take care\n")
	greetings := lists.Set("greetings")
	fmt.Println(greetings.Has(wordhash.String("hello")), greetings.Has(wordhash.String("bye")))
	fmt.Println(lists.Phrases("farewells")[0])
	// Output:
	// true false
	// see you later
}

func TestLists(t *testing.T) {
	f := MustParse(file)
	if got := f.Unused(); !reflect.DeepEqual(got, []string{"greetings", "farewells", "characters"}) {
		t.Errorf("unused at first: %q", got)
	}
	if got := f.Words("greetings"); !reflect.DeepEqual(got, []string{"hi", "hello", "hey"}) {
		t.Errorf("words: %q", got)
	}
	if got := f.Phrases("farewells"); !reflect.DeepEqual(got, []string{"see you later", "have a good day", "take care"}) {
		t.Errorf("phrases: %q", got)
	}
	if got := f.Values("characters"); !reflect.DeepEqual(got, []Valued{{"0", []string{"zero", "oh"}}, {"#", []string{"hash"}}}) {
		t.Errorf("values: %q", got)
	}
	words := map[string]int{}
	f.EachWord(func(list, _ string) { words[list]++ })
	if want := map[string]int{"characters": 3, "greetings": 3}; !reflect.DeepEqual(words, want) {
		t.Errorf("words of lists of words: %v", words)
	}
	if got := f.Unused(); got != nil {
		t.Errorf("unused in the end: %q", got)
	}
}

func TestMistakesPanic(t *testing.T) {
	words := func(f *File) { f.Words("a") }
	phrases := func(f *File) { f.Phrases("a") }
	values := func(f *File) { f.Values("a") }
	for _, c := range []struct {
		text string
		read func(*File)
		want string
	}{
		{"hello\n[a]\nb", words, "line 1 stands before"},
		{"[a]\nb\n[a]\nc", words, "line 3: the list \"a\" occurs twice"},
		{"[a]\n[b]\nc", words, "\"a\" is empty"},
		{"[b]\nc", words, "no list \"a\""},
		{"[a]\nb c b", words, "\"b\" twice"},
		{"[a]\nb, c,, d", phrases, "empty phrase"},
		{"[a]\nb c\nb  c", phrases, "\"b c\" twice"},
		{"[a]\nb", values, "not \"words = value\""},
		{"[a]\nb = 1\nc b = 2", values, "\"b\" twice"},
	} {
		t.Run(c.want, func(t *testing.T) {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, c.want) {
					t.Errorf("%q: panic %q", c.text, r)
				}
			}()
			c.read(MustParse(c.text))
		})
	}
}

func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z']{1,6}`), func(s string) string { return s }).Draw(t, "in")
		out := rapid.StringMatching(`[a-z']{1,6}`).Draw(t, "out")
		s := NewSet(in...)
		for _, w := range in {
			if !s.Has(wordhash.String(w)) {
				t.Fatalf("%q is missing", w)
			}
		}
		for _, w := range in {
			if w == out {
				return
			}
		}
		if s.Has(wordhash.String(out)) || s.Has(0) {
			t.Fatalf("%q or the hash 0 is in the set", out)
		}
	})
}

func BenchmarkHas(b *testing.B) {
	s := NewSet(strings.Fields("the a an my your our his her their its this of in on at by to every next last until since")...)
	words := []uint64{wordhash.String("the"), wordhash.String("kettle"), wordhash.String("since"), wordhash.String("mister")}
	n := 0
	for i := 0; b.Loop(); i++ {
		if s.Has(words[i&3]) {
			n++
		}
	}
}
