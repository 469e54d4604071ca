package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ManifestName is the file that says what belongs to an export.
const ManifestName = "manifest.json"

// Manifest is what has been exported, and up to where the input was read. Both are in one file, so
// that they cannot contradict each other.
type Manifest struct {
	Version int `json:"version"`
	// Settings is a digest of everything that decides the rows. A later run must have the same.
	Settings string `json:"settings"`
	// Offsets is where each partition is read from next.
	Offsets map[int32]int64 `json:"offsets,omitempty"`
	Files   []File          `json:"files"`
	Counts  Counts          `json:"counts"`
}

// File is a shard, or a list of calls that were seen.
type File struct {
	Name   string `json:"name"`
	Part   string `json:"part,omitempty"` // Train, Validation; "" for a list
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const manifestVersion = 1

// temporary is the name of a file until the manifest names it.
func temporary(name string) string { return "." + name + ".tmp" }

// readManifest reads the manifest of a folder, an empty one if there is none, and completes what a
// run left that was killed: files that the manifest names get their names, others go.
func readManifest(dir string) (*Manifest, error) {
	m := &Manifest{Version: manifestVersion, Counts: newCounts()}
	data, err := os.ReadFile(filepath.Join(dir, ManifestName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := refuseForeign(dir); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, m); err != nil || m.Version != manifestVersion {
			return nil, fmt.Errorf("%s is damaged, or of another version of sotto; use another output folder", filepath.Join(dir, ManifestName))
		}
	}
	for _, f := range m.Files {
		if err := f.settle(dir); err != nil {
			return nil, err
		}
	}
	return m, removeLeftovers(dir)
}

// refuseForeign refuses a folder with shards but without a manifest: nobody knows what is in them.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s has files but no %s; use an empty output folder", dir, ManifestName)
		}
	}
	return nil
}

// settle gives a file of the manifest its name, if a kill prevented that, and checks its size.
func (f File) settle(dir string) error {
	path := filepath.Join(dir, f.Name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(filepath.Join(dir, temporary(f.Name)), path); err != nil {
			return fmt.Errorf("%s, which %s names, is missing; restore it, or export into another folder", path, ManifestName)
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return err
	}
	if info.Size() != f.Bytes {
		return fmt.Errorf("%s has %d bytes instead of %d: it is damaged; restore it, or export into another folder", path, info.Size(), f.Bytes)
	}
	return nil
}

func removeLeftovers(dir string) error {
	leftovers, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	for _, path := range leftovers {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// write stores the manifest as a whole, after the files that it names.
func (m *Manifest) write(dir string) error {
	if err := syncFolder(dir); err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(dir, ManifestName, append(data, '\n'))
}

// syncFolder makes sure that the names of new files are on the disk.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be opened there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// replaceFile writes a file as a whole or not at all.
func replaceFile(dir, name string, data []byte) error {
	if _, err := writeTemporary(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, temporary(name)), filepath.Join(dir, name))
}

// writeTemporary writes a file under its temporary name, and makes sure that it is on the disk.
func writeTemporary(dir, name string, write func(io.Writer) error) (f File, err error) {
	path := filepath.Join(dir, temporary(name))
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return f, err
	}
	h := sha256.New()
	if err = write(io.MultiWriter(out, h)); err == nil {
		err = out.Sync()
	}
	var info fs.FileInfo
	if err == nil {
		info, err = out.Stat()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(path)
		return f, err
	}
	return File{Name: name, Bytes: info.Size(), SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}

// Verify checks every file of an export against its checksum.
func Verify(dir string) (*Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s is damaged", filepath.Join(dir, ManifestName))
	}
	for _, f := range m.Files {
		if err := f.verify(dir); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (f File) verify(dir string) error {
	path := filepath.Join(dir, f.Name)
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing; if the export was killed, run it again", path)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s is damaged: its checksum is not that of %s", path, ManifestName)
	}
	return nil
}
