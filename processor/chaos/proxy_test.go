package chaos

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
)

// proxy forwards TCP connections to an address and disturbs them when told to: it
// delays what they carry, holds it back, or cuts them. Its methods are safe for
// concurrent use.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	conns map[net.Conn]bool // both ends of each connection
	delay time.Duration
	// blocked is closed when data may flow again; nil while it may.
	blocked chan struct{}
	closed  bool

	running sync.WaitGroup
}

// proxiedKafka has a proxy in front of each broker, in the same order. Clients that start from their addresses
// reach the brokers only through them.
type proxiedKafka struct {
	*brokertest.ReplicatedKafka
	proxies []*proxy
}

// front starts the proxies, which the test closes.
func (k *proxiedKafka) front(t *testing.T) func(string) (string, error) {
	return func(listener string) (string, error) {
		p, err := startProxy(listener)
		if err != nil {
			return "", err
		}
		t.Cleanup(func() { _ = p.close() })
		k.proxies = append(k.proxies, p)
		return p.addr(), nil
	}
}

// proxied are the addresses of the proxies.
func (k *proxiedKafka) proxied() (addrs []string) {
	for _, p := range k.proxies {
		addrs = append(addrs, p.addr())
	}
	return addrs
}

// startProxy starts a proxy on loopback. Close it.
func startProxy(target string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	return p, nil
}

// addr is where the proxy listens.
func (p *proxy) addr() string { return p.listener.Addr().String() }

// setDelay makes every piece of data wait, in both directions, from now on.
func (p *proxy) setDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// block holds all data back, as a network does that loses every packet, until
// release. Connections stay open and new ones are accepted.
func (p *proxy) block() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked == nil && !p.closed {
		p.blocked = make(chan struct{})
	}
}

// release lets the data go on that block held back.
func (p *proxy) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unblock()
}

func (p *proxy) unblock() {
	if p.blocked != nil {
		close(p.blocked)
		p.blocked = nil
	}
}

// cut closes all connections. What was on its way is lost.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// close ends the proxy and its connections.
func (p *proxy) close() error {
	p.mu.Lock()
	p.closed = true
	p.unblock()
	p.mu.Unlock()
	err := p.listener.Close()
	p.cut()
	p.running.Wait()
	return err
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.running.Go(func() { p.connect(in) })
	}
}

// connect joins a client with the target until one of them closes.
func (p *proxy) connect(in net.Conn) {
	out, err := net.DialTimeout("tcp", p.target, 5*time.Second)
	if err != nil {
		_ = in.Close()
		return
	}
	if !p.add(in, out) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			p.forward(way[0], way[1])
			_ = in.Close()
			_ = out.Close()
		})
	}
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, in)
	delete(p.conns, out)
}

// add registers a connection, or closes it if the proxy is closed.
func (p *proxy) add(in, out net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = in.Close()
		_ = out.Close()
		return false
	}
	p.conns[in], p.conns[out] = true, true
	return true
}

func (p *proxy) forward(from, to net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		p.wait()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait waits as long as data must.
func (p *proxy) wait() {
	p.mu.Lock()
	delay, blocked := p.delay, p.blocked
	p.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	if blocked != nil {
		<-blocked
	}
}

// echoThrough starts a server that answers with what it gets, and a connection to it through
// a proxy.
func echoThrough(t *testing.T) (*proxy, func() net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()
	p, err := startProxy(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p, func() net.Conn {
		c, err := net.Dial("tcp", p.addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
}

// ask sends a line and returns when the answer has come.
func ask(c net.Conn, within time.Duration) error {
	if err := c.SetDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(c, "hello"); err != nil {
		return err
	}
	answer, err := bufio.NewReader(c).ReadString('\n')
	if err == nil && answer != "hello\n" {
		err = fmt.Errorf("the answer is %q", answer)
	}
	return err
}

func TestProxy(t *testing.T) {
	p, dial := echoThrough(t)
	c := dial()
	if err := ask(c, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	p.setDelay(50 * time.Millisecond)
	start := time.Now()
	if err := ask(c, 10*time.Second); err != nil || time.Since(start) < 100*time.Millisecond {
		t.Errorf("with a delay in both directions: %v after %v", err, time.Since(start))
	}
	p.setDelay(0)

	p.block()
	if err := ask(c, 50*time.Millisecond); err == nil {
		t.Error("an answer came although everything is held back")
	}
	p.release()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if answer, err := bufio.NewReader(c).ReadString('\n'); answer != "hello\n" {
		t.Errorf("what was held back is lost: %q, %v", answer, err)
	}

	p.cut()
	if err := ask(c, 10*time.Second); err == nil {
		t.Error("the connection was not cut")
	}
	if err := ask(dial(), 10*time.Second); err != nil {
		t.Errorf("a new connection: %v", err)
	}
}
