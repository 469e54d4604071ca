// Package estimate tells how much risk is likely left in a call, from nothing
// but its anonymized text.
//
// It looks at the text a second time with the most sensitive settings: what
// still looks as if it could be somebody's (numbers, codes, spelled letters,
// names and words that English does not know) is a candidate. Each kind of
// candidate has the probability with which it is a piece of information that
// was missed, and the points of Table 6 that it then has on average; both were
// measured on labelled conversations (gen.go). What leaves no trace that could
// be seen is accounted for by what was found: a call with ten names has more
// missed ones than a call with one. The sum is the expected residual risk, in
// points of package risk.
//
// The estimate is a function of the text, exact in whole thousandths of a
// point, so that a replay gives the same number to the last bit.
package estimate
