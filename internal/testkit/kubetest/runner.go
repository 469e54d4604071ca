package kubetest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sotto/internal/testkit/brokertest/proc"
)

const (
	// lookInterval is how often a runner checks its program, its probes and whether it must end.
	lookInterval = 50 * time.Millisecond
	// volumeInterval is how often mounted Secrets and ConfigMaps are read; a real kubelet takes up
	// to a minute.
	volumeInterval = time.Second
	// firstBackoff is the pause before a container that has ended is restarted; it doubles up to
	// maxPodBackoff.
	firstBackoff  = 500 * time.Millisecond
	maxPodBackoff = 10 * time.Second
)

//go:embed sandbox.sh
var sandbox string

// runner runs one pod to its end.
type runner struct {
	k      *kubelet
	pod    *pod
	c      *container
	ip     string
	dir    string
	ctx    context.Context
	cancel context.CancelFunc
	begun  time.Time

	once  sync.Once
	grace time.Duration // valid when ctx is done

	restarts int
	last     string // the last reported status
}

func newRunner(k *kubelet, p *pod, ip string) *runner {
	r := &runner{k: k, pod: p, c: &p.Spec.Containers[0], ip: ip, begun: time.Now(),
		dir: filepath.Join(k.dir, "pods", p.Metadata.Name+"-"+p.Metadata.UID)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// end makes the pod end within the grace period. Only the first call counts.
func (r *runner) end(grace time.Duration) {
	r.once.Do(func() {
		r.grace = grace
		r.cancel()
	})
}

// podState is the state of a container, as in its status.
type podState struct {
	waiting string // why it does not run
	message string
	running bool
	started bool
	ready   bool
	ended   bool
	exit    int // when it has ended
}

func (r *runner) run() {
	backoff := firstBackoff
	for r.ctx.Err() == nil {
		p, err := r.start()
		if err != nil {
			why := "ContainerCreating"
			switch {
			case errors.Is(err, errNoImage):
				why = "ErrImagePull"
			case !errors.Is(err, errMissing):
				r.k.fail(fmt.Errorf("pod %s: %w", r.pod.Metadata.Name, err))
				why = "CreateContainerError"
			}
			r.reportStatus(podState{waiting: why, message: err.Error()})
			r.sleep(firstBackoff)
			continue
		}
		status := r.watch(p)
		if r.ctx.Err() != nil {
			break
		}
		if policy := r.pod.Spec.RestartPolicy; policy == "Never" || policy == "OnFailure" && status == 0 {
			r.reportStatus(podState{ended: true, exit: status})
			<-r.ctx.Done()
			break
		}
		r.restarts++
		r.reportStatus(podState{waiting: "CrashLoopBackOff", message: fmt.Sprint("ended with status ", status)})
		r.sleep(backoff)
		backoff = min(2*backoff, maxPodBackoff)
	}
	r.remove()
}

func (r *runner) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.ctx.Done():
	}
}

var errNoImage = errors.New("there is no such image")

// start prepares everything that the container needs and starts its program.
func (r *runner) start() (*proc.Process, error) {
	if err := r.pod.unsupported(); err != nil {
		return nil, err
	}
	image, ok := r.k.images[r.c.Image]
	if !ok {
		return nil, fmt.Errorf("%s: %w", r.c.Image, errNoImage)
	}
	if err := r.mountVolumes(); err != nil {
		return nil, err
	}
	env, err := environment(r.pod, r.c, r.ip, r.source())
	if err != nil {
		return nil, err
	}
	root := filepath.Join(r.dir, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	args := []string{"--user", "--map-root-user", "--mount", "bash", "-c", sandbox, "-", root, image.Root, fmt.Sprint(*r.pod.Spec.SecurityContext.RunAsUser)}
	for _, m := range r.c.VolumeMounts {
		args = append(args, r.volumeDir(m.Name)+":"+m.MountPath)
	}
	args = append(append(append(args, "--"), env...), "--")
	if len(r.c.Command) > 0 {
		args = append(args, r.c.Command...)
	} else {
		args = append(args, image.Entrypoint...)
	}
	return proc.Start(proc.Command{Name: r.pod.Metadata.Namespace + "_" + r.pod.Metadata.Name, Path: "unshare",
		Args: append(args, r.c.Args...), Dir: r.dir, LogDir: r.k.dir})
}

func (r *runner) source() source {
	return source{r.ctx, r.k.client, r.pod.Metadata.Namespace}
}

func (r *runner) volumeDir(name string) string { return filepath.Join(r.dir, "volumes", name) }

func (r *runner) mountVolumes() error {
	for i := range r.pod.Spec.Volumes {
		v := &r.pod.Spec.Volumes[i]
		if v.EmptyDir != nil {
			if err := os.MkdirAll(r.volumeDir(v.Name), 0o777); err != nil {
				return err
			}
			continue
		}
		files, err := r.source().contents(v)
		if err == nil {
			err = project(r.volumeDir(v.Name), files)
		}
		if err != nil {
			return fmt.Errorf("volume %s: %w", v.Name, err)
		}
	}
	return nil
}

// watch probes the program until it ends by itself, fails its probes or must end, and returns its
// exit status.
func (r *runner) watch(p *proc.Process) int {
	now := time.Now()
	var probers [3]*prober
	for i, spec := range []*probe{r.c.StartupProbe, r.c.ReadinessProbe, r.c.LivenessProbe} {
		var err error
		if probers[i], err = newProber(spec, r.c, r.ip, now); err != nil {
			r.k.fail(fmt.Errorf("pod %s: %w", r.pod.Metadata.Name, err))
			return r.finish(p, 0)
		}
	}
	startup, readiness, liveness := probers[0], probers[1], probers[2]
	st := podState{running: true, started: startup == nil, ready: startup == nil && readiness == nil}
	r.reportStatus(st)
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for looked := now; ; {
		select {
		case <-p.Done():
			return r.finish(p, 0)
		case <-r.ctx.Done():
			return r.finish(p, r.grace)
		case now = <-tick.C:
		}
		grace := time.Duration(30) * time.Second
		if !st.started {
			switch startup.ask(r.ctx, now) {
			case passes:
				st.started, st.ready = true, readiness == nil
			case fails:
				r.event("startup probe failed")
				return r.finish(p, grace)
			}
		} else {
			if readiness != nil {
				switch readiness.ask(r.ctx, now) {
				case passes:
					st.ready = true
				case fails:
					st.ready = false
				}
			}
			if liveness != nil && liveness.ask(r.ctx, now) == fails {
				r.event("liveness probe failed")
				return r.finish(p, grace)
			}
		}
		r.reportStatus(st)
		if now.Sub(looked) >= volumeInterval {
			looked = now
			if err := r.mountVolumes(); err != nil && r.ctx.Err() == nil && !errors.Is(err, errMissing) {
				r.event(err.Error())
			}
		}
	}
}

// finish ends the program: SIGTERM, the grace period, SIGKILL.
func (r *runner) finish(p *proc.Process, grace time.Duration) int {
	if p.Running() && grace > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		if err := p.Terminate(); err != nil {
			r.k.fail(err)
		}
		if _, err := p.Wait(ctx); err != nil {
			r.event(fmt.Sprintf("did not end within its grace of %v", grace))
			r.k.fail(fmt.Errorf("pod %s did not end within its grace of %v", r.pod.Metadata.Name, grace))
		}
	}
	if err := p.Kill(); err != nil {
		r.k.fail(err)
	}
	// It has ended.
	status, _ := p.Wait(context.Background())
	return status
}

// event writes a line to the kubelet's own log.
func (r *runner) event(message string) {
	f, err := os.OpenFile(filepath.Join(r.k.dir, "kubelet.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		r.k.fail(err)
		return
	}
	defer f.Close()
	fmt.Fprintf(f, "%s pod %s: %s\n", time.Now().UTC().Format(time.TimeOnly), r.pod.Metadata.Name, message)
}
