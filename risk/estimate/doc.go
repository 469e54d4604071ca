// Package estimate estimates how much risk is left in a call, from its anonymized text alone.
//
// It scans the text with the most sensitive settings: what still may be personal (numbers, codes,
// spelled letters, names, and words that are not English) is a candidate. Each kind of candidate
// has the probability that it is a piece of information that was missed, and the points of Table
// 6 that it then has on average; both were measured on labelled conversations (gen.go). Misses
// that leave no candidate are estimated from what was found: a call with ten names has more
// missed ones than a call with one. The sum is the expected residual risk, in points of package
// risk.
//
// The estimate is a function of the text, exact in whole thousandths of a
// point, so that a replay gives the same number to the last bit.
package estimate
