package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"sotto/files/formats"
	"sotto/internal/boundedfile"
)

// Files says how to anonymize many files.
type Files struct {
	Job *Job
	// Out is the folder to which the outputs are written, under the paths that the inputs have in
	// theirs.
	Out string
	// Redactions is the folder to which the redactions of recordings are written, "" if they are not.
	Redactions string
	// Options say how files are read. Their Name is that of each file.
	Options formats.Options
	// Force asks to process files again that are finished.
	Force bool
	// Workers is how many files are worked on at once; 0 means one for each processor.
	Workers int
	// Done is called after each file, by one goroutine at a time.
	Done func(FileResult)
}

// FileResult is what became of a file.
type FileResult struct {
	Input, Output string
	// Redactions is the path to which those of the recording are written, without extension; "" if they are not.
	Redactions string
	Bytes      int64
	Format     string
	Calls      []CallResult
	Notes      []string
	// Finished reports whether the file was finished before and was skipped.
	Finished bool
	// Err contains nothing of the file.
	Err error
}

// Run anonymizes the inputs. A file that cannot be processed does not stop the others; its result
// has the error. The error is that of ctx or of the output folder.
func (f *Files) Run(ctx context.Context, inputs []Input) error {
	finished, err := openLedger(f.Out)
	if err != nil {
		return err
	}
	defer finished.file.Close()
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(f.Workers, runtime.GOMAXPROCS(0)))
	for _, in := range inputs {
		g.Go(func() error {
			if ctx.Err() == nil {
				r := f.one(ctx, in, finished)
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
	if f.Redactions != "" {
		r.Redactions = filepath.Join(f.Redactions, in.Relative)
	}
	if r.Err = in.Err; r.Err != nil {
		return r
	}
	if SameFile(in.Path, r.Output) {
		r.Err = errors.New("the output would replace the input; give another folder with -o")
		return r
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		r.Err = err
		return r
	}
	mark := mark{info.Size(), info.ModTime().UnixNano(), f.settings()}
	if !f.Force && finished.has(in.Relative, mark, r.Output) {
		r.Finished = true
		return r
	}
	data, err := boundedfile.Read(in.Path, math.MaxInt64-1) // what became a pipe meanwhile does not block
	var out []byte
	if err == nil {
		options := f.Options
		options.Name = in.Path
		out, err = f.Job.Anonymize(ctx, data, options, &r)
	}
	if err == nil {
		if err = WriteAtomically(r.Output, out, OutputMode); err != nil {
			err = fmt.Errorf("the output: %w", err)
		}
	}
	if err == nil {
		err = finished.add(in.Relative, mark)
	}
	r.Err = err
	return r
}

// settings stand for everything apart from the input that decides the output.
func (f *Files) settings() string {
	o := f.Options
	o.Limits = formats.Limits{}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t %t %#v %#v", f.Redactions, f.Job.Engine.Policy(), f.Job.Settings, f.Job.Live, f.Job.AsEvents, f.Job.Participants, o))
	return hex.EncodeToString(sum[:8])
}

// Anonymize returns a file's anonymized form, and fills in the result what was found in it.
func (j *Job) Anonymize(ctx context.Context, data []byte, o formats.Options, r *FileResult) ([]byte, error) {
	f, err := formats.Read(ctx, data, o)
	if err != nil {
		return nil, err
	}
	r.Format, r.Notes = f.Format, f.Notes
	if r.Calls, err = j.Document(ctx, f.Document); err != nil {
		return nil, err
	}
	j.identify(o.Name, r.Calls)
	if r.Redactions != "" {
		if err := writeRedactions(r.Redactions, r.Calls); err != nil {
			return nil, err
		}
	}
	if j.AsEvents {
		return j.events(ctx, r.Calls)
	}
	return f.Encode()
}
