package brokertest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// ports are the ports of the broker, of its controller, and of the broker's second listener: the
// secure one, or the one behind a proxy.
type ports struct{ broker, controller, second int }

const (
	// The ports are below the usual ephemeral ranges. A port from those ranges could be in use by
	// the time a killed broker restarts, and a client that dials it meanwhile could even be
	// connected to itself.
	firstPort = 20_000
	lastPort  = 31_999
)

func freePorts() (ports, error) {
	var found []int
	for range 1000 {
		p := firstPort + rand.IntN(lastPort-firstPort+1)
		l, err := net.Listen("tcp", loopback(p))
		if err != nil || slices.Contains(found, p) {
			continue
		}
		if err := l.Close(); err != nil {
			return ports{}, err
		}
		if found = append(found, p); len(found) == 3 {
			return ports{found[0], found[1], found[2]}, nil
		}
	}
	return ports{}, fmt.Errorf("no free ports on loopback between %d and %d", firstPort, lastPort)
}

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// The roles of a process, as Kafka writes them.
const (
	brokerAndController = "broker,controller"
	brokerOnly          = "broker"
	controllerOnly      = "controller"
)

type node struct {
	role  string
	id    int
	ports ports
	// voters is the quorum of controllers, as Kafka writes it.
	voters string
	// replicas is the replication factor of all topics: one or three.
	replicas int
	// front is the address under which clients of the second listener reach it, if
	// that is another one.
	front string
}

// singleNode is the only broker of a cluster, or its separate controller.
func singleNode(r string, p ports) node {
	n := node{role: r, id: 1, ports: p, voters: "1@" + loopback(p.controller), replicas: 1}
	if r == brokerOnly {
		n.id = 2
	}
	return n
}

//go:embed kafka.properties
var propertiesText string

var propertiesTemplate = template.Must(template.New("kafka.properties").Parse(propertiesText))

// properties returns the configuration of a process.
//
// If secure is set, there is a listener for TLS and SASL next to the plain one. The test provides
// the rest of its configuration, under "listener.name.secure.".
func properties(n node, data string, secure bool, override map[string]string) []byte {
	var b bytes.Buffer
	err := propertiesTemplate.Execute(&b, map[string]any{
		"Role": n.role, "ID": n.id, "Voters": n.voters, "Data": data, "Rack": Rack(n.id), "Front": n.front,
		"Broker": loopback(n.ports.broker), "Controller": loopback(n.ports.controller), "Second": loopback(n.ports.second),
		"Secure": secure && n.role != controllerOnly, "Replicas": n.replicas, "InSync": max(1, n.replicas-1),
	})
	if err != nil {
		panic(err) // cannot happen: the template is ours
	}
	// The last value of a setting counts.
	for _, k := range slices.Sorted(maps.Keys(override)) {
		fmt.Fprintf(&b, "%s=%s\n", k, strings.ReplaceAll(override[k], `\`, `\\`))
	}
	return b.Bytes()
}

// EnvJVM names the environment variable with more flags of the Java virtual machine. A benchmark
// wants the optimizing compiler, which tests do without.
const EnvJVM = "SOTTO_TEST_KAFKA_JVM"

// javaArgs are the arguments of the Java virtual machine. The simple compiler and collector save
// seconds at the start, and CPU time on small machines.
func javaArgs(jars string, brokers int, class string, args []string) []string {
	heap := "-Xmx512m"
	if brokers > 1 { // they share the memory of a small machine
		heap = "-Xmx320m"
	}
	own := []string{
		"-Xms64m", heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true",
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
	}
	own = append(own, strings.Fields(os.Getenv(EnvJVM))...)
	return slices.Concat(own, []string{"-cp", filepath.Join(jars, "*"), class}, args)
}

func javaProgram() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin", "java")
	}
	return "java"
}

// fetchKafka returns the folder of Kafka's jars, which it fetches unless they are present. Its
// error says what the machine lacks.
func fetchKafka(ctx context.Context) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "hack", "kafka", "fetch"))
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return "", errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// moduleRoot finds the folder of the module above the working folder, which in a test is that of
// the package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("go.mod not found: run this inside the module")
		}
	}
}
