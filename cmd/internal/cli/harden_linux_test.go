package cli

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestMemoryStaysOutOfCoreDumps(t *testing.T) {
	dumpable := func() int {
		t.Helper()
		n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := dumpable()
	t.Cleanup(func() {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(before), 0, 0, 0); err != nil {
			t.Error(err)
		}
	})
	harden()
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		t.Fatal(err)
	}
	if core.Cur != 0 || core.Max != 0 || dumpable() != 0 {
		t.Errorf("the limit of core dumps is %+v, dumpable is %d", core, dumpable())
	}
}
