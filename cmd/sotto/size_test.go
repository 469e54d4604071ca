package main

import (
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	o := sotto(t, nil, "", "size", "--calls", "50000,100000", "--words-per-minute", "150")
	if o.code != exitDone || !strings.Contains(o.out, "50,000") || !strings.Contains(o.out, "10,417") || strings.Count(o.out, "\n") != 5 {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	for _, bad := range []string{"--calls=0", "--words-per-minute=0", "--replication=0", "--call-minutes=-1"} {
		if o := sotto(t, nil, "", "size", bad); o.code != exitUsage {
			t.Errorf("%s: status %d\n%s", bad, o.code, o.out)
		}
	}
}
