//go:build !linux

package proc

import "time"

// OwnCPU is not known on this system.
func OwnCPU() time.Duration { return 0 }

// CPU is not known on this system.
func (p *Process) CPU() time.Duration { return 0 }
