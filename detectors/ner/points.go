package ner

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
	"sotto/internal/ruledata"
)

// Sensitivity names an operating point: how likely a value must be to be masked.
type Sensitivity string

// The operating points. Each masks what the ones before it mask, and more without need.
const (
	Balanced Sensitivity = "balanced"
	High     Sensitivity = "high"
	Maximum  Sensitivity = "maximum"
)

// Sensitivities are the operating points in their order.
func Sensitivities() []Sensitivity { return []Sensitivity{Balanced, High, Maximum} }

// Thresholds are those of one operating point.
type Thresholds struct {
	// Kinds has the mean probability of its words from which a value of each kind is masked.
	Kinds [NumKinds]float32
	// Beside is the probability from which a word beside a masked value belongs to it.
	Beside float32
	// Date is how likely a date must be one of birth, by what surrounds it, to be masked as one.
	Date float32
	// Finished is the probability from which the encoder's reading of a finished call masks.
	Finished float32
	// Encoded says that they are for probabilities of which the encoder's are a part.
	Encoded bool
}

// kindNames are the names of the kinds in points.txt.
var kindNames = [NumKinds]string{
	sequence.Person: "person", sequence.Organization: "organization", sequence.Location: "location", sequence.Product: "product",
	sequence.Address: "address", sequence.Online: "online", sequence.User: "user", sequence.Phone: "phone", sequence.Code: "code",
	sequence.Birth: "birth", sequence.Age: "age", sequence.Medical: "medical", sequence.Numeric: "numeric",
}

// The thresholds with the encoder, and without it.
var (
	//go:embed points.txt
	pointsText string
	//go:embed fast.txt
	fastText string
	//go:embed byhand.txt
	byHandText string

	byHand     = ruledata.Text("detectors/ner/byhand.txt", byHandText)
	points     = mustParsePoints(ruledata.Text("detectors/ner/points.txt", pointsText), true)
	fastPoints = mustParsePoints(ruledata.Text("detectors/ner/fast.txt", fastText), false)
)

// ThresholdsOf returns the thresholds of an operating point, with the encoder or without it; ok is false if there is none of this name.
func ThresholdsOf(s Sensitivity, encoded bool) (t Thresholds, ok bool) {
	t, ok = pointsOf(encoded)[s]
	return t, ok
}

func pointsOf(encoded bool) map[Sensitivity]Thresholds {
	if encoded {
		return points
	}
	return fastPoints
}

// Move takes for the values of one infoType the thresholds of another operating point. ok is false if the tagger
// finds none that it calls so, and instead is then the infoType whose thresholds they have, if any.
func (t *Thresholds) Move(infoType detectors.InfoType, s Sensitivity) (instead detectors.InfoType, ok bool) {
	k := sequence.KindOfType(infoType)
	if kindNames[k] == "" || sequence.Types[k] != infoType {
		return sequence.Types[k], false
	}
	other := pointsOf(t.Encoded)[s]
	t.Kinds[k] = other.Kinds[k]
	if k == sequence.Birth {
		t.Date = other.Date
	}
	return infoType, true
}

// mustParsePoints reads points.txt or fast.txt, with what was set by hand: a line for each kind and for the other thresholds,
// with those of the operating points in their order.
func mustParsePoints(text string, encoded bool) map[Sensitivity]Thresholds {
	values := map[string]*[3]float32{}
	readPoints(values, text)
	readPoints(values, byHand)
	out := map[Sensitivity]Thresholds{}
	for i, s := range Sensitivities() {
		t := Thresholds{Beside: values["beside"][i], Date: values["date"][i], Encoded: encoded}
		if encoded {
			t.Finished = values["finished"][i]
		}
		for k, name := range kindNames {
			if name != "" {
				t.Kinds[k] = values[name][i]
			}
		}
		out[s] = t
	}
	return out
}

// readPoints reads thresholds over those that are there.
func readPoints(values map[string]*[3]float32, text string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) != 1+len(Sensitivities()) {
			panic("points.txt: a line does not have a threshold for each operating point")
		}
		row := values[f[0]]
		if row == nil {
			row = new([3]float32)
			values[f[0]] = row
		}
		for i, x := range f[1:] {
			if x == "-" {
				continue
			}
			v, err := strconv.ParseFloat(x, 32)
			if err != nil || v <= 0 || v > 1 {
				panic("points.txt: a threshold is no probability")
			}
			row[i] = float32(v)
		}
	}
}

// WritePoints returns the text of points.txt with these thresholds, without those that are set by hand.
func WritePoints(of map[Sensitivity]Thresholds) string {
	var b strings.Builder
	b.WriteString("# The probabilities from which a value of each kind is masked, by operating point: balanced, high, maximum.\n" +
		"# From 'beside' on, a word next to a masked value belongs to it. Written by 'make points';\n" +
		"# what was set by hand is in byhand.txt, which goes before.\n")
	line := func(name string, value func(Thresholds) float32) {
		fmt.Fprintf(&b, "%-12s", name)
		for _, s := range Sensitivities() {
			fmt.Fprintf(&b, " %.3f", value(of[s]))
		}
		b.WriteByte('\n')
	}
	for k, name := range kindNames {
		if name != "" {
			line(name, func(t Thresholds) float32 { return t.Kinds[k] })
		}
	}
	line("beside", func(t Thresholds) float32 { return t.Beside })
	return b.String()
}
