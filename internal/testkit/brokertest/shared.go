package brokertest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is one Apache Kafka for all tests of a package.
type shared struct {
	mu    sync.Mutex
	kafka *Kafka
	users int
	// keep leaves the broker running without users, until stop.
	keep bool
}

var sharedKafka shared

// Main is for a package's TestMain. It runs the tests, keeps one Apache Kafka between them, stops
// it, calls ends, and exits. Without Main, Apache Kafka is stopped whenever no test uses it, which costs a start
// each time.
func Main(m *testing.M, ends ...func() error) {
	sharedKafka.mu.Lock()
	sharedKafka.keep = true
	sharedKafka.mu.Unlock()
	code := m.Run()
	for _, end := range append(ends, sharedKafka.stop) {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, "ending a server of the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func (s *shared) acquire(ctx context.Context) (*Kafka, func() error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kafka != nil && s.users == 0 && !s.kafka.running() {
		// It has ended by itself. Report that here rather than in every later test.
		k := s.kafka
		s.kafka = nil
		return nil, nil, fmt.Errorf("the shared Apache Kafka has ended (%w):\n%s", k.Close(), k.LogTail(30))
	}
	if s.kafka == nil {
		k, err := StartKafka(ctx, KafkaOptions{})
		if err != nil {
			return nil, nil, err
		}
		s.kafka = k
	}
	s.users++
	return s.kafka, s.release, nil
}

func (s *shared) release() error {
	s.mu.Lock()
	s.users--
	idle := s.users == 0 && !s.keep
	s.mu.Unlock()
	if idle {
		return s.stop()
	}
	return nil
}

func (s *shared) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kafka
	s.kafka = nil
	if k == nil {
		return nil
	}
	return k.Close()
}
