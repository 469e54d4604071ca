package files

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"sotto/internal/boundedfile"
)

// ledgerName is the file in an output folder that says which inputs are finished.
const ledgerName = ".sotto-finished.jsonl"

// mark identifies the content of an input and what it was anonymized with.
type mark struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Policy   string `json:"policy"`
}

type ledger struct {
	mu       sync.Mutex
	file     *os.File
	finished map[string]mark
}

type entry struct {
	Path string `json:"path"`
	mark
}

func openLedger(folder string) (*ledger, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, ledgerName)
	l := &ledger{finished: map[string]mark{}}
	old, err := boundedfile.Open(name)
	if err == nil {
		lines := bufio.NewScanner(old)
		for lines.Scan() {
			var e entry
			if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line may be cut off
				l.finished[e.Path] = e.mark
			}
		}
		err = errors.Join(lines.Err(), old.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if l.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if len(l.finished) > 0 { // ends a line that was cut off
		_, err = l.file.WriteString("\n")
	}
	return l, err
}

// has reports whether an input is finished, with its output still there.
func (l *ledger) has(path string, m mark, output string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := os.Stat(output)
	return err == nil && l.finished[path] == m
}

func (l *ledger) add(path string, m mark) error {
	line, err := json.Marshal(entry{path, m})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished[path] = m
	_, err = l.file.Write(append(line, '\n'))
	return err
}
