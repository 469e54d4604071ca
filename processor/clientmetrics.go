package processor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kprom"
)

// clientHook returns the metrics of a Kafka client. Of kprom's histograms only the
// time of requests is enabled: the others add many series and little information.
func clientHook(r prometheus.Registerer) *kprom.Metrics {
	return kprom.NewMetrics("sotto_kafka", kprom.Registerer(wellNamed{r}), kprom.Histograms(kprom.RequestDurationE2E))
}

// wellNamed leaves out gauges whose names end like those of counters, as two of kprom
// do: 'promtool check metrics' rejects them. The gauges of the same buffers in bytes stay.
type wellNamed struct{ prometheus.Registerer }

func (r wellNamed) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if g, ok := c.(prometheus.GaugeFunc); ok && strings.Contains(g.Desc().String(), `_total", help`) {
			continue
		}
		r.Registerer.MustRegister(c)
	}
}

var descPattern = regexp.MustCompile(`fqName: "([^"]*)", help: "([^"]*)", .*variableLabels: \{([^}]*)\}`)

// ClientMetrics lists the metrics of the Kafka client by name.
func ClientMetrics() ([]MetricInfo, error) {
	r := prometheus.NewRegistry()
	cl, err := kgo.NewClient(kgo.WithHooks(clientHook(r))) // never connects
	if err != nil {
		return nil, err
	}
	defer cl.Close() // also unregisters the metrics
	descs := make(chan *prometheus.Desc)
	go func() {
		r.Describe(descs)
		close(descs)
	}()
	var all []MetricInfo
	for d := range descs {
		m := descPattern.FindStringSubmatch(d.String())
		if m == nil {
			err = fmt.Errorf("cannot parse the description of a client metric: %s", d)
			continue
		}
		i := MetricInfo{Name: m[1], Help: m[2], Labels: []string{"session"}, Type: "counter"}
		if strings.HasSuffix(i.Name, "_seconds") {
			// kprom also registers disabled histograms.
			if !strings.HasSuffix(i.Name, "_request_duration_e2e_seconds") {
				continue
			}
			i.Type = "histogram"
		} else if strings.Contains(i.Name, "_buffered_") {
			i.Type = "gauge"
		}
		for l := range strings.SplitSeq(m[3], ",") {
			if l != "" {
				i.Labels = append(i.Labels, l)
			}
		}
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b MetricInfo) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}
