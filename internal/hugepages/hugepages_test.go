package hugepages

import (
	"testing"
	"unsafe"
)

// Whatever the system permits, a table is of n zero values that can be written, and a large one begins
// at a huge page.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, size / 8, size/8 + 1, 3*size/8 - 1} {
		table := Make[uint64](n)
		if len(table) != n || cap(table) != n {
			t.Fatalf("a table of %d has %d of %d", n, len(table), cap(table))
		}
		for i, x := range table {
			if x != 0 {
				t.Fatalf("table of %d: value %d is %d", n, i, x)
			}
			table[i] = uint64(i)
		}
		if n*8 >= size && uintptr(unsafe.Pointer(&table[0]))%size != 0 {
			t.Errorf("a table of %d does not begin at a huge page", n)
		}
	}
	if odd := Make[[3]byte](size); len(odd) != size {
		t.Errorf("a table of %d has %d", size, len(odd))
	}
}
