// Package ingest receives the webhooks of recognizers and telephony platforms and writes their bodies, unchanged, to the raw topic.
//
// A request is answered with 200 only after every in-sync replica has its record. Whatever else happens, the sender gets another
// status, and sends again if it does that at all: so a body may be written twice, and none that was acknowledged is lost. What a
// vendor sends twice, and in another order, the stream recognizes by the mapping.
//
// Only who knows a secret gets in. A body is neither changed nor judged: whether it is an event is decided where it is read, and
// counted there. The only thing that is read of it here is the ID of its call, which is the key of its record.
//
// Nothing of a request is in a log, a metric, an error or an answer, except in that to the challenge of Zoom.
package ingest
