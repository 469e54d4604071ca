package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// panel is one graph of the dashboard. SEL in an expression becomes the
// selector of the namespaces and jobs that are chosen.
type panel struct {
	title, unit, help string
	kind              string // timeseries by default, or stat
	queries           []query
}

type query struct{ expr, legend string }

type row struct {
	title  string
	panels []panel
}

const selector = `namespace=~"$namespace", job=~"$job"`

func quantiles(metric string) []query {
	var q []query
	for _, p := range []string{"0.5", "0.95", "0.99"} {
		q = append(q, query{fmt.Sprintf("histogram_quantile(%s, sum by (le) (rate(%s_bucket{SEL}[$__rate_interval])))", p, metric), "p" + strings.TrimPrefix(p+"0", "0.")[:2]})
	}
	return q
}

func rate(metric, by, legend string) []query {
	if by != "" {
		by = " by (" + by + ")"
	}
	return []query{{fmt.Sprintf("sum%s (rate(%s{SEL}[$__rate_interval]))", by, metric), legend}}
}

var dashboardRows = []row{
	{"At a glance", []panel{
		{title: "Lag", unit: "short", kind: "stat", help: "Raw records that are not yet committed.", queries: []query{{"sum(sotto_lag_records{SEL})", ""}}},
		{title: "Latency, p99", unit: "s", kind: "stat", queries: quantiles("sotto_end_to_end_seconds")[2:]},
		{title: "Utterances per second", unit: "short", kind: "stat", queries: rate("sotto_utterances_total", "", "")},
		{title: "Open calls", unit: "short", kind: "stat", queries: []query{{"sum(sotto_open_calls{SEL})", ""}}},
		{title: "Stopped partitions", unit: "short", kind: "stat", help: "They need an operator; /readyz gives the reason.", queries: []query{{"sum(sotto_stopped_partitions{SEL})", ""}}},
		{title: "Last canary", unit: "s", kind: "stat", help: "Time since a synthetic call last came out redacted.",
			queries: []query{{"time() - max(sotto_canary_last_success_timestamp_seconds{SEL})", ""}}},
	}},
	{"Privacy", []panel{
		{title: "Replaced, by infoType", unit: "cps", queries: rate("sotto_entities_total", "infotype", "{{infotype}}")},
		{title: "Replaced, by detector", unit: "cps", queries: rate("sotto_detections_total", "detector", "{{detector}}")},
		{title: "Share of characters redacted", unit: "percentunit", help: "A drop while utterances arrive may be a leak.",
			queries: []query{{"sum(rate(sotto_redacted_characters_total{SEL}[$__rate_interval])) / sum(rate(sotto_input_characters_total{SEL}[$__rate_interval]))", "redacted"}}},
		{title: "Replaced per utterance", unit: "short",
			queries: []query{{"sum(rate(sotto_entities_total{SEL}[$__rate_interval])) / sum(rate(sotto_utterances_total{SEL}[$__rate_interval]))", "all types"}}},
		{title: "Pods by policy", unit: "short", help: "More than one policy is normal during a rollout only.", queries: []query{{"count by (policy) (sotto_policy_info{SEL} == 1)", "{{policy}}"}}},
		{title: "Canary", unit: "short", queries: []query{{"sum by (outcome) (increase(sotto_canary_runs_total{SEL}[10m]))", "{{outcome}}"}}},
	}},
	{"Flow", []panel{
		{title: "Records in, events out", unit: "cps", queries: append(rate("sotto_raw_records_total", "", "raw"), rate("sotto_events_total", "kind", "{{kind}}")...)},
		{title: "Lag by partition", unit: "short", queries: []query{{"max by (partition) (sotto_lag_records{SEL})", "{{partition}}"}}},
		{title: "From raw record to commit", unit: "s", help: "From the timestamp of the raw record to the commit of its outputs.", queries: quantiles("sotto_end_to_end_seconds")},
		{title: "Dead letters", unit: "cps", queries: rate("sotto_dead_letters_total", "reason", "{{reason}}")},
		{title: "Interim hypotheses dropped, late events", unit: "cps", queries: append(rate("sotto_interim_dropped_total", "", "interim"), rate("sotto_late_events_total", "", "late")...)},
		{title: "Canary round trip", unit: "s", queries: quantiles("sotto_canary_seconds")},
	}},
	{"Transactions", []panel{
		{title: "Commits", unit: "cps", queries: rate("sotto_transactions_committed_total", "pod", "{{pod}}")},
		{title: "Aborts", unit: "cps", help: "An aborted transaction is undone and its records are read again.", queries: rate("sotto_transactions_aborted_total", "reason", "{{reason}}")},
		{title: "Time to commit", unit: "s", queries: quantiles("sotto_commit_seconds")},
		{title: "Rebalances, sessions recreated", unit: "cps",
			queries: append(rate("sotto_rebalances_total", "", "rebalances"), rate("sotto_session_restarts_total", "", "sessions recreated")...)},
		{title: "Partitions by pod", unit: "short", queries: []query{{"sum by (pod) (sotto_assigned_partitions{SEL})", "{{pod}}"}}},
		{title: "Fetch and reload errors", unit: "cps", queries: append(rate("sotto_fetch_errors_total", "", "fetch"), rate("sotto_reload_errors_total", "", "reload")...)},
	}},
	{"State", []panel{
		{title: "Open calls by pod", unit: "short", queries: []query{{"sum by (pod) (sotto_open_calls{SEL})", "{{pod}}"}}},
		{title: "Sealed states in memory", unit: "bytes", queries: []query{{"sum by (pod) (sotto_state_held_bytes{SEL})", "{{pod}}"}}},
		{title: "Oldest open call", unit: "s", queries: []query{{"max by (pod) (sotto_oldest_open_call_seconds{SEL})", "{{pod}}"}}},
		{title: "State written", unit: "Bps", queries: rate("sotto_state_bytes_total", "", "bytes")},
		{title: "States written, calls closed as idle", unit: "cps", queries: append(rate("sotto_state_records_total", "", "states"), rate("sotto_calls_closed_idle_total", "", "closed as idle")...)},
		{title: "Restores", unit: "s", help: "A partition has no output while it is restored.", queries: quantiles("sotto_restore_seconds")},
		{title: "State records read by restores", unit: "cps", queries: rate("sotto_restore_records_total", "pod", "{{pod}}")},
		{title: "Failed restores", unit: "cps", queries: rate("sotto_restore_failures_total", "kind", "{{kind}}")},
	}},
	{"Process", []panel{
		{title: "CPU", unit: "short", queries: rate("process_cpu_seconds_total", "pod", "{{pod}}")},
		{title: "Memory", unit: "bytes", queries: []query{{"sum by (pod) (process_resident_memory_bytes{SEL})", "{{pod}}"}}},
		{title: "Goroutines", unit: "short", queries: []query{{"sum by (pod) (go_goroutines{SEL})", "{{pod}}"}}},
		{title: "Kafka requests", unit: "s", help: "Mean time from writing a request to reading its response, by broker.",
			queries: []query{{"sum by (node_id) (rate(sotto_kafka_request_duration_e2e_seconds_sum{SEL}[$__rate_interval])) / sum by (node_id) (rate(sotto_kafka_request_duration_e2e_seconds_count{SEL}[$__rate_interval]))", "{{node_id}}"}}},
		{title: "Versions", unit: "short", queries: []query{{"count by (version) (sotto_build_info{SEL})", "{{version}}"}}},
	}},
}

// dashboard writes Grafana's JSON: a column is a third of the width, or a
// sixth for a single number.
func dashboard(string, []byte) ([]byte, error) {
	type object = map[string]any
	source := object{"type": "prometheus", "uid": "${datasource}"}
	var panels []object
	id, y := 0, 0
	next := func() int { id++; return id }
	for _, r := range dashboardRows {
		panels = append(panels, object{"id": next(), "type": "row", "title": r.title, "collapsed": false, "gridPos": object{"x": 0, "y": y, "w": 24, "h": 1}, "panels": []any{}})
		y++
		x, height := 0, 8
		for _, p := range r.panels {
			kind, width := "timeseries", 8
			if p.kind == "stat" {
				kind, width, height = "stat", 4, 4
			}
			if x+width > 24 {
				x, y = 0, y+height
			}
			var targets []object
			for i, q := range p.queries {
				targets = append(targets, object{"refId": string(rune('A' + i)), "datasource": source,
					"expr": strings.ReplaceAll(q.expr, "SEL", selector), "legendFormat": q.legend})
			}
			panels = append(panels, object{
				"id": next(), "type": kind, "title": p.title, "description": p.help, "datasource": source, "targets": targets,
				"gridPos":     object{"x": x, "y": y, "w": width, "h": height},
				"fieldConfig": object{"defaults": object{"unit": p.unit, "min": 0}, "overrides": []any{}},
			})
			x += width
		}
		y += height
	}
	variable := func(name, query string) object {
		return object{"name": name, "type": "query", "datasource": source, "query": object{"query": query, "refId": name},
			"refresh": 2, "multi": true, "includeAll": true, "allValue": ".*", "current": object{"text": "All", "value": "$__all"}}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(object{
		"uid": "sotto", "title": "Sotto", "tags": []string{"sotto"}, "schemaVersion": 39, "editable": true, "refresh": "30s",
		"time": object{"from": "now-3h", "to": "now"}, "panels": panels,
		"templating": object{"list": []object{
			{"name": "datasource", "type": "datasource", "query": "prometheus"},
			variable("namespace", "label_values(sotto_transactions_committed_total, namespace)"),
			variable("job", `label_values(sotto_transactions_committed_total{namespace=~"$namespace"}, job)`),
		}},
	})
	return b.Bytes(), err
}
