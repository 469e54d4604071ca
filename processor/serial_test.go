package processor

import (
	"sotto/anonymize"
	"sotto/internal/testkit/oracle"
	"sotto/internal/testkit/streamtest"
)

// newSerial returns what the stream must write for the current raw topic, by the engine that wrap
// returns.
func newSerial(r *rig, wrap func(engine) engine) *oracle.Output {
	r.t.Helper()
	in := oracle.Input{Settings: &r.set, Codec: r.codec, Raw: r.read(r.topics.Raw)}
	if wrap == nil {
		return streamtest.Serial(r.t, in, nil)
	}
	return streamtest.Serial(r.t, in, func(e anonymize.Anonymizer) anonymize.Anonymizer { return wrap(e) })
}
