package indirect

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
)

// header begins every blacklist.
const header = "# sotto blacklist, k = %d, n = %d"

// Blacklist is a set of n-grams.
type Blacklist struct {
	// K and N are those of the graph.
	K, N  int
	seed  maphash.Seed
	grams map[uint64]struct{}
}

// Read reads a blacklist. Errors name the line, never its text.
func Read(r io.Reader, name string) (*Blacklist, error) {
	b := &Blacklist{seed: maphash.MakeSeed(), grams: map[uint64]struct{}{}}
	lines := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		cut := strings.TrimRight(line, "\r\n")
		switch {
		case n == 1:
			if _, err := fmt.Sscanf(cut, header, &b.K, &b.N); err != nil || b.N < 1 || b.N > MaxN || b.K < 2 || b.K > MaxK {
				return nil, fmt.Errorf("%s:1: not a blacklist of 'sotto corpus blacklist'", name)
			}
		case cut == "":
		case err != nil:
			return nil, fmt.Errorf("%s:%d: the last line has no end; the file is cut off", name, n)
		case strings.Count(cut, " ") >= b.N:
			return nil, fmt.Errorf("%s:%d: more than %d words", name, n, b.N)
		default:
			b.grams[maphash.String(b.seed, cut)] = struct{}{}
		}
		if err != nil {
			return b, nil
		}
	}
}

// Has reports whether an n-gram is in the list.
func (b *Blacklist) Has(gram string) bool {
	_, ok := b.grams[maphash.String(b.seed, gram)]
	return ok
}

// Mark sets marked[i] for each word of a turn that is part of an indirect identifier. breaks
// reports whether word i is a marker, which no n-gram goes across. maxN limits the n-grams; 0 means
// those of the list. A word that is safe on its own is marked too if an n-gram with it identifies.
func (b *Blacklist) Mark(list []string, breaks func(i int) bool, maxN int, marked []bool) {
	if maxN <= 0 || maxN > b.N {
		maxN = b.N
	}
	for i := range list {
		gram := ""
		for n := 0; n < maxN && i+n < len(list) && !breaks(i+n); n++ {
			if n > 0 {
				gram += " "
			}
			if gram += list[i+n]; b.Has(gram) {
				for k := i; k <= i+n; k++ {
					marked[k] = true
				}
			}
		}
	}
}
