package processor

import (
	"testing"
	"time"

	"sotto/config"
	"sotto/internal/lifecycle"
	"sotto/processor/partition"
	"sotto/schemas"
)

// The time in which the last transaction ended counts as a part of the interval, if the next one began
// soon after it.
func TestWhenATransactionIsDue(t *testing.T) {
	const interval = 200 * time.Millisecond
	at := time.Now()
	for name, c := range map[string]struct {
		last    lastEnd
		backlog bool
		want    time.Duration // after the transaction began
	}{
		"the first one":         {want: interval},
		"after a short end":     {last: lastEnd{at.Add(-5 * time.Millisecond), at}, want: 195 * time.Millisecond},
		"after a longer end":    {last: lastEnd{at.Add(-80 * time.Millisecond), at}, want: 120 * time.Millisecond},
		"after a very long end": {last: lastEnd{at.Add(-time.Second), at}, want: 100 * time.Millisecond},
		"after a pause":         {last: lastEnd{at.Add(-110 * time.Millisecond), at.Add(-30 * time.Millisecond)}, want: 150 * time.Millisecond},
		"after a long pause":    {last: lastEnd{at.Add(-time.Hour), at.Add(-time.Hour + time.Second)}, want: interval},
		"with a backlog":        {last: lastEnd{at.Add(-80 * time.Millisecond), at}, backlog: true, want: interval},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session{p: &Processor{settings: config.Settings{CommitInterval: interval}}, backlog: c.backlog, lastEnd: c.last, opened: at}
			if got := s.due().Sub(s.opened); got != c.want {
				t.Errorf("due after %v, want %v", got, c.want)
			}
		})
	}
}

// Polls grow only after the workers have shown how long they take, and shrink if they take too long,
// however fast their records are routed.
func TestPollsFollowTheWorkers(t *testing.T) {
	const interval = 200 * time.Millisecond
	s := &session{p: &Processor{settings: config.Settings{CommitInterval: interval}}, workers: make([]*worker, 2)}
	for range 3 {
		s.resizePolls(minPoll, time.Microsecond)
	}
	if got := s.pollSize.records(); got != minPoll {
		t.Errorf("a poll has %d records before any worker has finished one", got)
	}
	for range 10 {
		n := s.pollSize.records()
		s.work.add(time.Duration(n)*10*time.Microsecond, n)
		s.resizePolls(n, time.Microsecond)
	}
	if got := s.pollSize.records(); got != maxPoll {
		t.Errorf("with fast workers a poll has %d records", got)
	}
	s.work.add(10*5*time.Millisecond, 10)
	s.resizePolls(maxPoll, time.Microsecond)
	// Two workers at 5 ms an event, and all unfinished polls in half of the interval.
	if got, want := s.pollSize.records(), int(interval/2/unfinishedPolls/(5*time.Millisecond/2)); got != want {
		t.Errorf("with slow workers a poll has %d records, want %d", got, want)
	}
}

// A list of tasks that is used again shows nothing of the calls before.
func TestTaskListsAreEmptyAgain(t *testing.T) {
	var q queues
	list := make([]task, 3, 8)
	for i := range list {
		list[i].id = "of another call"
	}
	q.put(list)
	for _, l := range q.get(2) {
		for i := range l[:cap(l)] {
			if l[:cap(l)][i].id != "" {
				t.Fatal("a list holds a task of before")
			}
		}
		if len(l) != 0 {
			t.Fatal("a list is not empty")
		}
	}
}

// A call that failed lacks events, so its transaction aborts even if nothing else broke it.
func TestACallThatFailedIsNeverCommitted(t *testing.T) {
	p := partition.New(0, partition.Limits{Limits: lifecycle.Limits{Open: 1}, Workers: 1, OutputPartitions: func() partition.OutputPartitions { return partition.OutputPartitions{} }, AuditRate: func(string) float64 { return 0 }, Draw: func(string) float64 { return 0 }, WallClock: func() int64 { return 0 }})
	p.Begin()
	c, _ := p.Admit("c", &schemas.RawEvent{CallID: "c", Type: schemas.Utterance})
	if err := c.Begin(p.Vault); err != nil {
		t.Fatal(err)
	}
	c.Write = false
	s := &session{p: &Processor{}, parts: map[int32]*partition.Partition{0: p}}
	if s.writeStates(); s.broken.Load() != nil {
		t.Fatal("a call without failures broke the transaction")
	}
	c.Fail()
	if s.writeStates(); s.broken.Load() == nil {
		t.Error("the transaction may commit")
	}
}
