package main

import (
	"math"
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/spoken"
)

// The parts of train.py's encoders, forward only. Random weights take as long as
// trained ones.
const (
	embed    = 48
	features = 11
	labels   = 9
)

// turn has as many words as a turn of the development sets has on average.
const turn = "hi this is Pam from Larkmoor Mutual"

const turnWords = 7

// multiply adds x times a matrix of len(x) rows to out.
func multiply(out, x, matrix []float32) {
	n := len(out)
	for i, v := range x {
		row := matrix[i*n : i*n+n]
		for k, w := range row {
			out[k] += v * w
		}
	}
}

func matrix(n int) []float32 {
	m := make([]float32, n)
	for i := range m {
		m[i] = float32(i*7919%1000)/5000 - 0.1
	}
	return m
}

// lookup adds up the rows of a word's features.
func lookup(table []float32, word int, out []float32) {
	clear(out)
	for f := range features {
		at := (word*2654435761 + f*40503) % (len(table)/embed - 1) * embed
		for k, v := range table[at : at+embed] {
			out[k] += v
		}
	}
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

func gruPass(width int, inputs, u, h, gates, out []float32) {
	clear(h)
	for w := range turnWords {
		in := inputs[w*3*width:][:3*width]
		clear(gates)
		multiply(gates, h, u)
		for k := range h {
			r, z := sigmoid(in[k]+gates[k]), sigmoid(in[width+k]+gates[width+k])
			c := float32(math.Tanh(float64(in[2*width+k] + r*gates[2*width+k])))
			h[k] = (1-z)*c + z*h[k]
		}
		copy(out[w*width:], h)
	}
}

func benchmarkGRU(b *testing.B, width int) {
	table, in, u, last := matrix(52_000*embed), matrix(embed*3*width), matrix(width*3*width), matrix(2*width*labels)
	x, inputs, h, gates := make([]float32, embed), make([]float32, turnWords*3*width), make([]float32, width), make([]float32, 3*width)
	out, scores := make([]float32, turnWords*width), make([]float32, labels)
	for n := 0; b.Loop(); n++ {
		for range 2 { // forward and backward
			clear(inputs)
			for w := range turnWords {
				lookup(table, n+w, x)
				multiply(inputs[w*3*width:][:3*width], x, in)
			}
			gruPass(width, inputs, u, h, gates, out)
			for w := range turnWords {
				clear(scores)
				multiply(scores, out[w*width:][:width], last[:width*labels])
			}
		}
	}
}

func benchmarkConv(b *testing.B, width int) {
	table, in, mid, last := matrix(52_000*embed), matrix(5*embed*width), matrix(3*width*width), matrix(width*labels)
	x, hidden := make([]float32, (turnWords+4)*embed), make([]float32, (turnWords+2)*width)
	second, scores := make([]float32, width), make([]float32, labels)
	for n := 0; b.Loop(); n++ {
		clear(hidden)
		for w := range turnWords {
			lookup(table, n+w, x[(w+2)*embed:][:embed])
		}
		for w := range turnWords {
			h := hidden[(w+1)*width:][:width]
			multiply(h, x[w*embed:][:5*embed], in)
			for k := range h {
				h[k] = max(h[k], 0)
			}
		}
		for w := range turnWords {
			clear(second)
			multiply(second, hidden[w*width:][:3*width], mid)
			clear(scores)
			multiply(scores, second, last)
		}
	}
}

// BenchmarkTurn times one turn.
func BenchmarkTurn(b *testing.B) {
	b.Run("gru 48", func(b *testing.B) { benchmarkGRU(b, 48) })
	b.Run("gru 16", func(b *testing.B) { benchmarkGRU(b, 16) })
	b.Run("conv 64", func(b *testing.B) { benchmarkConv(b, 64) })
	b.Run("tagger", func(b *testing.B) {
		var d detectors.Document
		d.Reset(turn)
		spoken.Scan(&d)
		tagger := ner.NewTagger(ner.Builtin())
		for b.Loop() {
			tagger.Tag(&d)
		}
	})
}
