//go:build purego || (!amd64 && !arm64)

package kernel

// available returns no form besides the portable one.
func available() []*forms { return nil }
