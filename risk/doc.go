// Package risk measures what anonymization left behind: it scores the pieces
// of personal information that were missed in a call, reads the annotations in
// which people report them, and decides whether a corpus is safe enough.
//
// The method is that of Zhang et al., "Data Anonymization for
// Privacy-Preserving Large Language Model Fine-Tuning on Call Transcripts"
// (EMNLP 2024 Industry Track), called "the paper" below.
//
// Everything here works on text that may be personal. No error of this package
// repeats any of it; errors name places instead.
package risk
