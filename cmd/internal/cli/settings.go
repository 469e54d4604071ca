package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"sotto/anonymize"
	"sotto/config"
)

// LoadSettings reads the settings. An error is a configuration error.
func LoadSettings(sys System) (config.Settings, error) {
	s, err := config.Load(sys.Environ)
	if err != nil {
		return s, Exit(Usage, err)
	}
	return s, nil
}

// NewEngine returns the engine of the settings. An error is a configuration error.
func NewEngine(s config.Settings) (*anonymize.Engine, error) {
	e, err := s.NewEngine()
	if err != nil {
		return nil, Exit(Usage, err)
	}
	return e, nil
}

// OpenInput opens a file for reading. The error says what to do.
func OpenInput(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, UsageError("there is no file %s; give an existing FILE, or none to read standard input", path)
	case err != nil:
		return nil, UsageError("%v; give a FILE that can be read", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, UsageError("%s is a folder; give a FILE", path)
	}
	return f, nil
}

// ReadInput reads a file with a function that takes its name for errors.
func ReadInput[T any](path string, read func(in io.Reader, name string) (T, error)) (T, error) {
	f, err := OpenInput(path)
	if err != nil {
		return *new(T), err
	}
	defer f.Close()
	return read(f, path)
}

// WithoutRemote fails if the settings name a remote tier, which a command does not ask: its result
// would look as if the tier had been asked.
func WithoutRemote(s *config.Settings, command string) error {
	if s.RemoteTier == "" {
		return nil
	}
	return UsageError("'sotto %s' does not ask remote detection tiers; unset SOTTO_REMOTE_TIER", command)
}
