// Package ruledata records the data files that are embedded into the program and decide what the
// engine does: word lists, lexicon, model, tables of surrogates. Their digest is a part of the policy
// hash.
//
// Each package passes what it embeds through Text or Bytes, in the variable that reads it. A test of
// package anonymize fails for a file that the engine embeds and that is not recorded here, and for one
// that is recorded by a package that the engine does not use: the hash would then depend on what else
// is in the program.
package ruledata

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
)

// Hash is the SHA-256 of a file.
type Hash = [sha256.Size]byte

// registry has the content of files by their path.
type registry map[string][]byte

// Packages record their files while they are initialized, one after the other. The content is hashed
// only if somebody asks for it: that of all files takes milliseconds.
var recorded = registry{}

// Text records a file by its path in the repository, and returns its text. The path is a part of the policy
// hash, so a file of a folder that moves keeps it. Text panics if the path is recorded already.
func Text(file, text string) string {
	recorded.add(file, []byte(text))
	return text
}

// Bytes is Text for a file that is no text. The data must not be changed.
func Bytes(file string, data []byte) []byte {
	recorded.add(file, data)
	return data
}

// FS is Text for all files of a file system, whose paths are below folder.
func FS(folder string, files embed.FS) embed.FS {
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err == nil {
			recorded.add(path.Join(folder, name), data)
		}
		return err
	})
	if err != nil {
		panic("ruledata: " + err.Error()) // cannot happen: the files are part of the program
	}
	return files
}

// Files returns the hash of each recorded file by its path.
var Files = sync.OnceValue(recorded.hashes)

// Digest is a hash of all recorded files, with their paths. All packages must be initialized.
var Digest = sync.OnceValue(func() Hash { return digest(Files()) })

func (r registry) add(file string, data []byte) {
	if r[file] != nil {
		panic(fmt.Sprintf("ruledata: %s is recorded twice", file))
	}
	r[file] = data
}

func (r registry) hashes() map[string]Hash {
	all := make(map[string]Hash, len(r))
	for file, data := range r {
		all[file] = sha256.Sum256(data)
	}
	return all
}

func digest(files map[string]Hash) Hash {
	h := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %x\n", file, files[file])
	}
	return Hash(h.Sum(nil))
}
