package processor

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaLogger forwards the client's warnings and errors. The client logs every
// transaction at its info level, which is forwarded at the debug level only.
type kafkaLogger struct {
	log    *slog.Logger
	recent *recent
}

func (l kafkaLogger) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}

func (l kafkaLogger) Log(level kgo.LogLevel, msg string, kv ...any) {
	to := slog.LevelDebug
	switch level {
	case kgo.LogLevelError:
		to = slog.LevelError
	case kgo.LogLevelWarn:
		to = slog.LevelWarn
	}
	if to > slog.LevelDebug && l.recent.repeats(fmt.Sprint(msg, kv), time.Now()) {
		return
	}
	l.log.Log(context.Background(), to, "kafka client: "+msg, kv...)
}

// repeatAfter is how often the same line of the clients is logged. A broker that refuses every
// connection would fill the log with it.
const repeatAfter = 30 * time.Second

// recent has the lines that were logged lately, with their times. It is safe for concurrent use.
type recent struct {
	mu    sync.Mutex
	lines map[string]time.Time
}

// repeats reports whether a line was logged lately, and notes it if not.
func (r *recent) repeats(line string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.lines[line]; ok && now.Sub(at) < repeatAfter {
		return true
	}
	if r.lines == nil || len(r.lines) > 100 { // lines that differ are not the problem
		r.lines = map[string]time.Time{}
	}
	r.lines[line] = now
	return false
}
