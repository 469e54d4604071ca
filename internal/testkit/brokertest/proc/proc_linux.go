package proc

import "syscall"

// attributes puts the program into a group of its own, so that an interrupt
// typed in a terminal reaches it only through the test, and has the kernel kill
// it when the test dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
