package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sotto/detectors"
	"sotto/internal/boundedfile"
)

// folderOf is a policy folder of these files.
func folderOf(files map[string]string) fs.FS {
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDictionary(t *testing.T) {
	d, err := readDictionary(folderOf(map[string]string{
		"ORGANIZATION_NAME.dictionary.txt": "# ours\n\nBlue Harbor\nBlue Harbor Paper\nDave & Buster's\n",
		"PERSON_NAME.exclude.txt":          "Will Call\nPaige\n",
		"acme/PRODUCT.dictionary.txt":      "harbor\nQ7-X\n",
		".git/x":                           "",
		".hidden":                          "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tenant, text, want string }{
		{"", "we like BLUE harbor, paper too", "ORGANIZATION_NAME:BLUE harbor, paper"},
		{"", "the blue harbor team", "ORGANIZATION_NAME:blue harbor"},
		{"", "at dave and buster's or Dave & Buster's", "ORGANIZATION_NAME:Dave & Buster's"},
		{"", "the harbor q7-x", ""},
		{"acme", "the harbor q7 x", "PRODUCT:harbor PRODUCT:q7 x"},
	} {
		var doc detectors.Document
		doc.Reset(c.text)
		d.find(&doc, c.tenant)
		var got []string
		for _, f := range doc.Findings {
			got = append(got, string(f.Type)+":"+c.text[f.Start:f.End])
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %s, want %s", c.text, g, c.want)
		}
	}
}

func TestExclude(t *testing.T) {
	d, err := readDictionary(folderOf(map[string]string{"PERSON_NAME.exclude.txt": "Will Call\nPaige\n", "ANY.exclude.txt": "Hollow Ford\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, found string
		infoType    detectors.InfoType
		kept        int
	}{
		{"at will call please", "will", detectors.PersonName, 0},
		{"at will call please", "will call", detectors.PersonName, 0},
		{"at will call please", "will call please", detectors.PersonName, 1},
		{"at will call please", "will call", detectors.OrganizationName, 1},
		{"Paige's app", "Paige's", detectors.PersonName, 0},
		{"Paige Lee", "Paige Lee", detectors.PersonName, 1},
		{"the Hollow Ford app", "Hollow Ford", detectors.OrganizationName, 0},
		{"the Hollow Ford app", "Hollow Ford", "PRODUCT", 0},
		{"the Hollow Ford app", "Hollow Ford app", "PRODUCT", 1},
	} {
		var doc detectors.Document
		doc.Reset(c.text)
		start := strings.Index(c.text, c.found)
		doc.Add(detectors.Finding{Start: start, End: start + len(c.found), Type: c.infoType})
		d.filter(&doc, "any", func(detectors.Finding, string) {})
		if len(doc.Findings) != c.kept {
			t.Errorf("%s in %s: %d findings", c.found, c.text, len(doc.Findings))
		}
	}
}

func TestDictionaryErrorsNameFileAndLineAndQuoteNothing(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"too long":     {map[string]string{"SSN.dictionary.txt": "a\n" + strings.Repeat("secret ", 13)}, "SSN.dictionary.txt:2: the entry has more than 12 words"},
		"nothing":      {map[string]string{"SSN.dictionary.txt": "--"}, "SSN.dictionary.txt:1: the entry has no letter or digit"},
		"not UTF-8":    {map[string]string{"SSN.dictionary.txt": "secret\xff"}, "SSN.dictionary.txt:1: not UTF-8"},
		"unknown name": {map[string]string{"names.txt": "secret"}, "names.txt: the name must be an infoType"},
		"a typo":       {map[string]string{"PERSON_NAMES.exclude.txt": "secret"}, "PERSON_NAMES.exclude.txt: there is no infoType of that name; PERSON_NAME is meant"},
		"letters":      {map[string]string{"acme/ORGANISATION_NAME.dictionary.txt": "secret"}, "there is no infoType of that name; ORGANIZATION_NAME is meant"},
		"any":          {map[string]string{"ANY.dictionary.txt": "secret"}, "ANY.dictionary.txt: what is masked needs an infoType"},
		"lower case":   {map[string]string{"ssn.dictionary.txt": "secret"}, "ssn.dictionary.txt: the name must be an infoType"},
		"empty prompt": {map[string]string{"remote.prompt.txt": " \n"}, "remote.prompt.txt: a prompt must be UTF-8 of 1 to 65536 bytes"},
		"large prompt": {map[string]string{"remote.prompt.txt": strings.Repeat("secret ", 10_000)}, "remote.prompt.txt: a prompt must be"},
		"no UTF-8":     {map[string]string{"remote.prompt.txt": "secret\xff"}, "remote.prompt.txt: a prompt must be"},
		"tenant's own": {map[string]string{"acme/remote.prompt.txt": "secret"}, "remote.prompt.txt: the name must be an infoType"},
		"deep":         {map[string]string{"a/b/SSN.dictionary.txt": "secret"}, "must not contain folders"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readDictionary(folderOf(c.files))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := readDictionary(boundedfile.Dir(filepath.Join(t.TempDir(), "absent"))); err == nil {
		t.Error("a missing folder is accepted")
	}
}

// The kubelet writes a volume into a hidden folder and links each top-level name to it, including a
// tenant's folder.
func TestDictionaryOfAKubernetesVolume(t *testing.T) {
	files := map[string]string{"SSN.dictionary.txt": "a", "acme/SSN.dictionary.txt": "b", "policy.yaml": ""}
	plain, err := readDictionary(folderOf(files))
	if err != nil {
		t.Fatal(err)
	}
	volume := t.TempDir()
	if err := os.Rename(writeFiles(t, files), filepath.Join(volume, "..2026")); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"..data": "..2026", "SSN.dictionary.txt": "..data/SSN.dictionary.txt", "acme": "..data/acme", "policy.yaml": "..data/policy.yaml",
	} {
		if err := os.Symlink(to, filepath.Join(volume, from)); err != nil {
			t.Fatal(err)
		}
	}
	mounted, err := readDictionary(boundedfile.Dir(volume))
	if err != nil {
		t.Fatal(err)
	}
	if mounted.lists["acme"] == nil || string(mounted.digest) != string(plain.digest) {
		t.Error("the volume gives other rules than the folder")
	}
}

func TestDigestFollowsTheFiles(t *testing.T) {
	digest := func(text string) string {
		d, err := readDictionary(folderOf(map[string]string{"SSN.dictionary.txt": text}))
		if err != nil {
			t.Fatal(err)
		}
		return string(d.digest)
	}
	if a := digest("a"); a != digest("a") || a == digest("b") {
		t.Error("the digest does not depend on the content")
	}
}
