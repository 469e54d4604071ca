//go:build !purego

package sequence

// The functions in chain_amd64.s use SSE2, which every amd64 processor has. They add up in the same
// order as those in portable.go, so that they return the same bits.

//go:noescape
func timesTransposed(m *matrix, v, out *Vector)

//go:noescape
func times(m *matrix, v, out *Vector)

//go:noescape
func emit(scores, e *Vector) float32

func (f *Factors) into(v, out *Vector) { timesTransposed(&f.after, v, out) }

func (f *Factors) from(w, out *Vector) { times(&f.before, w, out) }
