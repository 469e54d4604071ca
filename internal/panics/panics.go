// Package panics says where a panic came from, without its value, which may hold text of a call.
package panics

import (
	"fmt"
	"runtime"
	"strings"
)

// Site names the functions of this module that were running when the current panic began, the
// innermost first and at most max of them: "function:line < caller:line". Call it in the deferred
// function that recovers.
func Site(max int) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var site []string
	for panicking, more := false, true; more && len(site) < max; {
		var f runtime.Frame
		f, more = frames.Next()
		if panicking && strings.HasPrefix(f.Function, module) {
			site = append(site, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		panicking = panicking || f.Function == "runtime.gopanic"
	}
	if len(site) == 0 {
		return "an unknown place"
	}
	return strings.Join(site, " < ")
}

// module is the prefix of the names of this module's functions.
var module = func() string {
	pc, _, _, _ := runtime.Caller(0)
	path, _, _ := strings.Cut(runtime.FuncForPC(pc).Name(), "internal/panics")
	return path
}()
