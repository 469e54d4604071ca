package hugepages

import "syscall"

// advise asks for huge pages for memory that was not used yet. If the system has none, nothing changes.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
