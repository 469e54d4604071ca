package brokertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is one Apache Kafka for all tests of a package.
type shared struct {
	mu    sync.Mutex
	kafka *Kafka
}

var sharedKafka shared

// Main is for the TestMain of a package that calls Open. It runs the tests, which have one Apache Kafka
// together, stops it, calls ends, and exits.
func Main(m *testing.M, ends ...func() error) {
	code := m.Run()
	for _, end := range append(ends, sharedKafka.stop) {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, "ending a server of the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func (s *shared) get(ctx context.Context) (*Kafka, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kafka == nil {
		var err error
		if s.kafka, err = StartKafka(ctx, KafkaOptions{}); err != nil {
			return nil, err
		}
	}
	k := s.kafka
	if k.proc.Running() {
		return k, nil
	}
	// It has ended by itself. Report that here rather than in every later test.
	s.kafka = nil
	return nil, errors.Join(fmt.Errorf("the shared Apache Kafka has ended:\n%s", k.LogTail(30)), k.Close())
}

func (s *shared) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kafka == nil {
		return nil
	}
	return s.kafka.Close()
}
