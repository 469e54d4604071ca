package brokertest

import (
	"context"
	"fmt"
)

// MaxRecord is the largest record in bytes that the raw topic of CreateTopics accepts, so that
// oversized texts reach the processor.
const MaxRecord = 16 << 20

// Topics are the names of the five topics of DESIGN 1.1.
type Topics struct{ Raw, Clean, Audit, State, DeadLetter string }

// Env returns the settings that give `sotto run` these topics, as "NAME=value".
func (t Topics) Env() []string {
	return []string{
		"SOTTO_TOPIC_RAW=" + t.Raw,
		"SOTTO_TOPIC_CLEAN=" + t.Clean,
		"SOTTO_TOPIC_AUDIT=" + t.Audit,
		"SOTTO_TOPIC_STATE=" + t.State,
		"SOTTO_TOPIC_DEAD_LETTER=" + t.DeadLetter,
	}
}

// CreateTopics creates the five topics with unique names, all with the same number of partitions.
// The state topic is compacted.
func CreateTopics(ctx context.Context, c Cluster, partitions int32) (Topics, error) {
	t := Topics{
		Raw:        c.Name("calls.raw"),
		Clean:      c.Name("calls.clean"),
		Audit:      c.Name("calls.risk-audit"),
		State:      c.Name("calls.state"),
		DeadLetter: c.Name("calls.dead-letter"),
	}
	for _, topic := range []struct {
		name   string
		config map[string]string
	}{
		{t.Raw, map[string]string{"max.message.bytes": fmt.Sprint(MaxRecord)}},
		{t.Clean, nil},
		{t.Audit, nil},
		{t.State, map[string]string{"cleanup.policy": "compact"}},
		{t.DeadLetter, nil},
	} {
		if err := CreateTopic(ctx, c, topic.name, partitions, topic.config); err != nil {
			return Topics{}, err
		}
	}
	return t, nil
}
