// Package loopback finds addresses for the servers of tests.
package loopback

import (
	"net"
	"testing"
)

// FreeAddress returns an address of loopback, host:port, on which nobody listens. Another process may
// take it before the test does.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
