package processor

// firedTimer is a timer of a call that has fired.
type firedTimer struct {
	call *call
	what timerKind
}

type timerKind uint8

const (
	// timerIdle ends a call without recent events.
	timerIdle timerKind = iota
	// timerGrace expires a call whose grace period is over.
	timerGrace
	// timerHold may release what is deferred in a call.
	timerHold
)

type callTimer struct {
	at   int64
	call *call
}

type timerHeap []callTimer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(callTimer)) }
func (h *timerHeap) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = callTimer{}
	*h = old[:len(old)-1]
	return a
}
