// Package telemetry is what operators see of the stream: metrics, the health of a session, and
// traces.
//
// Invariants:
//   - Nothing of a call leaves by this way. The values of labels come from fixed sets, and spans
//     have topic, partition, offset and times alone.
//   - Counters count committed transactions. Counts gathers what an open one did, and is dropped if
//     it aborts.
//   - Nothing here decides anything about an event, and nothing waits for a broker: a collector or
//     scraper that is slow or away does not slow the stream down.
package telemetry
