package brokertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// echoThrough starts a server that answers with what it gets, and a connection to it through
// a proxy.
func echoThrough(t *testing.T) (*Proxy, func() net.Conn) {
	t.Helper()
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
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
	p := must[*Proxy](t)(StartProxy(l.Addr().String()))
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, func() net.Conn {
		c := must[net.Conn](t)(net.Dial("tcp", p.Addr()))
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
	p.SetDelay(50 * time.Millisecond)
	start := time.Now()
	if err := ask(c, 10*time.Second); err != nil || time.Since(start) < 100*time.Millisecond {
		t.Errorf("with a delay in both directions: %v after %v", err, time.Since(start))
	}
	p.SetDelay(0)

	p.Block()
	if err := ask(c, 50*time.Millisecond); err == nil {
		t.Error("an answer came although everything is held back")
	}
	p.Unblock()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if answer, err := bufio.NewReader(c).ReadString('\n'); answer != "hello\n" {
		t.Errorf("what was held back is lost: %q, %v", answer, err)
	}

	p.Cut()
	if err := ask(c, 10*time.Second); err == nil {
		t.Error("the connection was not cut")
	}
	if err := ask(dial(), 10*time.Second); err != nil {
		t.Errorf("a new connection: %v", err)
	}
}
