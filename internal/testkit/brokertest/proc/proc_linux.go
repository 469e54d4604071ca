package proc

import "syscall"

// attributes puts the program into its own group, so that an interrupt from the terminal reaches it
// only through the test, and makes the kernel kill it when the test dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
