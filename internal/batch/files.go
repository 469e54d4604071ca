package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sotto/formats"
)

// Files says how to anonymize many files.
type Files struct {
	Job *Job
	// Out is the folder to which the outputs are written, under the paths that the inputs have in
	// theirs.
	Out string
	// Options say how files are read. Their Name is that of each file.
	Options formats.Options
	// Force asks to process files again that are finished.
	Force bool
	// Workers is how many files are processed at a time; 0 means one for each CPU.
	Workers int
	// Done is called after each file, by one goroutine at a time.
	Done func(FileResult)
}

// FileResult is what became of a file.
type FileResult struct {
	Input, Output string
	// Bytes is the size of the input.
	Bytes  int64
	Format string
	Calls  []CallResult
	Notes  []string
	// Finished reports whether the file was finished before and was skipped.
	Finished bool
	// Err contains nothing of the file.
	Err error
}

// Input is a file to anonymize, and its path below the output folder.
type Input struct {
	Path, Relative string
	Size           int64
}

// FindInputs returns the files of paths: files, all files in folders that are not hidden, and globs.
// What is in the output folder is no input.
func FindInputs(paths []string, out string) ([]Input, error) {
	var inputs []Input
	for _, path := range paths {
		found, err := inputsOf(path)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, found...)
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	inputs = slices.DeleteFunc(inputs, func(in Input) bool {
		path, err := filepath.Abs(in.Path)
		return err == nil && strings.HasPrefix(path, out+string(filepath.Separator))
	})
	slices.SortStableFunc(inputs, func(a, b Input) int { return strings.Compare(a.Relative, b.Relative) })
	for i := 1; i < len(inputs); i++ {
		if inputs[i].Relative == inputs[i-1].Relative && inputs[i].Path != inputs[i-1].Path {
			return nil, errors.New("two inputs have the same name and would become one output; give the folder that contains both")
		}
	}
	return slices.CompactFunc(inputs, func(a, b Input) bool { return a.Path == b.Path }), nil
}

func inputsOf(path string) ([]Input, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[") {
		return globbed(path)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []Input{{path, filepath.Base(path), info.Size()}}, nil
	}
	var inputs []Input
	err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if file != path && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(path, file)
		inputs = append(inputs, Input{file, relative, info.Size()})
		return err
	})
	return inputs, err
}

func globbed(pattern string) ([]Input, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) == 0 {
		return nil, fs.ErrNotExist
	}
	var inputs []Input
	for _, m := range matches {
		if strings.HasPrefix(filepath.Base(m), ".") {
			continue
		}
		found, err := inputsOf(m)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, found...)
	}
	return inputs, nil
}

// Run anonymizes the inputs. A file that cannot be processed does not stop the others; its result
// has the error. The error is that of ctx or of the output folder.
func (f *Files) Run(ctx context.Context, inputs []Input) error {
	finished, err := openLedger(f.Out)
	if err != nil {
		return err
	}
	defer finished.close()
	workers := f.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers, len(inputs)) {
		g.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(inputs) {
					return nil
				}
				r := f.one(ctx, inputs[i], finished)
				mu.Lock()
				f.Done(r)
				mu.Unlock()
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

func (f *Files) one(ctx context.Context, in Input, finished *ledger) FileResult {
	r := FileResult{Input: in.Path, Output: filepath.Join(f.Out, in.Relative), Bytes: in.Size}
	if sameFile(in.Path, r.Output) {
		r.Err = errors.New("the output would replace the input; give another folder with -o")
		return r
	}
	mark, err := markOf(in.Path, f.settings())
	if err != nil {
		r.Err = err
		return r
	}
	if !f.Force && finished.has(in.Relative, mark, r.Output) {
		r.Finished = true
		return r
	}
	data, err := os.ReadFile(in.Path)
	if err == nil {
		err = f.Job.file(ctx, data, f.Options, &r)
	}
	if err == nil {
		err = finished.add(in.Relative, mark)
	}
	r.Err = err
	return r
}

// settings stand for everything apart from the input that decides the output.
func (f *Files) settings() string {
	sum := sha256.Sum256(fmt.Append(nil, f.Job.Engine.Policy(), f.Job.Live, f.Job.Participants, f.Options))
	return hex.EncodeToString(sum[:8])
}

// file anonymizes a file and writes it.
func (j *Job) file(ctx context.Context, data []byte, o formats.Options, r *FileResult) error {
	o.Name = r.Input
	out, err := j.Anonymize(ctx, data, o, r)
	if err != nil {
		return err
	}
	return WriteAtomically(r.Output, out)
}

// Anonymize returns a file's anonymized form, and fills in the result what was found in it.
func (j *Job) Anonymize(ctx context.Context, data []byte, o formats.Options, r *FileResult) ([]byte, error) {
	f, err := formats.Read(data, o)
	if err != nil {
		return nil, err
	}
	r.Format, r.Notes = f.Format, f.Notes
	if r.Calls, err = j.Document(ctx, f.Document); err != nil {
		return nil, err
	}
	return f.Encode()
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// WriteAtomically writes a file so that it is either there as a whole or not at all.
func WriteAtomically(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".sotto-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
