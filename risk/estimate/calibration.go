package estimate

import (
	"crypto/sha256"
	"fmt"
	"math"

	"sotto/detectors/ner"
	"sotto/risk"
	"sotto/state"
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

// Weights are what one of each figure adds to the expected risk, in thousandths of a point. They were fitted
// for one operating point of detection: where more is masked, what is left over is less often personal.
type Weights [figures]int64

// At returns the weights of an operating point.
func At(s ner.Sensitivity) *Weights { return byPoint[s] }

var byPoint = map[ner.Sensitivity]*Weights{}

func init() {
	for i, s := range ner.Sensitivities() {
		byPoint[s] = &Weights{}
		for k, row := range weights {
			byPoint[s][k+1] = row[i]
		}
	}
}

// Digest is a hash of the weights, for the policy hash.
func (w *Weights) Digest() [sha256.Size]byte { return sha256.Sum256(fmt.Append(nil, *w)) }

// Risk is the expected residual risk of a call so far, in points: of the candidates in it, given how many
// utterances it had and what was masked in them. It has three decimals and never decreases during a call.
func (w *Weights) Risk(l CandidateSet, utterances int64, found Found) float64 {
	sum := w[utteranceFigure]*utterances + w[directFigure]*found.Direct + w[birthFigure]*found.Birth +
		w[indirectFigure]*(found.All-found.Direct-found.Birth)
	for _, k := range l.keys {
		sum += w[k&kindMask]
	}
	return float64(sum) / 1000
}

// CallRisk is Risk with what the call's state counts as masked.
func (w *Weights) CallRisk(l CandidateSet, utterances int64, memory *state.Call) float64 {
	var found Found
	memory.EachCount(found.Add)
	return w.Risk(l, utterances, found)
}

// Probability is how likely it is, roughly, that a candidate of this kind is a piece of information that
// was missed: what it adds to the estimate, by what a missed piece scores on average.
func (w *Weights) Probability(k Kind) float64 { return min(1, float64(w[k])/1000/pieceScore) }

// Figures returns what Risk is computed from.
func (l CandidateSet) Figures(utterances int64, found Found) (f Figures) {
	for _, k := range l.keys {
		f[k&kindMask]++
	}
	f[utteranceFigure], f[indirectFigure] = float64(utterances), float64(found.All-found.Direct-found.Birth)
	f[directFigure], f[birthFigure] = float64(found.Direct), float64(found.Birth)
	return f
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
