//go:build !linux

package proc

import (
	"syscall"
	"time"
)

// attributes puts the program into its own group, so that an interrupt from the terminal reaches it
// only through the test.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// OwnCPU is not known on this system.
func OwnCPU() time.Duration { return 0 }

// CPU is not known on this system.
func (p *Process) CPU() time.Duration { return 0 }
