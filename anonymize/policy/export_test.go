package policy

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sotto/detectors"
	"sotto/detectors/remote"
)

func TestExport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policy.yaml": "info_types:\n  DATE: {enabled: true}\n  URL: {enabled: false}\n  SSN: {min_likelihood: LIKELY}\n" +
			"custom_info_types:\n  - {name: BADGE, regex: 'blue \\d+', likelihood: UNLIKELY}\n" +
			"hotword_rules:\n  - {info_types: [BADGE], hotwords: [badge, staff id], window_after: 40, adjust: 2}\n",
		"PERSON_NAME.dictionary.txt":  "# ours\nPam Beesly\n\nJim\n",
		"LOCATION.exclude.txt":        "Reading\n",
		"empty.txt.d/URL.exclude.txt": "x\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Export(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &remote.Rules{
		On:           map[detectors.InfoType]bool{"DATE": true, "URL": false},
		Off:          map[detectors.InfoType]bool{"DATE": false, "URL": true},
		Least:        map[detectors.InfoType]detectors.Likelihood{"SSN": detectors.Likely},
		Custom:       []remote.CustomType{{Type: "BADGE", Regex: `blue \d+`, Likelihood: detectors.Unlikely}},
		Dictionaries: []remote.WordList{{Type: "PERSON_NAME", Words: []string{"Pam Beesly", "Jim"}}},
		Exclusions:   []remote.WordList{{Type: "LOCATION", Words: []string{"Reading"}}},
		Hotwords:     []remote.HotwordRule{{Types: []detectors.InfoType{"BADGE"}, Words: []string{"badge", "staff id"}, Before: 100, After: 40, Adjust: 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if none, err := Export(""); err != nil || len(none.Custom) > 0 {
		t.Errorf("without a folder: %+v, %v", none, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte("nonsense: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(dir); err == nil {
		t.Error("a file that is not valid is exported")
	}
}
