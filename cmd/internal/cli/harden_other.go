//go:build !linux

package cli

// harden is for Linux only.
func harden() {}
