package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// neuralResults is the output of neural.py.
type neuralResults struct {
	Layers     int `json:"layers"`
	Width      int `json:"width"`
	Heads      int `json:"heads"`
	Context    int `json:"context"`
	Vocabulary int `json:"vocabulary"`
	Parameters int `json:"parameters"`
	Seeds      int `json:"seeds"`

	PretrainEpochs int `json:"pretrain_epochs"`
	FillerEpochs   int `json:"filler_epochs"`
	AdaptEpochs    int `json:"adapt_epochs"`

	// Calls and Tokens are those of the generic, the private and the test part; Direct and Indirect
	// count identifiers.
	Calls    [3]int `json:"calls"`
	Tokens   [3]int `json:"tokens"`
	Direct   int    `json:"direct"`
	Indirect int    `json:"indirect"`

	// Perplexity is by row and technique, for each seed.
	Perplexity map[string]map[string][]float64 `json:"perplexity"`
	Privacy    []neuralPoint                   `json:"privacy"`
}

// neuralPoint is a model that was trained with a protection for some epochs.
type neuralPoint struct {
	Protection string  `json:"protection"`
	Epochs     int     `json:"epochs"`
	Privacy    float64 `json:"privacy"`
	Direct     float64 `json:"direct"`
	Indirect   float64 `json:"indirect"`
	Own        float64 `json:"own"`
	Others     float64 `json:"others"`
	AUC        float64 `json:"auc"`
	Inside     float64 `json:"inside"`
	Outside    float64 `json:"outside"`
}

// writeNeural adds the results of neural.py to the report, and draws their plot.
func writeNeural(b *strings.Builder, file, out string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r neuralResults
	if err := json.Unmarshal(content, &r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(b, neuralText, r.Layers, r.Width, r.Heads, r.Context, float64(r.Parameters)/1e6, r.Vocabulary,
		r.Calls[0], r.Tokens[0], r.Calls[1], r.Tokens[1], r.Calls[2], r.Tokens[2], r.PretrainEpochs, r.FillerEpochs, r.AdaptEpochs, r.Seeds)
	r.perplexityTable(b)
	fmt.Fprintf(b, neuralPrivacyText, r.Direct, r.Indirect)
	curves := r.privacyTable(b)
	b.WriteString(neuralMembershipText)
	r.membershipTable(b)
	return os.WriteFile(filepath.Join(out, "experiments-neural.svg"), []byte(draw(curves)), 0o644)
}

func (r *neuralResults) perplexityTable(b *strings.Builder) {
	fmt.Fprintf(b, "| adapted to | %s |\n|---|%s\n", strings.Join(techniques, " | "), strings.Repeat("---|", len(techniques)))
	for _, name := range perplexityRows {
		fmt.Fprintf(b, "| %s |", name)
		for _, technique := range techniques {
			fmt.Fprintf(b, " %s |", spread(r.Perplexity[name][technique], 1))
		}
		b.WriteString("\n")
	}
}

// efforts are the numbers of epochs after which privacy was measured.
func (r *neuralResults) efforts() (all []int) {
	for _, p := range r.Privacy {
		all = append(all, p.Epochs)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// values returns one figure of the models of a protection and a number of epochs, for each seed.
func (r *neuralResults) values(protection string, epochs int, of func(neuralPoint) float64) (out []float64) {
	for _, p := range r.Privacy {
		if p.Protection == protection && p.Epochs == epochs {
			out = append(out, of(p))
		}
	}
	return out
}

func (r *neuralResults) privacyTable(b *strings.Builder) (curves []curve) {
	b.WriteString("| protection | epochs | accuracy on its own calls | accuracy on other calls | privacy | direct | indirect |\n|---|---|---|---|---|---|---|\n")
	own, privacy := func(p neuralPoint) float64 { return p.Own }, func(p neuralPoint) float64 { return p.Privacy }
	for _, p := range protections {
		c := curve{name: p.name}
		for _, epochs := range r.efforts() {
			fmt.Fprintf(b, "| %s | %d |", p.name, epochs)
			for _, of := range []func(neuralPoint) float64{
				own, func(p neuralPoint) float64 { return p.Others }, privacy,
				func(p neuralPoint) float64 { return p.Direct }, func(p neuralPoint) float64 { return p.Indirect },
			} {
				fmt.Fprintf(b, " %s |", spread(r.values(p.name, epochs, of), 3))
			}
			b.WriteString("\n")
			x, _ := meanAndDeviation(r.values(p.name, epochs, privacy))
			y, _ := meanAndDeviation(r.values(p.name, epochs, own))
			c.points = append(c.points, [2]float64{x, y})
		}
		curves = append(curves, c)
	}
	return curves
}

func (r *neuralResults) membershipTable(b *strings.Builder) {
	b.WriteString("| protection | epochs | AUC of the loss | calls with a predicted identifier: trained on | not trained on |\n|---|---|---|---|---|\n")
	for _, p := range protections {
		for _, epochs := range r.efforts() {
			fmt.Fprintf(b, "| %s | %d |", p.name, epochs)
			for _, of := range []func(neuralPoint) float64{
				func(p neuralPoint) float64 { return p.AUC }, func(p neuralPoint) float64 { return p.Inside }, func(p neuralPoint) float64 { return p.Outside },
			} {
				fmt.Fprintf(b, " %s |", spread(r.values(p.name, epochs, of), 3))
			}
			b.WriteString("\n")
		}
	}
}
