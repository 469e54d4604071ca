package jsontree

import (
	"slices"
	"strings"
	"testing"
)

func TestParseKeepsPlaces(t *testing.T) {
	const s = `{"a" : [1, "b\"c", {"d": -1.5e3}], "e":null}`
	n, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	if d := n.Pick("a.2.d"); s[d.Start:d.End] != "-1.5e3" || s[d.KeyStart:d.KeyEnd] != `"d"` {
		t.Error("a number is at the wrong place")
	}
	if b := n.Pick("a.1"); b.Str != `b"c` || s[b.Start:b.End] != `"b\"c"` {
		t.Error("a string is at the wrong place")
	}
	for _, path := range []string{"x", "a.3", "a.b", "e.f", "a.1.x"} {
		if n.Pick(path) != nil {
			t.Errorf("%s is there", path)
		}
	}
	for _, bad := range []string{"", "{", `{"a"}`, "[1,]", "{} {}", strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%.20q is read", bad)
		}
	}
}

func TestPaths(t *testing.T) {
	n, err := Parse(`{"a": [{"b": "x", "c": null}, {"b": 2}], "k": {"p": {"c": "y"}, "q": {"c": "z"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"a.*.b": {"x 0", "2 1"}, "a.0.c": nil, "a.0.c | a.1.b": {"2 "}, "k.*.c": {"y p", "z q"}, "none": nil, "": nil,
	} {
		var got []string
		for _, m := range n.All(path) {
			got = append(got, m.Value(".")+" "+m.Value("*1"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q leads to %q, not to %q", path, got, want)
		}
	}
	for condition, want := range map[string]bool{"a.0.b=x": true, "a.0.b=y": false, "none | k": true, "a.*.b=2": true, "a.0.c": true} {
		if n.Meets(condition) != want {
			t.Errorf("%q is not %v", condition, want)
		}
	}
}
