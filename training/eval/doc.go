// Package eval measures an anonymizer on labelled conversations: what was
// masked of what should have been, what was masked without need, whether one
// piece of information kept one number, and what risk the misses leave.
//
// A labelled ("gold") span is scored unless its infoType is off by default or
// is labelled only so that it can be left out: see Options.Types. Whatever a
// mask does inside a span that is not scored counts neither for nor against.
//
// Typing errors do not matter for masking: a phone number that was taken for
// an ID is masked. The confusion table reports them.
//
// Labelled conversations are personal data like any other. Errors of this
// package name file and line and never the text; only ErrorGroup, made on
// request, quotes it.
package eval
