package cli

import (
	"cmp"
	"runtime/debug"
)

// The Makefile sets these with -ldflags, from git.
var buildVersion, buildCommit string

// Build returns the version and the commit. What -ldflags did not set is what the Go toolchain
// recorded: the module's version, and the commit of the working tree.
func Build() (version, commit string) {
	version, commit = buildVersion, buildCommit
	if info, ok := debug.ReadBuildInfo(); ok {
		v, c := recorded(info)
		version, commit = cmp.Or(version, v), cmp.Or(commit, c)
	}
	return cmp.Or(version, "unknown"), cmp.Or(commit, "unknown")
}

func recorded(info *debug.BuildInfo) (version, commit string) {
	modified := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "-dirty"
			}
		}
	}
	if commit != "" {
		commit += modified
	}
	return info.Main.Version, commit
}
