package brokertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sotto/internal/testkit/brokertest/proc"
)

const (
	// startTimeout bounds the start of a broker, also on a loaded machine.
	startTimeout = 90 * time.Second
	// stopTimeout bounds an orderly stop.
	stopTimeout = 30 * time.Second
	// portTries bounds the attempts with other ports if one is taken.
	portTries = 3
)

// KafkaOptions configures a broker. The zero value is what most tests need.
type KafkaOptions struct {
	// Config overrides settings of the broker.
	Config map[string]string
	// SeparateController runs the controller in its own process, which Kill and Stop leave alone.
	// Tests that kill the broker during transactions need it: see controller.go.
	SeparateController bool
	// Secure adds a listener for TLS with SASL, at SecureAddr. Config has the certificates and
	// users, under names that begin with "listener.name.secure.".
	Secure bool
	// Front returns for a second listener of each of three brokers the address under which clients
	// reach it, that of a proxy; nil for no such listener. It is called before the brokers start.
	Front func(listener string) (string, error)
}

// Kafka is an Apache Kafka on loopback: one broker, by default in one process with its controller.
// Its data folder survives Kill and Stop. It is a Cluster, and its methods are safe for concurrent
// use.
//
// On Linux the broker dies with the test, however that ends.
type Kafka struct {
	names
	jars string
	// dir holds the configuration, the data and the log.
	dir  string
	node node
	opts KafkaOptions

	// mu is held for the whole of a start or a stop.
	mu sync.Mutex
	// proc is the latest process of the broker, nil before its first start.
	proc *proc.Process
	// controller is nil if the broker is its own controller. killed reports whether the broker was killed since
	// its last start, and fenced is how often it had lost its session before.
	controller *proc.Process
	killed     bool
	fenced     int
}

// StartKafka fetches Apache Kafka unless it is present, starts it, and waits until it answers and
// has its coordinators. The caller must close it.
func StartKafka(ctx context.Context, o KafkaOptions) (*Kafka, error) {
	return startOnFreePorts(ctx, o, startKafka)
}

type ownCluster interface {
	Cluster
	// logs are the ends of the logs of its processes.
	logs() string
}

// startOnFreePorts starts a cluster with other ports if another process took one between our check and the
// start. start returns a cluster to close also with an error.
func startOnFreePorts[C ownCluster](ctx context.Context, o KafkaOptions, start func(context.Context, string, KafkaOptions) (C, error)) (C, error) {
	jars, err := fetchKafka(ctx)
	if err != nil {
		return *new(C), err
	}
	for try := 1; ; try++ {
		c, err := start(ctx, jars, o)
		if err == nil {
			return c, nil
		}
		taken := strings.Contains(c.logs(), "Address already in use")
		err = errors.Join(err, c.Close())
		if !taken || try == portTries {
			return *new(C), err
		}
	}
}

// newKafka returns a broker with a folder and ports that has not started.
func newKafka(n names, jars string, o KafkaOptions) (k *Kafka, err error) {
	k = &Kafka{names: n, jars: jars, opts: o}
	if k.node.ports, err = freePorts(); err == nil {
		k.dir, err = os.MkdirTemp("", "sotto-kafka-")
	}
	return k, err
}

func startKafka(ctx context.Context, jars string, o KafkaOptions) (*Kafka, error) {
	k, err := newKafka(newNames(), jars, o)
	if err != nil {
		return k, err
	}
	broker := brokerAndController
	if o.SeparateController {
		broker = brokerOnly
		if err := k.startController(ctx); err != nil {
			return k, err
		}
	}
	k.node = singleNode(broker, k.node.ports)
	if err := k.format(ctx, brokerName, k.node); err != nil {
		return k, err
	}
	return k, k.Restart(ctx)
}

// brokerName names the broker's files and, in messages, its process.
const brokerName = "kafka"

func (k *Kafka) config(name string) string { return filepath.Join(k.dir, name+".properties") }

func (k *Kafka) command(name, class string, args ...string) proc.Command {
	return proc.Command{Name: name, Path: javaProgram(), Args: javaArgs(k.jars, k.node.replicas, class, args), Dir: k.dir, LogDir: k.dir}
}

// format writes the configuration of a process and prepares its data folder, with the default
// metadata version and features of this version of Kafka.
func (k *Kafka) format(ctx context.Context, name string, n node) error {
	config := properties(n, filepath.Join(k.dir, name+"-data"), k.opts.Secure, k.opts.Config)
	if err := os.WriteFile(k.config(name), config, 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return proc.Run(ctx, k.command("format", "kafka.tools.StorageTool",
		"format", "--cluster-id", "c290dG8tdGVzdC1rYWZrYQ", "--config", k.config(name)))
}

// Restart restarts the broker with the same port and data, and waits until it serves. If the broker
// is running, Restart kills it first.
//
// After a Kill this takes some seconds: the controller must expire the session of the dead broker
// before it admits the new one.
func (k *Kafka) Restart(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.kill(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := k.awaitFenced(ctx); err != nil {
		return err
	}
	if err := k.launch(); err != nil {
		return err
	}
	return k.await(ctx)
}

func (k *Kafka) launch() (err error) {
	k.proc, err = proc.Start(k.command(brokerName, "kafka.Kafka", k.config(brokerName)))
	return err
}

func (k *Kafka) await(ctx context.Context) error {
	if err := awaitServing(ctx, k.Addr(), k.proc.Done()); err != nil {
		return fmt.Errorf("starting Apache Kafka: %w; end of its log:\n%s", err, k.proc.Tail(30))
	}
	return nil
}

// Kill ends the broker with SIGKILL. Its data stays for Restart.
func (k *Kafka) Kill() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kill()
}

func (k *Kafka) kill() (err error) {
	if k.proc == nil || !k.proc.Running() {
		return nil
	}
	if k.controller != nil {
		if k.fenced, err = k.timesFenced(); err != nil {
			return err
		}
		k.killed = true
	}
	return k.proc.Kill()
}

// Stop shuts the broker down gracefully. Its data stays for Restart.
func (k *Kafka) Stop() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := k.proc.Terminate(); err != nil {
		return err
	}
	if _, err := k.proc.Wait(ctx); err != nil {
		return errors.Join(err, k.kill())
	}
	return nil
}

func (k *Kafka) process() *proc.Process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.proc
}

// Pause freezes the broker until Resume, as a long garbage collection would.
func (k *Kafka) Pause() error { return k.process().Pause() }

// Resume continues a paused broker.
func (k *Kafka) Resume() error { return k.process().Resume() }

// Addr returns the address of the broker, "127.0.0.1:port"; it stays the same after a restart.
func (k *Kafka) Addr() string { return loopback(k.node.ports.broker) }

// SecureAddr returns the address of the listener for TLS and SASL, if there is one.
func (k *Kafka) SecureAddr() string { return loopback(k.node.ports.second) }

// LogTail returns the last lines of the broker's log.
func (k *Kafka) LogTail(lines int) string { return k.process().Tail(lines) }

// processes are those that were started, the broker's first.
func (k *Kafka) processes() (all []*proc.Process) {
	if p := k.process(); p != nil {
		all = append(all, p)
	}
	if k.controller != nil {
		all = append(all, k.controller)
	}
	return all
}

func (k *Kafka) logs() (all string) {
	for _, p := range k.processes() {
		all += p.Tail(200)
	}
	return all
}

// Brokers implements Cluster.
func (k *Kafka) Brokers() []string { return []string{k.Addr()} }

// Close kills the broker and removes its data and its log.
func (k *Kafka) Close() (err error) {
	for _, p := range k.processes() {
		err = errors.Join(err, p.Kill())
	}
	return errors.Join(err, os.RemoveAll(k.dir))
}
