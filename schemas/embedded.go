package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// The schemas hold words from closed sets (type, role, closed_by, infoTypes) as
// plain strings and not as enums. A symbol that is added to an enum breaks every
// reader that has the older schema: with a default it silently reads as another
// word, without one the record is lost, and registries and libraries differ in
// which of the two they check. A string leaves the decision to the reader, which
// here takes an unknown role as UNKNOWN and refuses an unknown type.
//
//go:embed *.avsc history/*.avsc
var files embed.FS

type eventKind int

const (
	rawEvent eventKind = iota
	cleanEvent
	auditEvent
	deadLetter
	numKinds
)

var recordNames = [numKinds]string{"RawEvent", "CleanEvent", "AuditEvent", "DeadLetter"}

// family is what this program knows of one event's schema.
type family struct {
	text    string             // of the current schema, compact
	current *Schema            // what events are written with
	known   map[uint64]*Schema // by fingerprint: current and history
}

// families holds the embedded schemas. Tests load them all, so that a failure
// cannot be met in production.
var families = sync.OnceValue(func() (all [numKinds]*family) {
	for k, name := range recordNames {
		f, err := loadFamily(name)
		if err != nil {
			panic(fmt.Sprintf("schemas: embedded schema %s: %v", name, err))
		}
		all[k] = f
	}
	return all
})

func loadFamily(name string) (*family, error) {
	text, err := files.ReadFile(name + ".avsc")
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	f := &family{text: compact.String(), known: map[uint64]*Schema{}}
	if f.current, err = ParseSchema(f.text); err != nil {
		return nil, err
	}
	released, err := fs.Glob(files, "history/"+name+".v*.avsc")
	if err != nil {
		return nil, err
	}
	for _, path := range released {
		text, err := files.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s, err := ParseSchema(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimPrefix(path, "history/"), err)
		}
		f.known[s.fingerprint] = s
	}
	f.known[f.current.fingerprint] = f.current
	return f, nil
}
