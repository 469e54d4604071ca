// Package demo runs everything on one machine: an embedded broker, calls played
// into it, and the same processor as 'sotto run'. It shows the outputs below the
// inputs. It is also a check: every raw event must come out exactly once.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/texttable"
	"sotto/processor"
	"sotto/schemas"
)

// Config configures a demo.
type Config struct {
	// Calls is the number of calls to generate; ignored with an Input.
	Calls int
	// Input has RawEvent lines that are played instead of generated calls; InputName names it in
	// errors.
	Input     io.Reader
	InputName string
	// Speed is the pace; 1 is real time. With 0 a demo on a terminal plays 20
	// events per second, or more if it would take longer than 20 seconds;
	// elsewhere it runs as fast as possible.
	Speed float64
	// Environ holds the settings of the processor.
	Environ map[string]string
	Out     io.Writer
	// Terminal means that people watch. Colours marks what is masked.
	Terminal, Colours bool
}

// Seed of the generated calls: a demo shows the same calls each time.
const seed = 1

const (
	// A demo on a terminal gives each event readable, but takes no longer than
	// watchable.
	readable  = 50 * time.Millisecond
	watchable = 20 * time.Second
	// patience is the time without output after which the demo gives up.
	patience = time.Minute
	tick     = 20 * time.Millisecond
)

// Run plays the demo. When ctx is done it stops playing, waits for what was played
// and reports that. The error is ErrNotExactlyOnce if the outcome is wrong, and a
// SettingsError if the settings are wrong.
func Run(ctx context.Context, c Config) error {
	var messages []*message
	if c.Input != nil {
		var err error
		if messages, err = fromEvents(ctx, c.Input, c.InputName); err != nil {
			return &SettingsError{err}
		}
	} else {
		messages = generated(seed, c.Calls)
	}
	speed := c.Speed
	if speed == 0 && c.Terminal {
		speed = watchableSpeed(messages)
	}
	w, err := newWorld(ctx, c.Environ)
	if err != nil {
		return err
	}
	defer w.close()
	s := &stage{world: w, messages: messages, speed: speed, ledger: newLedger(), view: view{c.Out, c.Colours}, patience: patience, generated: c.Input == nil}
	err = s.run(ctx)
	if err != nil && !errors.Is(err, ErrNotExactlyOnce) {
		return err
	}
	for _, sentence := range []string{
		"What was masked: " + s.maskedSentence(err == nil),
		"What was missed: " + s.ledger.missedSentence(),
		"Who is who: " + s.ledger.people.sentence(),
		"What that means: " + s.meaningSentence(),
	} {
		if _, writeErr := io.WriteString(c.Out, "\n"+texttable.Wrap(sentence, 0)+"\n"); writeErr != nil {
			return errors.Join(err, writeErr)
		}
	}
	return err
}

// watchableSpeed returns the pace at which a person can follow messages on a
// terminal. It is at least real time.
func watchableSpeed(messages []*message) float64 {
	if len(messages) == 0 {
		return 1
	}
	takes := min(watchable, time.Duration(len(messages))*readable)
	return max(1, messages[len(messages)-1].at.Seconds()/takes.Seconds())
}

type stage struct {
	*world
	messages []*message
	speed    float64 // 0: as fast as possible
	ledger   *ledger
	view     view
	patience time.Duration
	// generated means that the calls come from callgen.
	generated bool
	ended     bool // by ctx, before all was played

	codec *schemas.Codec
	// client produces the raw events and reads the outputs, control records included, so that it
	// knows that it is at their ends. next is what it reads next.
	client *kgo.Client
	next   map[string]map[int32]int64
}

func (s *stage) run(ctx context.Context) error {
	var log bytes.Buffer
	p, err := processor.New(context.WithoutCancel(ctx), s.settings, processor.WithRegistry(prometheus.NewRegistry()),
		processor.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	if err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return err
	}
	defer s.client.Close()
	// The demo stops the processor, not ctx.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- p.Run(running) }()
	err = s.play(ctx, ran)
	stop()
	if runErr := <-ran; err == nil {
		err = runErr
	}
	if err == nil {
		// The processor has stopped: no more output will come.
		err = s.rest()
	}
	if err == nil {
		err = s.ledger.verify()
	}
	if err != nil && !errors.Is(err, ErrNotExactlyOnce) && log.Len() > 0 {
		lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
		err = fmt.Errorf("%w; the last line of the processor's log: %s", err, lines[len(lines)-1])
	}
	return err
}

func (s *stage) connect() (err error) {
	if s.codec, err = schemas.NewCodec(context.Background(), schemas.Options{Format: s.settings.Codec}); err != nil {
		return err
	}
	s.next = map[string]map[int32]int64{s.settings.TopicClean: {}, s.settings.TopicDeadLetter: {}}
	s.client, err = kgo.NewClient(
		kgo.SeedBrokers(s.settings.Brokers...),
		// All events of a call go into one partition.
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
		kgo.ConsumeTopics(s.settings.TopicClean, s.settings.TopicDeadLetter),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(tick),
	)
	return err
}

// play sends the messages, each at its time, and shows what comes out, until
// everything that was sent has come out.
func (s *stage) play(ctx context.Context, ran <-chan error) error {
	began := time.Now()
	progress, came, sent := began, 0, 0
	failed := make(chan error, len(s.messages))
	for {
		for ; sent < len(s.messages) && ctx.Err() == nil && s.due(began, s.messages[sent].at); sent++ {
			if err := s.send(s.messages[sent], failed); err != nil {
				return err
			}
		}
		s.ended = ctx.Err() != nil && sent < len(s.messages)
		if (s.ended || sent == len(s.messages)) && s.ledger.complete() {
			return nil
		}
		select {
		case err := <-ran:
			return fmt.Errorf("the processor ended: %w", err)
		case err := <-failed:
			return err
		default:
		}
		if err := s.poll(); err != nil {
			return err
		}
		if now := s.ledger.out(); now != came || s.ledger.complete() {
			progress, came = time.Now(), now
		}
		if time.Since(progress) > s.patience {
			return fmt.Errorf("nothing more has come out for %s: %d of %d events did", s.patience, came, s.ledger.sent)
		}
	}
}

func (s *stage) due(began time.Time, at time.Duration) bool {
	return s.speed <= 0 || time.Since(began).Seconds() >= at.Seconds()/s.speed
}

// send sends a message. It is not bound to the context of the demo: what counts as sent must arrive.
func (s *stage) send(m *message, failed chan<- error) error {
	s.ledger.expect(m)
	r := &kgo.Record{Topic: s.settings.TopicRaw, Value: m.line}
	if m.event != nil {
		if m.stamp {
			m.event.TimestampMS = time.Now().UnixMilli()
		}
		var err error
		if r.Value, err = s.codec.AppendRaw(nil, m.event); err != nil {
			return err
		}
		r.Key = []byte(m.event.CallID)
	}
	s.client.Produce(context.Background(), r, func(_ *kgo.Record, err error) {
		if err != nil {
			failed <- err
		}
	})
	return nil
}

func (s *stage) poll() error {
	ctx, cancel := context.WithTimeout(context.Background(), tick)
	defer cancel()
	for _, r := range s.client.PollFetches(ctx).Records() {
		s.next[r.Topic][r.Partition] = r.Offset + 1
		if r.Attrs.IsControl() {
			continue
		}
		if r.Topic == s.settings.TopicDeadLetter {
			d, err := s.codec.DecodeDeadLetter(r.Value)
			if err != nil {
				return fmt.Errorf("a dead letter cannot be read: %w", err)
			}
			s.ledger.dead++
			s.view.dead(d)
			continue
		}
		c, err := s.codec.DecodeClean(r.Value)
		if err != nil {
			return fmt.Errorf("a clean event cannot be read: %w", err)
		}
		if m := s.ledger.cleaned(c); m != nil && c.Type == schemas.Utterance {
			s.view.pair(m.event, c)
		}
	}
	return nil
}

func (s *stage) rest() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	ends, err := kadm.NewClient(s.client).ListEndOffsets(ctx, s.settings.TopicClean, s.settings.TopicDeadLetter)
	if err = errors.Join(err, ends.Error()); err != nil {
		return err
	}
	for ctx.Err() == nil {
		left := false
		ends.Each(func(o kadm.ListedOffset) { left = left || s.next[o.Topic][o.Partition] < o.Offset })
		if !left {
			return nil
		}
		if err := s.poll(); err != nil {
			return err
		}
	}
	return errors.New("the outputs cannot be read to their ends")
}
