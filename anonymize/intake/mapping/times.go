package mapping

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// millis returns a time from the start of a call in milliseconds, nil if a value is none: a number of a
// unit, 1.5s, PT1.5S, 00:01:02.5 or {"seconds": 1, "nanos": 500000000}, in which what is 0 may be missing.
func millis(v any, unit float64) *int64 {
	if object, ok := v.(map[string]any); ok {
		whole, part := millis(object["seconds"], 1000), millis(object["nanos"], 1e-6)
		switch {
		case whole == nil:
			return part
		case part != nil:
			*whole += *part
		}
		return whole
	}
	s := strings.ToLower(plain(v))
	f, err := strconv.ParseFloat(s, 64)
	f *= unit
	if err != nil {
		var d time.Duration
		if d, err = time.ParseDuration(strings.TrimPrefix(s, "pt")); strings.Count(s, ":") == 2 {
			d, err = time.ParseDuration(strings.Replace(strings.Replace(s, ":", "h", 1), ":", "m", 1) + "s")
		}
		f = d.Seconds() * 1000
	}
	if err != nil || !(f >= 0 && f <= 1e12) {
		return nil
	}
	return new(int64(math.Round(f)))
}

// epoch returns a time in milliseconds since 1970, 0 if a value is none: a date as in RFC 3339, a
// number of seconds or of a smaller unit, which its size tells for all times from 2000 to 2100, or
// {"seconds": 1772445600, "nanos": 500000000}.
func epoch(v any) int64 {
	if _, ok := v.(bool); ok || v == nil {
		return 0
	}
	if object, ok := v.(map[string]any); ok {
		ms, part := epoch(object["seconds"]), millis(object["nanos"], 1e-6)
		if ms > 0 && part != nil {
			ms += *part
		}
		return ms
	}
	s := plain(v)
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UnixMilli()
	}
	f, err := json.Number(s).Float64()
	if err != nil || !(f > 0) {
		return 0
	}
	for _, unit := range []float64{1000, 1, 1e-3, 1e-6} {
		if ms := f * unit; ms >= 9e11 && ms <= 5e12 {
			return int64(ms)
		}
	}
	return 0
}
