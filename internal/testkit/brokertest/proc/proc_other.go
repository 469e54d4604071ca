//go:build !linux

package proc

import "syscall"

// attributes puts the program into a group of its own, so that an interrupt
// typed in a terminal reaches it only through the test.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
