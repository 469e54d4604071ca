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
	// Tests that kill the broker during transactions need it: see controller.
	SeparateController bool
	// Secure adds a listener for TLS with SASL, at SecureAddr. Config has the certificates and
	// users, under names that begin with "listener.name.secure.".
	Secure bool
	// Front returns for a second listener of each of three brokers the address under which clients
	// reach it, that of a proxy; nil for no such listener. It is called before the brokers start.
	Front func(listener string) (string, error)
	// JVM are additional flags of the Java virtual machine, after our own.
	JVM []string
}

// Kafka is an Apache Kafka on loopback: one broker, by default in one process with its controller.
// Its data folder survives Kill and Stop. It is a Cluster, and its methods are safe for concurrent
// use.
//
// On Linux the broker dies with the test, however that ends.
type Kafka struct {
	names
	java string
	jars string
	// dir holds the configuration, the data and the log.
	dir   string
	ports ports
	node  node
	opts  KafkaOptions

	// mu is held for the whole of a start or a stop.
	mu   sync.Mutex
	proc *proc.Process
	// controller is nil if the broker is its own controller.
	controller *controller
}

// StartKafka fetches Apache Kafka unless it is present, starts it, and waits until it answers and
// has its coordinators. The caller must close it.
func StartKafka(ctx context.Context, o KafkaOptions) (*Kafka, error) {
	jars, err := fetchKafka(ctx)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		k, err := startKafka(ctx, jars, o)
		if !errors.Is(err, errPortTaken) || try == portTries {
			return k, err
		}
	}
}

// errPortTaken means that another process took a port between our check and the start.
var errPortTaken = errors.New("a port was taken")

func startKafka(ctx context.Context, jars string, o KafkaOptions) (_ *Kafka, err error) {
	dir, err := os.MkdirTemp("", "sotto-kafka-")
	if err != nil {
		return nil, err
	}
	k := &Kafka{names: newNames(), java: javaProgram(), jars: jars, dir: dir, opts: o}
	defer func() {
		if err != nil {
			if strings.Contains(k.LogTail(200)+k.controller.tail(200), "Address already in use") {
				err = errors.Join(errPortTaken, err)
			}
			_ = k.Close()
		}
	}()
	if k.ports, err = freePorts(); err != nil {
		return nil, err
	}
	broker := brokerAndController
	if o.SeparateController {
		broker = brokerOnly
		if err := k.startController(ctx); err != nil {
			return nil, err
		}
	}
	k.node = singleNode(broker, k.ports)
	if err := k.format(ctx, brokerName, k.node); err != nil {
		return nil, err
	}
	return k, k.Restart(ctx)
}

// brokerName names the broker's files and, in messages, its process.
const brokerName = "kafka"

func (k *Kafka) config(name string) string { return filepath.Join(k.dir, name+".properties") }

// run starts a main class of Kafka.
func (k *Kafka) run(name, class string, args ...string) (*proc.Process, error) {
	return proc.Start(proc.Command{
		Name:   name,
		Path:   k.java,
		Args:   javaArgs(k.jars, k.opts.JVM, class, args),
		Dir:    k.dir,
		LogDir: k.dir,
	})
}

// format writes the configuration of a process and prepares its data folder, with the default
// metadata version and features of this version of Kafka.
func (k *Kafka) format(ctx context.Context, name string, n node) error {
	config := properties(n, filepath.Join(k.dir, name+"-data"), k.opts.Secure, k.opts.Config)
	if err := os.WriteFile(k.config(name), config, 0o600); err != nil {
		return err
	}
	p, err := k.run("format", "kafka.tools.StorageTool",
		"format", "--cluster-id", "c290dG8tdGVzdC1rYWZrYQ", "--config", k.config(name))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	status, err := p.Wait(ctx)
	if err != nil {
		return errors.Join(err, p.Kill())
	}
	if status != 0 {
		return fmt.Errorf("formatting the storage of Apache Kafka: exit status %d:\n%s", status, p.Tail(20))
	}
	return nil
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
	if err := k.controller.awaitFenced(ctx); err != nil {
		return err
	}
	if err := k.launch(); err != nil {
		return err
	}
	return k.await(ctx)
}

// launch starts the broker's process.
func (k *Kafka) launch() (err error) {
	k.proc, err = k.run(brokerName, "kafka.Kafka", k.config(brokerName))
	return err
}

// await waits until the broker serves.
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

func (k *Kafka) kill() error {
	if k.proc == nil || !k.proc.Running() {
		return nil
	}
	if err := k.controller.willFence(); err != nil {
		return err
	}
	return k.proc.Kill()
}

// Stop shuts the broker down gracefully. Its data stays for Restart.
func (k *Kafka) Stop() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proc == nil {
		return nil
	}
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

// Pause freezes the broker until Resume, as a long garbage collection would.
func (k *Kafka) Pause() error { return k.signal((*proc.Process).Pause) }

// Resume continues a paused broker.
func (k *Kafka) Resume() error { return k.signal((*proc.Process).Resume) }

func (k *Kafka) signal(send func(*proc.Process) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proc == nil {
		return nil
	}
	return send(k.proc)
}

func (k *Kafka) running() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.proc != nil && k.proc.Running()
}

// Addr returns the address of the broker, "127.0.0.1:port"; it stays the same after a restart.
func (k *Kafka) Addr() string { return loopback(k.ports.broker) }

// SecureAddr returns the address of the listener for TLS and SASL, "" if there is none.
func (k *Kafka) SecureAddr() string { return loopback(k.ports.second) }

// LogTail returns the last lines of the broker's log.
func (k *Kafka) LogTail(lines int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proc == nil {
		return ""
	}
	return k.proc.Tail(lines)
}

// Brokers implements Cluster.
func (k *Kafka) Brokers() []string { return []string{k.Addr()} }

// Close kills the broker and removes its data and its log.
func (k *Kafka) Close() error {
	return errors.Join(k.Kill(), k.controller.kill(), os.RemoveAll(k.dir))
}
