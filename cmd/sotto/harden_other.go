//go:build !linux

package main

// harden is for Linux only.
func harden() {}
