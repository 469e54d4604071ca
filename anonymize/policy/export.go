package policy

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/internal/boundedfile"
)

// Export reads the folder that Read reads, and returns the policy in the form that a remote
// detection service is configured with. "" is no folder.
func Export(dir string) (*remote.Rules, error) {
	r := &remote.Rules{On: map[detectors.InfoType]bool{}, Off: map[detectors.InfoType]bool{}, Least: map[detectors.InfoType]detectors.Likelihood{}}
	if dir == "" {
		return r, nil
	}
	p, err := Read(dir) // which checks all of it
	if err != nil {
		return nil, err
	}
	for t, on := range p.rules.on {
		r.On[t], r.Off[t] = on, !on
	}
	for t, l := range p.rules.least {
		r.Least[t] = l
	}
	for _, c := range p.rules.custom {
		r.Custom = append(r.Custom, remote.CustomType{Type: c.name, Regex: c.regex.String(), Likelihood: c.likelihood})
	}
	if err := exportHotwords(r, p.rules, filepath.Join(dir, "policy.yaml")); err != nil {
		return nil, err
	}
	return r, exportLists(r, dir)
}

// exportHotwords adds the hotword rules of a file that is known to be valid. Its words are not in
// the rules that are made of it, which have only their hashes.
func exportHotwords(r *remote.Rules, read *rules, path string) error {
	data, err := boundedfile.Read(path, maxRuleFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var f ruleFile
	if err := yaml.Unmarshal(data, &f); err != nil || len(f.Hotwords) != len(read.hot) {
		return cmp.Or(err, errors.New(path+": the file changed while it was read"))
	}
	for i, h := range f.Hotwords {
		rule := remote.HotwordRule{Words: h.Hotwords, Before: read.hot[i].before, After: read.hot[i].after, Adjust: h.Adjust, Set: read.hot[i].fixed}
		for _, t := range h.InfoTypes {
			rule.Types = append(rule.Types, detectors.InfoType(t))
		}
		r.Hotwords = append(r.Hotwords, rule)
	}
	return nil
}

// exportLists adds the word lists that count for all tenants.
func exportLists(r *remote.Rules, dir string) error {
	names, err := dictionaryFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.Contains(name, "/") {
			continue
		}
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		words, err := exportWords(f)
		f.Close()
		if err != nil {
			return err
		}
		if len(words) == 0 {
			continue
		}
		if t, ok := strings.CutSuffix(name, maskSuffix); ok {
			r.Dictionaries = append(r.Dictionaries, remote.WordList{Type: detectors.InfoType(t), Words: words})
		} else if t, ok := strings.CutSuffix(name, excludeSuffix); ok {
			r.Exclusions = append(r.Exclusions, remote.WordList{Type: detectors.InfoType(t), Words: words})
		}
	}
	return nil
}

func exportWords(f *os.File) (words []string, err error) {
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			words = append(words, line)
		}
	}
	return words, lines.Err()
}
