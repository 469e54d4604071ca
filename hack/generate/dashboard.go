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

// quantiles of a histogram, which Prometheus stores as series *_bucket or, if it scrapes
// native histograms, as one series. One of the two forms is empty.
func quantiles(metric string) []query {
	var q []query
	for _, p := range []string{"0.5", "0.95", "0.99"} {
		expr := fmt.Sprintf("histogram_quantile(%[1]s, sum by (le) (rate(%[2]s_bucket{SEL}[$__rate_interval])))"+
			" or histogram_quantile(%[1]s, sum(rate(%[2]s{SEL}[$__rate_interval])))", p, metric)
		q = append(q, query{expr, "p" + strings.TrimPrefix(p+"0", "0.")[:2]})
	}
	return q
}

// quantilesBy is one quantile of a histogram by a label, in either form.
func quantilesBy(p, metric, by string) []query {
	expr := fmt.Sprintf("histogram_quantile(%[1]s, sum by (%[3]s, le) (rate(%[2]s_bucket{SEL}[$__rate_interval])))"+
		" or histogram_quantile(%[1]s, sum by (%[3]s) (rate(%[2]s{SEL}[$__rate_interval])))", p, metric, by)
	return []query{{expr, "{{" + by + "}}"}}
}

// mean of a histogram in either form.
func mean(metric, by, legend string) []query {
	expr := fmt.Sprintf("sum by (%[2]s) (rate(%[1]s_sum{SEL}[$__rate_interval])) / sum by (%[2]s) (rate(%[1]s_count{SEL}[$__rate_interval]))"+
		" or histogram_avg(sum by (%[2]s) (rate(%[1]s{SEL}[$__rate_interval])))", metric, by)
	return []query{{expr, legend}}
}

func rate(metric, by, legend string) []query {
	if by != "" {
		by = " by (" + by + ")"
	}
	return []query{{fmt.Sprintf("sum%s (rate(%s{SEL}[$__rate_interval]))", by, metric), legend}}
}

var dashboardRows = []row{
	{"At a glance", []panel{
		{title: "Lag", unit: "short", kind: "stat", help: "Raw records that are not yet committed. A transaction marker at the end of a partition counts as one.", queries: []query{{"sum(sotto_lag_records{SEL})", ""}}},
		{title: "Latency, p99", unit: "s", kind: "stat", help: "From the timestamp of a raw record to the commit of its outputs; one record in a hundred takes longer.", queries: quantiles("sotto_end_to_end_seconds")[2:]},
		{title: "Utterances per second", unit: "ops", kind: "stat", help: "Utterances anonymized in committed transactions.", queries: rate("sotto_utterances_total", "", "")},
		{title: "Oldest uncommitted record", unit: "s", kind: "stat", help: "The lag in seconds, of the pod that is furthest behind.", queries: []query{{"max(sotto_oldest_uncommitted_seconds{SEL})", ""}}},
		{title: "Pods not ready", unit: "short", kind: "stat", help: "Not in the group, not polling, restoring, or without commits; /readyz gives the reason.", queries: []query{{"sum(1 - sotto_ready{SEL})", ""}}},
		{title: "Last canary", unit: "s", kind: "stat", help: "Time since a synthetic call last came out redacted.",
			queries: []query{{"time() - max(sotto_canary_last_success_timestamp_seconds{SEL})", ""}}},
	}},
	{"Detection", []panel{
		{title: "Replaced, by infoType", unit: "ops", help: "Spans replaced per second. One infoType that falls while the others stay may be a leak.", queries: rate("sotto_entities_total", "infotype", "{{infotype}}")},
		{title: "Replaced, by detector", unit: "ops", help: "Spans replaced per second, by the detector that found them.", queries: rate("sotto_detections_total", "detector", "{{detector}}")},
		{title: "Share of characters redacted", unit: "percentunit", help: "A drop while utterances arrive may be a leak.",
			queries: []query{{"sum(rate(sotto_redacted_characters_total{SEL}[$__rate_interval])) / sum(rate(sotto_input_characters_total{SEL}[$__rate_interval]))", "redacted"}}},
		{title: "Replaced per utterance", unit: "short", help: "Spans replaced in the mean utterance. SottoDetectionsCollapsed fires when it falls to a fifth.",
			queries: []query{{"sum(rate(sotto_entities_total{SEL}[$__rate_interval])) / sum(rate(sotto_utterances_total{SEL}[$__rate_interval]))", "all types"}}},
		{title: "Pods by policy", unit: "short", help: "More than one policy is normal during a rollout only.", queries: []query{{"count by (policy) (sotto_policy_info{SEL} == 1)", "{{policy}}"}}},
		{title: "Canary", unit: "short", help: "Synthetic calls in ten minutes, by outcome. 'leaked' is an emergency.", queries: []query{{"sum by (outcome) (increase(sotto_canary_runs_total{SEL}[10m]))", "{{outcome}}"}}},
	}},
	{"Privacy", []panel{
		{title: "Estimated risk, mean plus deviation", unit: "short", help: "Mean plus standard deviation of the estimated residual risk of the calls since each process started, in points. A corpus passes below 5.",
			queries: []query{{"max by (context) (sotto_estimated_risk_mean_plus_std{SEL})", "{{context}}"}}},
		{title: "Estimated risk of calls, p95", unit: "short", help: "Points of the riskiest twentieth of the calls that ended.",
			queries: quantilesBy("0.95", "sotto_estimated_risk", "context")},
		{title: "Calls held", unit: "percentunit", help: "Share of the calls that ended with release: false, because of their estimated risk or of other languages.",
			queries: []query{{`sum by (context) (rate(sotto_calls_ended_total{SEL, released="false"}[$__rate_interval])) / sum by (context) (rate(sotto_calls_ended_total{SEL}[$__rate_interval]))`, "{{context}}"}}},
		{title: "Calls over the risk limit", unit: "ops", help: "Calls per second that ended with an estimated risk over SOTTO_RISK_LIMIT, by what the gate does with them.", queries: rate("sotto_calls_over_risk_limit_total", "context, gate", "{{context}} ({{gate}})")},
		{title: "Sampled for the audit", unit: "percentunit", help: "Audit events as a share of the clean events. It follows SOTTO_AUDIT_RATE and SOTTO_AUDIT_DOUBT_RATE.",
			queries: []query{{`sum(rate(sotto_events_total{SEL, kind="audit"}[$__rate_interval])) / sum(rate(sotto_events_total{SEL, kind="clean"}[$__rate_interval]))`, "audit"}}},
		{title: "Below the threshold, by infoType", unit: "ops", help: "Spans per second that a detector found and that stayed in the text, because their likelihood was too low.", queries: rate("sotto_subthreshold_findings_total", "infotype", "{{infotype}}")},
		{title: "Utterances held back", unit: "ops", help: "Utterances that waited for later ones, so that those decide how they are masked (SOTTO_HOLD_BACK_UTTERANCES).", queries: rate("sotto_events_held_total", "", "held back")},
		{title: "Other languages", unit: "ops", help: "Utterances in languages other than English, by language and decision (SOTTO_OTHER_LANGUAGES).", queries: rate("sotto_other_language_utterances_total", "language, decision", "{{language}} ({{decision}})")},
		{title: "Masked by the closing pass only", unit: "ops", help: "Spans that were found when the whole call was known. They are in the clean events, and not in the final versions.", queries: rate("sotto_closing_pass_masks_total", "", "spans")},
	}},
	{"Flow", []panel{
		{title: "Records in, events out", unit: "ops", help: "Raw records read and events written, in committed transactions.", queries: append(rate("sotto_raw_records_total", "", "raw"), rate("sotto_events_total", "kind", "{{kind}}")...)},
		{title: "Lag by partition", unit: "short", help: "Records behind. One partition with much lag has a hot key or a stalled pod.", queries: []query{{"max by (partition) (sotto_lag_records{SEL})", "{{partition}}"}}},
		{title: "From raw record to commit", unit: "s", help: "From the timestamp of the raw record to the commit of its outputs.", queries: quantiles("sotto_end_to_end_seconds")},
		{title: "Oldest uncommitted record by pod", unit: "s", help: "The lag in seconds. If it grows by a second each second, the pod commits nothing.", queries: []query{{"max by (pod) (sotto_oldest_uncommitted_seconds{SEL})", "{{pod}}"}}},
		{title: "Dead letters", unit: "ops", help: "Raw records that could not be processed, by reason. They are missing from the clean topic.", queries: rate("sotto_dead_letters_total", "reason", "{{reason}}")},
		{title: "Interim hypotheses dropped, late events", unit: "ops", help: "Interim hypotheses are dropped by design. Late events arrived after the grace period of their call.", queries: append(rate("sotto_interim_dropped_total", "", "interim"), rate("sotto_late_events_total", "", "late")...)},
		{title: "Canary round trip", unit: "s", help: "From a synthetic call's first event to the clean event of its END.", queries: quantiles("sotto_canary_seconds")},
	}},
	{"Transactions", []panel{
		{title: "Commits", unit: "ops", help: "Transactions committed per second.", queries: rate("sotto_transactions_committed_total", "pod", "{{pod}}")},
		{title: "Aborts", unit: "ops", help: "An aborted transaction is undone and its records are read again.", queries: rate("sotto_transactions_aborted_total", "reason", "{{reason}}")},
		{title: "Time to commit", unit: "s", help: "From the end of a transaction's records to its commit.", queries: quantiles("sotto_commit_seconds")},
		{title: "Rebalances, sessions recreated", unit: "ops", help: "Assignments received, and sessions that failed and were recreated.",
			queries: append(rate("sotto_rebalances_total", "", "rebalances"), rate("sotto_session_restarts_total", "", "sessions recreated")...)},
		{title: "Partitions by pod", unit: "short", help: "Raw partitions assigned. A pod without any is idle.", queries: []query{{"sum by (pod) (sotto_assigned_partitions{SEL})", "{{pod}}"}}},
		{title: "Stopped partitions", unit: "short", help: "They need an operator; /readyz gives the reason.", queries: []query{{"sum by (pod) (sotto_stopped_partitions{SEL})", "{{pod}}"}}},
		{title: "Ready", unit: "short", help: "1 if /readyz reports that the pod is ready.", queries: []query{{"min by (pod) (sotto_ready{SEL})", "{{pod}}"}}},
		{title: "Time since the last poll", unit: "s", help: "A poll returns within a second. /livez fails after five minutes.", queries: []query{{"max by (pod) (sotto_poll_age_seconds{SEL})", "{{pod}}"}}},
		{title: "Fetch and reload errors", unit: "ops", help: "Fetches from the raw topic that failed, and reloads of dictionaries or keys that failed.", queries: append(rate("sotto_fetch_errors_total", "", "fetch"), rate("sotto_reload_errors_total", "", "reload")...)},
	}},
	{"State", []panel{
		{title: "Open calls by pod", unit: "short", help: "Calls in memory, those in their grace period included.", queries: []query{{"sum by (pod) (sotto_open_calls{SEL})", "{{pod}}"}}},
		{title: "Sealed states in memory", unit: "bytes", help: "Size of the sealed states of the calls in memory.", queries: []query{{"sum by (pod) (sotto_state_held_bytes{SEL})", "{{pod}}"}}},
		{title: "Oldest open call", unit: "s", help: "Event time since the oldest open call began.", queries: []query{{"max by (pod) (sotto_oldest_open_call_seconds{SEL})", "{{pod}}"}}},
		{title: "State written", unit: "Bps", help: "Bytes of call states written to the state topic.", queries: rate("sotto_state_bytes_total", "", "bytes")},
		{title: "State bytes per raw record", unit: "bytes", help: "Bytes of call states written for each raw record.",
			queries: []query{{"sum(rate(sotto_state_bytes_total{SEL}[$__rate_interval])) / sum(rate(sotto_raw_records_total{SEL}[$__rate_interval]))", "bytes"}}},
		{title: "Dormant calls by pod", unit: "short", help: "Open calls without recent events, whose state is sealed in memory.", queries: []query{{"sum by (pod) (sotto_dormant_calls{SEL})", "{{pod}}"}}},
		{title: "States written, calls closed as idle", unit: "ops", help: "A state is written only if a call learned something.", queries: append(rate("sotto_state_records_total", "", "states"), rate("sotto_calls_closed_idle_total", "", "closed as idle")...)},
		{title: "Restores", unit: "s", help: "A partition has no output while it is restored.", queries: quantiles("sotto_restore_seconds")},
		{title: "State records read by restores", unit: "ops", help: "Restores happen when partitions move.", queries: rate("sotto_restore_records_total", "pod", "{{pod}}")},
		{title: "Failed restores", unit: "ops", help: "'halted' stops the partition until somebody acts; 'failed' is tried again.", queries: rate("sotto_restore_failures_total", "kind", "{{kind}}")},
	}},
	{"Process", []panel{
		{title: "CPU", unit: "short", help: "Cores in use.", queries: rate("process_cpu_seconds_total", "pod", "{{pod}}")},
		{title: "Memory", unit: "bytes", help: "Resident memory of the process.", queries: []query{{"sum by (pod) (process_resident_memory_bytes{SEL})", "{{pod}}"}}},
		{title: "Goroutines", unit: "short", help: "A number that only grows is a defect; please report it.", queries: []query{{"sum by (pod) (go_goroutines{SEL})", "{{pod}}"}}},
		{title: "Kafka requests", unit: "s", help: "Mean time from writing a request to reading its response, by broker.",
			queries: mean("sotto_kafka_request_duration_e2e_seconds", "node_id", "{{node_id}}")},
		{title: "Versions", unit: "short", help: "Pods by version of Sotto. More than one is normal during a rollout only.", queries: []query{{"count by (version) (sotto_build_info{SEL})", "{{version}}"}}},
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
