package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersionThatTheToolchainRecords(t *testing.T) {
	for name, c := range map[string]struct {
		info            debug.BuildInfo
		version, commit string
	}{
		"go install": {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3", ""},
		"a clone": {debug.BuildInfo{Main: debug.Module{Version: "v1.2.4-0.20261121231508-abcdefabcdef"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abcdef"}, {Key: "vcs.modified", Value: "false"}}},
			"v1.2.4-0.20261121231508-abcdefabcdef", "abcdef"},
		"a clone with changes": {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: "abcdef"}}},
			"(devel)", "abcdef-dirty"},
	} {
		if version, commit := recorded(&c.info); version != c.version || commit != c.commit {
			t.Errorf("%s: version %q, commit %q", name, version, commit)
		}
	}
}
