// Package detectors holds what all detectors share: infoTypes, tokens, the
// document that they read, findings, and the resolver of overlapping findings.
//
// A text is read once. Document.Reset makes tokens with a class and a set of
// dictionary bits; the spoken package joins tokens into runs; every detector
// then works on tokens and runs and is skipped when the document holds nothing
// that could trigger it. Nothing searches the text again with a pattern.
//
// Positions are byte offsets into the raw text, end exclusive, and always lie
// on rune boundaries. Words and numbers are compared in a folded form, in which
// case, accents, look-alike letters, other scripts' digits and invisible
// characters do not count.
package detectors
