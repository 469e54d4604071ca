package adversary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Record is the answer to a request; it has none if the model gave none that could be read.
type Record struct {
	Key    string  `json:"key"`
	Answer *Answer `json:"answer"`
}

// Journal is the file of the answers, one a line. It is safe for concurrent use.
type Journal struct {
	mu    sync.Mutex
	file  *os.File
	known map[string]Record
}

// OpenJournal opens the file, or creates it for its owner alone. A last line that was cut off is removed: it is asked about again.
func OpenJournal(name string) (*Journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f, known: map[string]Record{}}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return j, f.Chmod(0o600) // it may have been there
}

func (j *Journal) load() error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	n := 0
	for line := range bytes.Lines(data[:whole]) {
		var r Record
		if n++; json.Unmarshal(line, &r) != nil || r.Key == "" {
			return fmt.Errorf("line %d is no answer of an adversary; name another file with --results", n)
		}
		j.known[r.Key] = r
	}
	if whole == 0 && len(data) > 0 && data[0] != '{' {
		return errors.New("no answers of an adversary; name another file with --results")
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return err
	}
	_, err = j.file.Seek(int64(whole), io.SeekStart)
	return err
}

func (j *Journal) get(key string) (Record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r, ok := j.known[key]
	return r, ok
}

func (j *Journal) add(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the answers cannot be kept: %w", err)
	}
	j.known[r.Key] = r
	return nil
}

// Close writes the file to the disk.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
