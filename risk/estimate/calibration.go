package estimate

import (
	"math"

	"sotto/risk"
)

// The figures of a call that are no kind of candidate, behind those: utterances, and the pieces of
// information that were masked.
const (
	utteranceFigure = int(kinds) + iota
	indirectFigure
	directFigure
	birthFigure
	figures
)

// Figures are what the risk of a call is estimated from: how many candidates of each kind it has, and
// the figures behind them.
type Figures [figures]float64

// Weights are the points that one of each figure adds to the expected risk.
type Weights [figures]float64

// Figures returns what Risk is computed from.
func (l CandidateSet) Figures(utterances int64, found Found) (f Figures) {
	for _, k := range l.keys {
		f[k&kindMask]++
	}
	f[utteranceFigure], f[indirectFigure] = float64(utterances), float64(found.All-found.Direct-found.Birth)
	f[directFigure], f[birthFigure] = float64(found.Direct), float64(found.Birth)
	return f
}

// Name names figure k for people.
func Name(k int) string {
	switch k {
	case utteranceFigure:
		return "utterance"
	case indirectFigure:
		return "indirect identifier masked"
	case directFigure:
		return "direct identifier masked"
	case birthFigure:
		return "age or date of birth masked"
	}
	return Kind(k).String()
}

const (
	// pieceScore is what a missed piece of information scores on average.
	pieceScore = 4.5
	// upperDeviations is the 95th percentile of the normal distribution.
	upperDeviations = 1.64
)

// Upper is a risk that a call with this estimate exceeds with a probability of about one in twenty: the
// missed pieces of a call are taken to be Poisson distributed. It has three decimals.
func Upper(estimated float64) float64 {
	return math.Round(1000*(estimated+float64(upperDeviations*math.Sqrt(pieceScore*estimated)))) / 1000
}

// leftoverProbability is how likely it is that a word that the closing pass masks had been
// missed: of 294 in labelled conversations 207 lay in a labelled span.
const leftoverProbability = 0.7

// Leftover is what a piece of information of this infoType adds to the expected
// risk, in thousandths of a point, that the closing pass found unmasked. ofSpeaker
// says that it is a speaker's own organization or product.
func Leftover(infoType string, ofSpeaker bool) int64 {
	return int64(math.Round(1000 * leftoverProbability * float64(table.Points(risk.Piece{Type: infoType, Speaker: ofSpeaker}))))
}

// Plus adds thousandths of a point to an estimate, without an error of rounding.
func Plus(estimate float64, milli int64) float64 {
	return float64(int64(math.Round(1000*estimate))+milli) / 1000
}

// Kinds lists all kinds of candidates.
func Kinds() []Kind {
	all := make([]Kind, 0, kinds-1)
	for k := none + 1; k < kinds; k++ {
		all = append(all, k)
	}
	return all
}

// Probability is how likely it is, roughly, that a candidate of this kind is a piece of information that
// was missed: what it adds to the estimate, by what a missed piece scores on average.
func Probability(k Kind) float64 { return min(1, float64(milli[k])/1000/pieceScore) }
