// Package serve serves the engine over HTTP: texts and whole conversations, live calls, files, and
// the analyzer and anonymizer endpoints of Presidio.
//
//	server.go        New, Run, the routes, what is reloaded
//	middleware.go    what every request goes through: panics, metrics, authentication, limits
//	auth.go          bearer tokens and TLS
//	errors.go        errors of requests; none shows anything of a request
//	body.go          reads and writes bodies
//	lane.go          how many requests are worked on, and what memory they may take
//	room.go          how large a response may become
//	conversation.go  one call on its way through the engine
//	anonymize.go     POST /v1/anonymize
//	calls.go         the live calls: what one remembers, how many, how large, for how long
//	live.go          POST /v1/calls/{id}/...
//	files.go         POST /v1/files
//	policy.go        GET /v1/policy
//	presidio.go      /analyze, /anonymize and the other endpoints of Presidio; package presidio does the work
//
// openapi.yaml describes the endpoints. The tests check every request and response against it.
package serve
