package processor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/anonymize/intake"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// hostile are records that used to stop their partition, by the reason of their dead letters.
func hostile(r *rig) map[string]*kgo.Record {
	long := func(n int) string { return strings.Repeat("x", n) }
	event := func(change func(*schemas.RawEvent)) *kgo.Record {
		e := utterance("hostile", 1, "s1", "good morning")
		change(e)
		rec := r.Raw(0, e)
		rec.Key = []byte("hostile")
		return rec
	}
	return map[string]*kgo.Record{
		intake.CallIDTooLong:  event(func(e *schemas.RawEvent) { e.CallID = long(600_000) }),
		intake.ContextTooLong: event(func(e *schemas.RawEvent) { e.Context = long(600_000) }),
		intake.TenantTooLong:  event(func(e *schemas.RawEvent) { e.Tenant = long(600_000) }),
		// The dead letter of an oversized event must fit, whatever its call ID is.
		intake.RecordTooLarge: event(func(e *schemas.RawEvent) { e.CallID, e.Text = long(560_000), long(600_000) }),
		intake.SpeakerTooLong: event(func(e *schemas.RawEvent) { e.Speaker.Label = long(300) }),
		intake.TooManyParticipants: event(func(e *schemas.RawEvent) {
			e.Type, e.Text, e.Participants = schemas.Start, "", make([]schemas.Participant, 4500)
		}),
	}
}

func TestOneRecordDoesNotStopAPartition(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"keep", "hash"} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, 1)
			r.Set.CallID = mode
			in := r.start("a")
			bad := hostile(r)
			want := map[string]bool{}
			r.Feed(speech(r, "before", 1, 2)...)
			for reason, rec := range bad {
				want[reason] = true
				r.Feed(rec)
			}
			r.Feed(speech(r, "after", 1, 2)...)
			r.Await(r.Topics.Clean, 4)
			for _, d := range r.DeadLetters() {
				delete(want, d.Reason)
				if len(d.CallID) > 256 {
					t.Errorf("%s: the dead letter repeats a call ID of %d bytes", d.Reason, len(d.CallID))
				}
			}
			if len(want) > 0 {
				t.Errorf("no dead letter for %v", want)
			}
			if m := scrape(t, in); strings.Contains(m, "sotto_transactions_aborted_total{") {
				t.Error("a transaction was aborted")
			}
		})
	}
}

// If a state does not fit a record, only the event that made it too large is refused.
func TestAStateThatIsTooLargeRefusesOneEvent(t *testing.T) {
	r := newRig(t, 1)
	r.start("a", func(p *Processor) { p.maxRecord.Store(50_000) })
	start := func(seq int64) *kgo.Record {
		e := &schemas.RawEvent{CallID: "large", Seq: seq, Type: schemas.Start, TimestampMS: 1_700_000_000_000 + seq}
		for n := range 12 {
			p := schemas.Participant{SpeakerID: fmt.Sprintf("s%d-%d", seq, n)}
			for v := range 25 {
				p.Other = append(p.Other, fmt.Sprintf("%d%d%d-%s", seq, n, v, strings.Repeat("7a", 20)))
			}
			e.Participants = append(e.Participants, p)
		}
		return r.Raw(0, e)
	}
	r.Feed(start(1), start(2), start(3), start(4))
	r.Feed(speech(r, "other", 1, 3)...)
	r.Feed(r.Raw(0, utterance("large", 5, "s1", "good morning")))
	dead := map[string]int{}
	eventually(t, "all events", func() bool {
		clear(dead)
		for _, d := range r.DeadLetters() {
			dead[d.Reason]++
		}
		return len(r.Read(r.Topics.Clean))+dead[reasonStateTooLarge] == 8
	})
	if n := dead[reasonStateTooLarge]; n < 1 || n > 3 {
		t.Errorf("%d of 4 events became dead letters because of the state", n)
	}
}

// A call may have many events on which the engine fails. They do not cost a transaction each.
func TestManyBadRecordsOfACallAreRefusedTogether(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var recs []*kgo.Record
	for i := range int64(400) { // of many polls
		text := "this is Rosa Lindqvist speaking, my number is 604 555 0134"
		if i%2 == 1 {
			text = panicMark
		}
		recs = append(recs, r.Raw(0, utterance("c", i+1, "x", text)))
	}
	r.Feed(recs...)
	in := r.start("a", func(p *Processor) { p.wrap = withPanics })
	s := newSerial(r, withPanics)
	compare(t, "clean", byCall(r.Await(r.Topics.Clean, s.Records)), s.Clean)
	compare(t, "dead letters", byCall(r.Await(r.Topics.DeadLetter, 200)), s.Dead)
	// One transaction aborts at the first bad record, and one for each commit interval in which the
	// machine reads the others: the slower the machine, the more, but far fewer than bad records.
	m := regexp.MustCompile(`sotto_transactions_aborted_total\{reason="quarantine"\} (\d+)\n`).FindStringSubmatch(scrape(t, in))
	if m == nil {
		t.Fatal("no abort is counted")
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n > 100 {
		t.Errorf("the 200 bad records made %s transactions abort", m[1])
	}
}

// panicsInPrepare fails before it has looked at any state.
type panicsInPrepare struct{ engine }

func (p panicsInPrepare) Prepare(ev *schemas.RawEvent) *anonymize.Prepared {
	if ev.Text == panicMark {
		panic("with secret text of the call")
	}
	return p.engine.Prepare(ev)
}

// It makes no difference in which step the engine fails.
func TestAnEventThatCannotBePrepared(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	recs := append(speech(r, "c", 1, 3), r.Raw(0, utterance("c", 4, "x", panicMark)))
	r.Feed(append(recs, speech(r, "c", 5, 3)...)...)
	in := r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return panicsInPrepare{e} } })
	s := newSerial(r, withPanics)
	compare(t, "clean", byCall(r.Await(r.Topics.Clean, s.Records)), s.Clean)
	compare(t, "dead letters", byCall(r.Await(r.Topics.DeadLetter, 1)), s.Dead)
	if log := r.log.String(); strings.Contains(log, "secret") || strings.Contains(log, panicMark) {
		t.Error("the log shows the text")
	}
	pre := in.preparer()
	pre.ahead = true // as with a remote tier
	if pr := pre.all(recs[3:4], 1)[0]; pr.reason != reasonPanic || pr.prep != nil {
		t.Errorf("ahead, the event gets the reason %q", pr.reason)
	}
	if pr := pre.all(recs[2:3], 1)[0]; pr.reason != "" || pr.prep == nil {
		t.Error("ahead, the event before is not prepared")
	}
}

func TestPollsGrowAndShrinkWithTheirTime(t *testing.T) {
	var n pollSize
	const target = 100 * time.Millisecond
	if n.records() != minPoll {
		t.Errorf("the first poll has %d records, want %d", n.records(), minPoll)
	}
	n.took(minPoll-1, target/10, target)
	if n.records() != minPoll {
		t.Error("a poll with few records shows that more of them fit")
	}
	for range 10 {
		n.took(n.records(), target/2, target)
	}
	if got := n.records(); got != maxPoll {
		t.Errorf("after fast polls, the next has %d records", got)
	}
	n.took(maxPoll, 10*target, target)
	if got := n.records(); got != maxPoll/10 {
		t.Errorf("after a poll that took ten times as long as it should, the next has %d records", got)
	}
	n.took(maxPoll/10, 1000*target, target)
	if got := n.records(); got != minPoll {
		t.Errorf("the shortest poll has %d records", got)
	}
}

// A policy that cannot be loaded does not harm the running stream: the previous policy stays in
// force.
func TestABadPolicyDoesNotStopTheStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.DictionaryDir, r.Set.Reload = t.TempDir(), 100*time.Millisecond
	in := r.start("a")
	policy := in.Policy()
	r.Feed(speech(r, "c", 1, 1)...)
	r.Await(r.Topics.Clean, 1)
	var keys strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	// An empty file is a valid policy, so the file must never be seen half written.
	write := func(text string) error {
		file := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		return os.Rename(file, filepath.Join(r.Set.DictionaryDir, "policy.yaml"))
	}
	errorsBefore := 0
	for n, put := range []func() error{
		func() error { return write(strings.Repeat("[", 100_000)) },
		func() error { return write(strings.Repeat("{a: ", 25_000)) },
		func() error { return write(keys.String()) },
		func() error {
			return os.Symlink("/dev/zero", filepath.Join(r.Set.DictionaryDir, "PRODUCT.dictionary.txt"))
		},
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		errorsBefore++
		eventually(t, fmt.Sprintf("the report of error %d", n), func() bool {
			return strings.Count(r.log.String(), "cannot reload the dictionaries") >= errorsBefore
		})
		r.Feed(speech(r, "c", int64(2+n), 1)...)
		r.Await(r.Topics.Clean, 2+n)
	}
	if in.Policy() != policy {
		t.Error("the policy changed")
	}
}

// Metadata is free-form, so only known values may reach the outputs.
func TestNothingPersonalPassesThroughMetadata(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"other", "hash"} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, 1)
			r.Set.Tenant, r.Set.CallID, r.Set.Tenants = mode, "hash", []string{"acme"}
			r.Set.AuditRate = "1"
			r.Set.CallIdleTimeout = time.Hour
			r.start("a")
			personal := []string{"604-555-0134", "078-05-1120", "4111111111111111", "Ines.Quimby"}
			for n, v := range personal {
				long := int64(4_111_111_111_111_111)
				e := utterance(fmt.Sprint("c", n), 1, "s1", "good morning")
				e.Context, e.Tenant, e.Language, e.StartMS, e.EndMS, e.TimestampMS = v, v, v, &long, &long, long
				r.Feed(r.Raw(0, e))
			}
			known := utterance("known", 1, "s1", "good morning")
			known.Context, known.Tenant, known.Language = "sales", "acme", "en-US"
			r.Feed(r.Raw(0, known))
			// The first calls end because they become idle.
			late := utterance("late", 1, "s1", "good morning")
			late.TimestampMS = time.Now().Add(2 * time.Hour).UnixMilli()
			r.Feed(r.Raw(0, late))
			r.Await(r.Topics.Clean, len(personal)+2)
			for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Topics.DeadLetter} {
				for _, rec := range r.Read(topic) {
					for _, v := range append(personal, "4111111111111111") {
						if strings.Contains(string(rec.Value), v) || strings.Contains(string(rec.Key), v) {
							t.Errorf("%s holds a personal value of the metadata", topic)
						}
					}
				}
			}
			for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
				if e.Tenant == "acme" && (e.Context != "sales" || e.Language != "en-US") {
					t.Errorf("known metadata became %q and %q", e.Context, e.Language)
				}
			}
		})
	}
}

// The records of a call with different keys may be in several partitions, where its entities would
// get different numbers.
func TestAKeyThatIsNotTheCallID(t *testing.T) {
	t.Parallel()
	for mode, clean := range map[string]int{"dead-letter": 1, "accept": 2} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, 1)
			r.Set.KeyMismatch = mode
			r.start("a")
			wrong := speech(r, "c", 1, 1)[0]
			wrong.Key = []byte("another")
			r.Feed(wrong)
			r.Feed(speech(r, "c", 2, 1)...)
			r.Await(r.Topics.Clean, clean)
			if got := r.DeadLetters(); len(got) != 2-clean || len(got) > 0 && got[0].Reason != intake.KeyMismatch {
				t.Errorf("dead letters: %+v", got)
			}
		})
	}
}

// A burst of the largest texts must not make a transaction longer than the brokers permit: they
// would abort it, and its records would be read again and again.
func TestLargeTextsFitTransactions(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes each text ten times as slow")
	}
	r := newRig(t, 1)
	r.Set.TransactionTimeout = 10 * time.Second
	r.Set.CommitInterval = 50 * time.Millisecond
	const size = 60_000
	const texts = 300
	line := "Well, I called about the invoice, and Rosa Lindqvist told me to call 604-555-0134. "
	text := strings.Repeat(line, size/len(line)+1)[:size]
	var recs []*kgo.Record
	for i := range texts {
		recs = append(recs, r.Raw(0, utterance(fmt.Sprint("c", i%50), int64(i+1), "s1", text)))
	}
	r.Feed(recs...)
	in := r.start("a")
	// Reading the clean topic again and again would slow the test.
	done := fmt.Sprintf("sotto_raw_records_total %d\n", texts)
	brokertest.Eventually(t, 3*time.Minute, "the texts", func() bool { return strings.Contains(scrape(t, in), done) })
	clean := r.Await(r.Topics.Clean, texts)
	if m := scrape(t, in); strings.Contains(m, "sotto_transactions_aborted_total{") {
		t.Error("a transaction was aborted")
	}
	// The marker of each transaction takes an offset.
	longest, run := 0, 0
	for i, rec := range clean {
		if i > 0 && rec.Offset != clean[i-1].Offset+1 {
			run = 0
		}
		run++
		longest = max(longest, run)
	}
	// A transaction ends after the first poll that finds the commit interval over. So it holds
	// the texts that this machine finishes in that interval, and the few MiB that were fetched or
	// queued by then. A busy machine may be twice as fast at one moment as on average.
	took := clean[len(clean)-1].Timestamp.Sub(clean[0].Timestamp)
	inInterval := int(texts * r.Set.CommitInterval / took)
	if most := 2*inInterval + 4<<20/size; longest > most {
		t.Errorf("a transaction has %d texts of %d bytes, want at most %d", longest, size, most)
	}
}
