//go:build !js

package boundedfile

import "syscall"

// nonBlocking is a flag of open. Without it, opening a pipe blocks until somebody writes to it.
const nonBlocking = syscall.O_NONBLOCK
