package panics

import (
	"os"
	"regexp"
	"testing"
)

func fails(how func()) (site string) {
	defer func() {
		if recover() != nil {
			site = Site(2)
		}
	}()
	how()
	return "no panic"
}

func TestSiteNamesThePanickingFunctionFirst(t *testing.T) {
	for name, how := range map[string]func(){
		"panic":         func() { panic("secret") },
		"runtime error": func() { _ = make([]int, len(os.Args))[len(os.Args)] },
		"nil pointer":   func() { var p *int; *p++ },
	} {
		want := regexp.MustCompile(`^[^ ]*panics\.TestSite\w*\.func\d:\d+ < [^ ]*panics\.fails:\d+$`)
		if got := fails(how); !want.MatchString(got) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestSiteWithoutPanic(t *testing.T) {
	if got := Site(2); got != "an unknown place" {
		t.Error(got)
	}
}
