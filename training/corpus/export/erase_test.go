package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestErase erases a call from each format and form. The others stay, the files are intact, and no later run adds
// the call again.
func TestErase(t *testing.T) {
	for _, format := range []string{JSONL, Parquet} {
		for _, form := range []string{Rows, Chat} {
			t.Run(format+" "+form, func(t *testing.T) {
				o := options(t.TempDir())
				o.Format, o.Form = format, form
				e := open(t, o)
				for _, id := range []string{"a", "b", "c"} {
					if err := e.Add(call(id, "hello "+id, "well", "lantern "+id)); err != nil {
						t.Fatal(err)
					}
				}
				if err := e.Commit(map[int32]int64{0: 7}); err != nil {
					t.Fatal(err)
				}
				for _, c := range []struct {
					dry  bool
					rows int
				}{{true, 1}, {false, 1}, {false, 0}} {
					if rows, err := Erase(o.Dir, []string{"b", "other"}, c.dry); err != nil || rows != c.rows {
						t.Fatalf("%+v: %d rows, %v", c, rows, err)
					}
				}
				m, err := Verify(o.Dir)
				if err != nil || m.Offsets[0] != 7 || m.Counts.Exported[Train]+m.Counts.Exported[Validation] != 2 {
					t.Fatalf("%+v, %v", m, err)
				}
				again := open(t, o)
				if !again.Has("a") || !again.Has("b") || !again.Has("other") {
					t.Error("a later run would add a call again")
				}
				if err := again.Add(call("d", "hello d", "well", "lantern d")); err != nil {
					t.Fatal(err)
				}
				if err := again.Commit(nil); err != nil {
					t.Fatal(err)
				}
				if _, err := Verify(o.Dir); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(ids(t, o.Dir)); format == JSONL && got != "[a c d]" {
					t.Errorf("the calls are %s", got)
				}
				files, _ := filepath.Glob(filepath.Join(o.Dir, "*"))
				for _, path := range files {
					if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "lantern b") {
						t.Errorf("%s has the call, or %v", path, err)
					}
				}
			})
		}
	}
	if _, err := Erase(t.TempDir(), []string{"a"}, false); err == nil {
		t.Error("a folder without an export is accepted")
	}
}
