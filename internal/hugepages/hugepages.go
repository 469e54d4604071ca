// Package hugepages makes large tables that are read at random places. On huge pages, which Linux has,
// such a read needs no look-up of its page in memory.
package hugepages

import "unsafe"

// size is that of a huge page on the processors that Sotto is built for. Where it is another one, the
// memory is as usual.
const size = 2 << 20

// Make is make([]T, n) on huge pages, if the system permits them for memory that asks for them
// (/sys/kernel/mm/transparent_hugepage/enabled is "madvise" or "always"). The memory is the heap's. T
// must have no pointers.
func Make[T any](n int) []T {
	each := int(unsafe.Sizeof(*new(T)))
	if n*each < size/2 || size%each != 0 {
		return make([]T, n)
	}
	whole := (n*each + size - 1) / size * size
	all := make([]T, (whole+size)/each)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	skip := int(-start % size)
	if skip%each != 0 {
		return all[:n:n]
	}
	all = all[skip/each:]
	advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), whole))
	return all[:n:n]
}
