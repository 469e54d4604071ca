package files

import (
	"fmt"
	"testing"

	"sotto/internal/testkit/lifetest"
)

// fileCalls are the calls of an input. Other calls that end are the time that passes.
type fileCalls struct {
	*calls
	others *int
}

func (f fileCalls) Event(id string) lifetest.Outcome { return f.event(id, false) }
func (f fileCalls) End(id string) lifetest.Outcome   { return f.event(id, true) }

func (f fileCalls) event(id string, over bool) lifetest.Outcome {
	c := f.get(id)
	if c == nil {
		return lifetest.Late
	}
	known := c.Utterances > 0
	c.Utterances++
	if over {
		f.end(c)
	}
	if known {
		return lifetest.Continues
	}
	return lifetest.Opens
}

func (f fileCalls) Pass(calls int64) {
	for range calls {
		*f.others++
		f.end(f.get(fmt.Sprint("other ", *f.others)))
	}
}

// Len does not count the calls that are the time.
func (f fileCalls) Len() int { return f.table.Len() - min(*f.others, keepInTests) }

const keepInTests = 10

func TestTheLifeOfACall(t *testing.T) {
	lifetest.Run(t, lifetest.Limits{Grace: keepInTests}, func(*testing.T) lifetest.Calls {
		return fileCalls{newCalls(keepInTests), new(int)}
	})
}
