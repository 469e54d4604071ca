package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/boundedfile"
)

// Input is a file to anonymize, and its path below the output folder.
type Input struct {
	Path, Relative string
	Size           int64
	// Err is why the file is not read, nil if it is.
	Err error
}

// FindInputs returns the files of paths: files, all files in folders that are not hidden, and
// globs. What is in the output folder is no input, and must not be named as one. A link in a folder
// is not followed, because it may lead anywhere.
func FindInputs(paths []string, out string) ([]Input, error) {
	out, err := resolved(out)
	if err != nil {
		return nil, err
	}
	var inputs []Input
	for _, path := range paths {
		found, err := inputsOf(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 1 && found[0].Path == path && within(path, out) {
			return nil, fmt.Errorf("%s is in the folder of the outputs; give another folder with -o", path)
		}
		inputs = append(inputs, found...)
	}
	inputs = slices.DeleteFunc(inputs, func(in Input) bool { return within(in.Path, out) })
	slices.SortStableFunc(inputs, func(a, b Input) int { return strings.Compare(a.Relative, b.Relative) })
	for i := 1; i < len(inputs); i++ {
		if inputs[i].Relative == inputs[i-1].Relative && inputs[i].Path != inputs[i-1].Path {
			return nil, errors.New("two inputs have the same name and would become one output; give the folder that contains both")
		}
	}
	return slices.CompactFunc(inputs, func(a, b Input) bool { return a.Path == b.Path }), nil
}

// within reports whether a path is below a folder that is resolved.
func within(path, folder string) bool {
	path, err := resolved(path)
	return err == nil && strings.HasPrefix(path, folder+string(filepath.Separator))
}

// resolved returns the absolute path without links, also of a file that does not exist yet.
func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
		real, err = resolved(parent)
		real = filepath.Join(real, filepath.Base(path))
	}
	return real, err
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
		return []Input{newInputFile(path, filepath.Base(path), info)}, nil
	}
	var inputs []Input
	err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := file != path && strings.HasPrefix(e.Name(), ".")
		switch {
		case hidden && e.IsDir():
			return fs.SkipDir
		case hidden || e.IsDir():
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(path, file)
		inputs = append(inputs, newInputFile(file, relative, info))
		return err
	})
	return inputs, err
}

func newInputFile(path, relative string, info fs.FileInfo) Input {
	in := Input{Path: path, Relative: relative, Size: info.Size()}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		in.Err = errors.New("a link; name the file that it leads to")
	case !info.Mode().IsRegular():
		in.Err = boundedfile.ErrNotRegular
	}
	return in
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
