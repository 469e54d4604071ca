package processor

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A broker without TLS closes connections on which a client speaks TLS. The client tries again and again,
// and the log says so once.
func TestTheSameWarningIsLoggedOnce(t *testing.T) {
	t.Parallel()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	go func() {
		for {
			c, err := plain.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	r, _ := fakeRig(t, 1)
	r.Set.Brokers, r.Set.TLSEnable = []string{plain.Addr().String()}, true
	p, err := New(t.Context(), r.Set, WithLogger(slog.New(slog.NewTextHandler(&r.log, nil))),
		WithKafkaOptions(kgo.RetryTimeout(2*time.Second)), func(p *Processor) { p.topicPatience = 3 * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot reach Kafka") {
		t.Errorf("got %v", err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(r.log.String()) {
		_, line, _ = strings.Cut(line, " ")
		lines[line]++
	}
	if len(lines) == 0 {
		t.Error("nothing is logged")
	}
	for line, n := range lines {
		if n > 1 {
			t.Errorf("%d times: %s", n, line)
		}
	}
}
