package cli

import "golang.org/x/sys/unix"

// harden keeps the memory of the process, which holds calls, out of core dumps
// and from other processes of the same user. It does what it can: where it may
// not, nothing is worse than before.
func harden() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
