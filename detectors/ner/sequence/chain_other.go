//go:build !amd64 || purego

package sequence

func (f *Factors) into(v, out *Vector) { intoPortable(f, v, out) }

func (f *Factors) from(w, out *Vector) { fromPortable(f, w, out) }

func emit(scores, e *Vector) float32 { return emitPortable(scores, e) }
