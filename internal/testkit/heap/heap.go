// Package heap measures the memory that tests and benchmarks hold.
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
