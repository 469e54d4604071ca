package processor

import (
	"sotto/anonymize"
	"sotto/internal/testkit/oracle"
	"sotto/internal/testkit/streamtest"
)

// newSerial returns what the stream must write for the current raw topic, by the engine that wrap
// returns.
func newSerial(r *rig, wrap func(engine) engine) *oracle.Output {
	r.T.Helper()
	in := r.Oracle()
	if wrap == nil {
		return streamtest.Serial(r.T, in, nil)
	}
	return streamtest.Serial(r.T, in, func(e anonymize.Anonymizer) anonymize.Anonymizer { return wrap(e) })
}
