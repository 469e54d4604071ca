package cleantopic

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// Headers are those that the record of an event has by docs/consumers.md, without that of a trace.
func Headers(e *schemas.CleanEvent) (headers []kgo.RecordHeader) {
	add := func(name, value string) {
		headers = append(headers, kgo.RecordHeader{Key: name, Value: []byte(value)})
	}
	add("sotto-type", string(e.Type))
	add("sotto-policy", e.Policy)
	switch {
	case e.Type == schemas.Utterance && (e.Speaker == nil || e.Speaker.Role == ""):
		add("sotto-role", "UNKNOWN")
	case e.Type == schemas.Utterance:
		add("sotto-role", string(e.Speaker.Role))
	case e.Type == schemas.End:
		add("sotto-release", fmt.Sprint(e.Call != nil && e.Call.Release))
	}
	if e.Tenant != "" {
		add("sotto-tenant", e.Tenant)
	}
	return headers
}
