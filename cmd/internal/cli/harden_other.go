//go:build !linux

package cli

func harden() {}
