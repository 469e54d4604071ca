// Package allocated measures how much a function allocates, which unlike its time does not depend on
// what else the machine does.
package allocated

import "runtime"

// Bytes returns how many bytes f allocates if no buffer is left from before. Nothing else of the process
// may run meanwhile.
func Bytes(f func()) float64 {
	runtime.GC()
	runtime.GC() // a sync.Pool keeps its contents for one collection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
