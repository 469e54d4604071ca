package files

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"sotto/schemas"
)

// identify gives the calls of a file the IDs that they have outside of it. A call without an ID has the name of its file, which
// the output folder shows too.
func (j *Job) identify(name string, calls []CallResult) {
	for n := range calls {
		id := calls[n].ID
		if id == "" {
			id = cmp.Or(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), "call")
			if n > 0 {
				id += fmt.Sprintf("-%d", n+1)
			}
		}
		if j.CallID != nil {
			id = j.CallID(id)
		}
		calls[n].ID = id
	}
}

// events writes the turns of calls as CleanEvent lines with an END, as the stream writes them.
func (j *Job) events(ctx context.Context, calls []CallResult) (out []byte, err error) {
	codec, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if len(c.events) == 0 {
			continue
		}
		last := c.events[len(c.events)-1]
		end := &schemas.CleanEvent{Type: schemas.End, Seq: last.Seq + 1, Entities: []schemas.Entity{}, Policy: last.Policy, Strategy: last.Strategy, Call: c.Summary}
		for _, e := range append(c.events, end) {
			e.CallID = c.ID
			if out, err = codec.AppendClean(out, e); err != nil {
				return nil, err
			}
			out = append(out, '\n')
		}
	}
	return out, nil
}
