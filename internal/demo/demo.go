// Package demo runs everything on one machine: an embedded broker, calls played
// into it, and the same processor as 'sotto run'. It shows the outputs next to the
// inputs. It is also a check: every raw event must come out exactly once.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor"
	"sotto/schemas"
)

// Config configures a demo.
type Config struct {
	// Calls is the number of calls to generate; ignored with an Input.
	Calls int
	// Input is played instead of generated calls; InputName names it in errors.
	Input     io.Reader
	InputName string
	// Speed is the pace; 1 is real time. With 0 a demo on a terminal plays 20
	// events per second, or more if it would take longer than 20 seconds;
	// elsewhere it runs as fast as possible.
	Speed float64
	// Environ holds the settings of the processor.
	Environ map[string]string
	// Stats adds the counts and the tables to the three sentences at the end.
	Stats bool
	Out   io.Writer
	// Width is set if Out is a terminal whose cursor can be moved. It returns the
	// columns of the terminal.
	Width func() int
	// NoColor leaves out colours, but no other style of a terminal.
	NoColor bool
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
	tick     = 50 * time.Millisecond
)

// Run plays the demo. When ctx is done it stops playing, waits for what was played
// and reports that. The error is ErrNotExactlyOnce if the outcome is wrong, and a
// SettingsError if the settings are wrong.
func Run(ctx context.Context, c Config) error {
	var messages []*message
	if c.Input != nil {
		var err error
		if messages, err = fromFile(ctx, c.Input, c.InputName); err != nil {
			return &SettingsError{err}
		}
	} else {
		messages = generated(seed, c.Calls)
	}
	speed := c.Speed
	if speed == 0 && c.Width != nil {
		speed = watchableSpeed(messages)
	}
	w, err := newWorld(ctx, c.Environ)
	if err != nil {
		return err
	}
	defer w.close()
	s := &stage{world: w, messages: messages, ledger: newLedger(), registry: prometheus.NewRegistry(), began: time.Now(), patience: patience,
		generated: c.Input == nil}
	if c.Width != nil {
		s.view = newScreen(c.Out, c.Width, !c.NoColor)
	} else {
		s.view = &plainView{out: c.Out}
	}
	err = s.run(ctx, speed)
	s.view.close(s.status())
	if err != nil && !errors.Is(err, ErrNotExactlyOnce) {
		return err
	}
	var b strings.Builder
	if c.Stats {
		if err := s.writeStats(&b); err != nil {
			return err
		}
	}
	s.writeSummary(&b, err == nil)
	_, writeErr := io.WriteString(c.Out, b.String())
	return errors.Join(err, writeErr)
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

// stage is a running demo.
type stage struct {
	*world
	messages []*message
	ledger   *ledger
	registry *prometheus.Registry
	view     view
	began    time.Time
	took     time.Duration
	player   *player
	audit    int
	ended    bool // by ctx, before all was played
	// generated means that the calls come from callgen.
	generated bool
	patience  time.Duration
}

func (s *stage) run(ctx context.Context, speed float64) error {
	var log bytes.Buffer
	p, err := processor.New(context.WithoutCancel(ctx), s.settings, processor.WithRegistry(s.registry),
		processor.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	if err != nil {
		return err
	}
	if s.player, err = newPlayer(&s.settings, speed); err != nil {
		return err
	}
	defer s.player.client.Close()
	out, err := s.listen()
	if err != nil {
		return err
	}
	defer out.client.Close()

	// The demo stops the processor, not ctx.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- p.Run(running) }()

	err = s.show(ctx, out, ran)
	s.took = time.Since(s.began)
	stop()
	if runErr := <-ran; err == nil {
		err = runErr
	}
	if err == nil {
		// The processor has stopped: no more output will come.
		err = s.rest(out)
	}
	if err == nil {
		err = s.ledger.verify(s.player)
	}
	if err != nil && !errors.Is(err, ErrNotExactlyOnce) && log.Len() > 0 {
		err = fmt.Errorf("%w; the last line of the processor's log: %s", err, lastLine(log.Bytes()))
	}
	return err
}

func lastLine(log []byte) string {
	log = bytes.TrimSpace(log)
	return string(log[bytes.LastIndexByte(log, '\n')+1:])
}

// show plays and watches until everything that was played has come out.
func (s *stage) show(ctx context.Context, out *listener, ran <-chan error) error {
	// The ledger must know a message before its output comes, so all of them
	// are expected now, or, when ctx ends the play, those that were sent.
	for _, m := range s.messages {
		s.ledger.expect(m)
	}
	played := make(chan error, 1)
	go func() { played <- s.player.play(ctx, s.messages) }()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	progress, came := time.Now(), s.ledger.out()
	playing := true
	for {
		if !playing && s.ledger.complete() {
			return nil
		}
		select {
		case err := <-ran:
			return fmt.Errorf("the processor ended: %w", err)
		case err := <-played:
			if err != nil {
				return err
			}
			playing = false
			s.cut(int(s.player.sent.Load()))
		case records := <-out.records:
			if err := s.take(out, records); err != nil {
				return err
			}
		case <-ticker.C:
			s.view.progress(s.status())
			if now := s.ledger.out(); now != came {
				progress, came = time.Now(), now
			}
			if !playing && time.Since(progress) > s.patience {
				return fmt.Errorf("nothing more has come out for %s: %d of %d events did", s.patience, came, s.ledger.sent)
			}
		}
	}
}

// cut removes messages that were never sent from the ledger.
func (s *stage) cut(sent int) {
	s.ended = sent < len(s.messages)
	for _, m := range s.messages[sent:] {
		s.ledger.forget(m)
	}
	s.messages = s.messages[:sent]
}

// rest reads the outputs to their ends.
func (s *stage) rest(out *listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	ends, err := out.ends(ctx)
	if err != nil {
		return err
	}
	for !out.reached(ends) {
		select {
		case records := <-out.records:
			if err := s.take(out, records); err != nil {
				return err
			}
		case <-ctx.Done():
			return errors.New("the outputs cannot be read to their ends")
		}
	}
	return nil
}

func (s *stage) take(out *listener, records []*kgo.Record) error {
	for _, r := range records {
		out.passed(r)
		if r.Attrs.IsControl() {
			continue
		}
		switch r.Topic {
		case s.settings.TopicClean:
			c, err := out.codec.DecodeClean(r.Value)
			if err != nil {
				return fmt.Errorf("a clean event cannot be read: %w", err)
			}
			m := s.ledger.clean(c)
			if m != nil && c.Type == schemas.Utterance {
				s.view.pair(m.event, c)
			}
		case s.settings.TopicDeadLetter:
			d, err := out.codec.DecodeDeadLetter(r.Value)
			if err != nil {
				return fmt.Errorf("a dead letter cannot be read: %w", err)
			}
			s.ledger.deadLetter(d)
			s.view.dead(d)
		case s.settings.TopicAudit:
			s.audit++
		}
	}
	return nil
}

// status is a snapshot for the view.
type status struct {
	sent, total, clean, dead, interim, masked, commits, calls, callsTotal int
	elapsed                                                               time.Duration
}

func (s *stage) status() status {
	l := s.ledger
	st := status{total: len(s.messages), calls: l.Ended, callsTotal: l.Calls, clean: l.Clean, dead: l.Dead, interim: l.Interim,
		commits: int(s.metric("sotto_transactions_committed_total")), elapsed: time.Since(s.began).Truncate(100 * time.Millisecond)}
	for _, t := range l.entities {
		st.masked += t.Masked
	}
	if s.player != nil {
		st.sent = int(s.player.sent.Load())
	}
	return st
}

// metric sums a counter of the processor over its labels.
func (s *stage) metric(name string) float64 {
	families, err := s.registry.Gather()
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}
