package risk_test

import (
	"fmt"

	"sotto/risk"
)

// An annotator marks what anonymization missed. The score of a call is the sum over the
// distinct pieces; a corpus passes if the mean plus one standard deviation is below 5.
func Example() {
	table := risk.Table6()
	var scores []float64
	for _, text := range []string{
		"Thanks, (Jim Halpert)[MISSED_PERSON_NAME], and is (Jim)[MISSED_PERSON_NAME] in (Scranton)[MISSED_LOCATION]?",
		"Nothing was missed here.",
		"It ends in (0134)[MISSED_PHONE_PARTIAL].",
	} {
		call, err := table.Parse(text)
		if err != nil {
			fmt.Println(err) // the error names the place and does not quote the text
			return
		}
		var missed []risk.Piece
		for _, a := range call.Missed {
			missed = append(missed, a.Piece)
		}
		scores = append(scores, float64(table.Score(missed)))
	}
	s := risk.Summarize(scores)
	fmt.Printf("%v: mean %.2f, mean + std %.2f, passes %v\n", scores, s.Mean, s.MeanPlusStd, s.Passes)
	// Output:
	// [7 0 2]: mean 3.00, mean + std 6.61, passes false
}
