package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"time"

	"golang.org/x/exp/trace"
)

// stretch is a part of a trace.
type stretch struct {
	running
	from, to trace.Time
}

// busiest returns the stretch of a length in which goroutines ran for the longest time.
func busiest(all running, length time.Duration) stretch {
	slices.SortFunc(all.spans, func(a, b span) int { return int(a.from - b.from) })
	best, bestRan := stretch{}, time.Duration(-1)
	first, ran := 0, time.Duration(0)
	for _, s := range all.spans {
		ran += s.to.Sub(s.from)
		for s.to.Sub(all.spans[first].from) > length && all.spans[first] != s {
			ran -= all.spans[first].to.Sub(all.spans[first].from)
			first++
		}
		if ran > bestRan {
			best, bestRan = stretch{from: all.spans[first].from, to: s.to}, ran
		}
	}
	best.parts = all.parts
	for _, s := range all.spans {
		if s.from >= best.from && s.to <= best.to {
			best.spans = append(best.spans, s)
		}
	}
	return best
}

// procs lists the processors.
func (s *stretch) procs() []trace.ProcID {
	var all []trace.ProcID
	for _, x := range s.spans {
		if !slices.Contains(all, x.proc) {
			all = append(all, x.proc)
		}
	}
	slices.Sort(all)
	return all
}

// share returns the share of the time in which a processor ran a part.
func (s *stretch) share(proc trace.ProcID, p part) float64 {
	var ran time.Duration
	for _, x := range s.spans {
		if x.proc == proc && s.parts[x.goroutine] == p {
			ran += x.to.Sub(x.from)
		}
	}
	return float64(ran) / float64(s.to.Sub(s.from))
}

// print writes the shares of each processor.
func (s *stretch) print(out io.Writer) {
	for _, proc := range s.procs() {
		busy := 0.0
		for p := range parts {
			busy += s.share(proc, p)
		}
		fmt.Fprintf(out, "processor %d is busy for %.0f %% of %v", proc, 100*busy, s.to.Sub(s.from).Round(time.Millisecond))
		for p := range parts {
			fmt.Fprintf(out, "; %s %.0f %%", named[p].name, 100*s.share(proc, p))
		}
		fmt.Fprintln(out)
	}
}

const (
	imageWidth = 1200.0
	leftMargin = 60.0
	laneHeight = 44
	laneStep   = 56
	headHeight = 58
	// columns is the number of pixels of a lane. In each, the parts are stacked by their shares.
	columns = int(imageWidth - leftMargin - 10)
)

// draw makes an image with a lane for each processor.
func (s *stretch) draw(title string) []byte {
	lanes := s.procs()
	height := headHeight + len(lanes)*laneStep + 24
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="sans-serif" font-size="12">`+"\n",
		imageWidth, height, imageWidth, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	fmt.Fprintf(&b, `<text x="8" y="20" font-size="14">%s</text>`+"\n", html.EscapeString(title))
	x := 8.0
	for p := range parts {
		fmt.Fprintf(&b, `<rect x="%.0f" y="32" width="12" height="12" fill="%s"/><text x="%.0f" y="43">%s</text>`+"\n", x, named[p].colour, x+17, html.EscapeString(named[p].name))
		x += 40 + 6.3*float64(len(named[p].name))
	}
	for i, proc := range lanes {
		s.drawLane(&b, proc, headHeight+i*laneStep)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%d">0</text><text x="%.0f" y="%d" text-anchor="end">%v</text>`+"\n",
		leftMargin, height-8, imageWidth-10, height-8, s.to.Sub(s.from).Round(time.Millisecond))
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (s *stretch) drawLane(b *bytes.Buffer, proc trace.ProcID, y int) {
	fmt.Fprintf(b, `<text x="8" y="%d">CPU %d</text><rect x="%.0f" y="%d" width="%d" height="%d" fill="#eee"/>`+"\n", y+laneHeight/2+4, proc, leftMargin, y, columns, laneHeight)
	var filled [columns][parts]float64
	width := s.to.Sub(s.from) / time.Duration(columns)
	for _, x := range s.spans {
		if x.proc != proc {
			continue
		}
		from, to := x.from.Sub(s.from), x.to.Sub(s.from)
		for c := int(from / width); c < columns && time.Duration(c)*width < to; c++ {
			inside := min(to, time.Duration(c+1)*width) - max(from, time.Duration(c)*width)
			filled[c][s.parts[x.goroutine]] += float64(inside) / float64(width)
		}
	}
	for c := range filled {
		at := float64(y + laneHeight)
		for p := range parts {
			if h := laneHeight * filled[c][p]; h >= 0.5 {
				at -= h
				fmt.Fprintf(b, `<rect x="%.0f" y="%.1f" width="1" height="%.1f" fill="%s"/>`, leftMargin+float64(c), at, h, named[p].colour)
			}
		}
	}
	b.WriteString("\n")
}
