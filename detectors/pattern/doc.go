// Package pattern finds what has a form: numbers, codes, addresses of every
// kind, dates. A run of the spoken package or a written form becomes a finding
// by what can be proven of it, in this order: a check digit, a structure
// together with a hotword, the answer to an open question, and last, so that
// nothing of three or more symbols escapes, NUMERIC, SPELLED_WORD and
// GENERIC_ID by form alone. A number that the words next to it show to be an
// amount, a time or a measure is left alone.
//
// Codes are bytes in folded form: digits and lower-case letters.
package pattern
