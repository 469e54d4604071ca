package kubetest

import (
	"context"
	"fmt"
	"time"
)

func (r *runner) path() string {
	return "/api/v1/namespaces/" + r.pod.Metadata.Namespace + "/pods/" + r.pod.Metadata.Name
}

// reportStatus writes the pod status if it has changed.
func (r *runner) reportStatus(s podState) {
	status := fmt.Sprintf("%+v after %d restarts", s, r.restarts)
	if status == r.last {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.k.client.Patch(ctx, r.path()+"/status", fields{
		"metadata": fields{"uid": r.pod.Metadata.UID}, "status": r.status(s),
	}); err != nil {
		// The next call retries.
		return
	}
	r.last = status
	r.event(status)
}

func (r *runner) status(s podState) fields {
	now := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind string, holds bool) fields {
		status := "False"
		if holds {
			status = "True"
		}
		return fields{"type": kind, "status": status, "lastTransitionTime": now}
	}
	phase, inside := "Pending", fields{}
	switch {
	case s.ended:
		phase = "Succeeded"
		if s.exit != 0 {
			phase = "Failed"
		}
		inside["terminated"] = fields{"exitCode": s.exit, "finishedAt": now}
	case s.running:
		phase = "Running"
		inside["running"] = fields{"startedAt": now}
	default:
		if r.restarts > 0 {
			phase = "Running"
		}
		inside["waiting"] = fields{"reason": s.waiting, "message": s.message}
	}
	return fields{
		"phase": phase, "hostIP": nodeIP, "podIP": r.ip, "podIPs": []fields{{"ip": r.ip}},
		"startTime": r.begun.UTC().Format(time.RFC3339),
		"conditions": []fields{condition("PodScheduled", true), condition("Initialized", true),
			condition("ContainersReady", s.ready), condition("Ready", s.ready)},
		"containerStatuses": []fields{{"name": r.c.Name, "image": r.c.Image, "imageID": r.c.Image, "containerID": "process://" + r.pod.Metadata.UID,
			"ready": s.ready, "started": s.started, "restartCount": r.restarts, "state": inside}},
	}
}

// remove removes the pod from the API server.
func (r *runner) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := r.k.client.remove(ctx, r.path(), fields{"apiVersion": "v1", "kind": "DeleteOptions",
		"gracePeriodSeconds": 0, "preconditions": fields{"uid": r.pod.Metadata.UID}})
	if err != nil && !isNotFound(err) {
		r.event(err.Error())
	}
}
