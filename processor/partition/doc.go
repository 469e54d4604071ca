// Package partition is the life of the calls in one partition of the raw topic. It has no Kafka in
// it: the session tells it what came, and asks it what to write.
//
// Invariants:
//   - What happens depends on the records and their order alone, and on the time that the session
//     says has passed without any. How much time records tell is for passing.
//   - Begin, Commit and Rollback bracket everything. After Rollback, every call, the clock and the
//     set of expired calls are as they were at Begin. So a transaction that aborts leaves nothing
//     behind.
//   - A restore from the states, the tombstones and the events after them gives the Partition that
//     committed them (States, ReplayFrom, Replay, Ready).
//   - A call that has expired never opens again: its numbers would restart at 1.
//   - The state of a call leaves this package only sealed (Call.Seal, Transcript.Write), and that
//     of a dormant call is sealed in memory too.
//   - Nothing refers to a call after the commit of its expiry.
//
// The session's goroutine owns a Partition. The worker of a call owns the fields of Call from
// StateBytes on, between the first task of a transaction and the barrier at its end.
package partition
