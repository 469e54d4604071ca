package kubetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// prober runs one of a container's probes when it is due. The API server has filled in Kubernetes'
// defaults for unset times and thresholds.
type prober struct {
	*probe
	url       string
	next      time.Time
	successes int
	failures  int
}

// probes must not use a proxy or follow redirects.
var probeClient = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func newProber(p *probe, c *container, ip string, started time.Time) (*prober, error) {
	if p == nil {
		return nil, nil
	}
	number, err := probePort(p.HTTPGet.Port, c)
	if err != nil {
		return nil, err
	}
	return &prober{probe: p, url: fmt.Sprintf("http://%s:%d%s", ip, number, p.HTTPGet.Path),
		next: started.Add(time.Duration(p.InitialDelay) * time.Second)}, nil
}

// probePort is a number or the name of one of the container's ports.
func probePort(raw json.RawMessage, c *container) (int, error) {
	if n, err := strconv.Atoi(string(raw)); err == nil {
		return n, nil
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return 0, err
	}
	for _, p := range c.Ports {
		if p.Name == name {
			return p.ContainerPort, nil
		}
	}
	return 0, fmt.Errorf("there is no port %q", name)
}

// verdict is the result by a probe's thresholds.
type verdict int

const (
	undecided verdict = iota
	passes
	fails
)

// ask probes if it is due, and returns the result by the thresholds.
func (p *prober) ask(ctx context.Context, now time.Time) verdict {
	if now.Before(p.next) {
		return undecided
	}
	p.next = now.Add(time.Duration(p.Period) * time.Second)
	if p.get(ctx) {
		p.successes, p.failures = p.successes+1, 0
	} else {
		p.successes, p.failures = 0, p.failures+1
	}
	switch {
	case p.successes >= p.SuccessThreshold:
		return passes
	case p.failures >= p.FailureThreshold:
		return fails
	}
	return undecided
}

func (p *prober) get(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.Timeout)*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return false
	}
	resp, err := probeClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode >= 200 && resp.StatusCode < 400
}
