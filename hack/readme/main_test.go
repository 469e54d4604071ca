package main

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := parse("# x\n\n<!-- run -->\n```sh\nmake a\nmake b\n```\n\n```text\n<!-- run -->\n```\n<!-- serve -->\n\n```sh\nserve\n```\n")
	want := []block{{4, "run", "make a\nmake b\n"}, {14, "serve", "serve\n"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{"```sh\nmake\n```\n", "<!-- run -->\n```text\nx\n```\n```sh\nmake\n```\n", "<!-- run -->\nprose\n```sh\nmake\n```\n"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q: a block that is not checked passes", text)
		}
	}
}
