// Package heap measures the memory that tests and benchmarks hold and allocate.
package heap

import "runtime"

// Live returns the bytes of the objects that are still reachable. Other goroutines must not allocate
// meanwhile. Keep the measured objects alive with runtime.KeepAlive.
func Live() int64 {
	runtime.GC()
	runtime.GC() // frees objects of finalizers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Allocated returns how many bytes f allocates if no buffer is left from before, which unlike its time does
// not depend on what else the machine does. Nothing else of the process may run meanwhile.
func Allocated(f func()) float64 {
	Live()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
