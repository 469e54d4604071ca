package brokertest

import (
	"net"
	"sync"
	"time"
)

// Proxy forwards TCP connections to an address and disturbs them when told to: it
// delays what they carry, holds it back, or cuts them. Its methods are safe for
// concurrent use.
type Proxy struct {
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

// StartProxy starts a proxy on loopback. Close it.
func StartProxy(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// SetDelay makes every piece of data wait, in both directions, from now on.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Block holds all data back, as a network does that loses every packet, until
// Unblock. Connections stay open and new ones are accepted.
func (p *Proxy) Block() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked == nil && !p.closed {
		p.blocked = make(chan struct{})
	}
}

// Unblock lets the data go on that Block held back.
func (p *Proxy) Unblock() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unblock()
}

func (p *Proxy) unblock() {
	if p.blocked != nil {
		close(p.blocked)
		p.blocked = nil
	}
}

// Cut closes all connections. What was on its way is lost.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.unblock()
	p.mu.Unlock()
	err := p.listener.Close()
	p.Cut()
	p.running.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.running.Go(func() { p.connect(in) })
	}
}

// connect joins a client with the target until one of them closes.
func (p *Proxy) connect(in net.Conn) {
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
func (p *Proxy) add(in, out net.Conn) bool {
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

func (p *Proxy) forward(from, to net.Conn) {
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
func (p *Proxy) wait() {
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
