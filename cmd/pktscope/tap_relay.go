package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// relay passes datagrams between clients and one server. Each client has a socket of its own towards the server, which so
// tells them apart, and whose answers go back to that client alone.
//
// Whoever may send to the relay could be hostile: clients, their buffers and the time that an idle one is kept are bounded,
// and what comes back from anybody but the server is thrown away by the kernel.
type relay struct {
	listen *net.UDPConn
	to     netip.AddrPort
	// handle is asked about each datagram, one at a time, and passes it on with send or does not. It does not keep data.
	handle func(fromClient bool, client netip.AddrPort, data []byte, send func([]byte) error) error

	mu      sync.Mutex
	clients map[netip.AddrPort]*relayClient
	crowded int64 // datagrams of clients beyond maxClients
	failed  error // the first of handle
	ended   sync.WaitGroup

	missed atomic.Int64 // datagrams that the kernel dropped because they were not read in time, of the sockets that are closed
	shut   sync.Once    // listen
}

// relayClient is a client's socket towards the server, and when it was used last.
type relayClient struct {
	up   *net.UDPConn
	used time.Time
}

const (
	maxClients  = 256
	clientIdle  = time.Minute // after which a client that nothing comes from or for is forgotten
	relayBuffer = 1 << 20     // of the kernel, bytes
	maxTroubles = 1000        // reads in a row that fail
)

// udpNetwork is how the net package calls the family of an address.
func udpNetwork(a netip.Addr) string {
	if a.Is4() {
		return "udp4"
	}
	return "udp6"
}

// newRelay opens the socket that clients send to.
func newRelay(listen, to netip.AddrPort) (*relay, error) {
	conn, err := net.ListenUDP(udpNetwork(listen.Addr()), net.UDPAddrFromAddrPort(listen))
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %s", listen, plainNet(err))
	}
	_ = conn.SetReadBuffer(relayBuffer) // a smaller one will do
	return &relay{listen: conn, to: to, clients: map[netip.AddrPort]*relayClient{}}, nil
}

// plainNet is an error of the net package without the operation and the addresses, which the message has already.
func plainNet(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// run passes datagrams until close is called, or until handle fails.
func (r *relay) run() error {
	data := make([]byte, 1<<16)
	for troubles := 0; ; {
		n, from, err := r.listen.ReadFromUDPAddrPort(data)
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil { // of an earlier answer: the client is gone
			if troubles++; troubles == maxTroubles {
				r.fail(fmt.Errorf("--listen %s: %s", r.listen.LocalAddr(), plainNet(err)))
				break
			}
			continue
		}
		troubles = 0
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		up, err := r.client(from)
		if err != nil {
			r.fail(err)
			break
		}
		if up == nil {
			continue
		}
		r.mu.Lock()
		err = r.handle(true, from, data[:n], func(b []byte) error { _, err := up.Write(b); return err })
		r.mu.Unlock()
		if err != nil {
			r.fail(err)
			break
		}
	}
	r.close()
	r.ended.Wait()
	return r.failed
}

// client is the socket of a client towards the server, nil when there are too many.
func (r *relay) client(from netip.AddrPort) (*net.UDPConn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[from]; c != nil {
		c.used = time.Now()
		return c.up, nil
	}
	if len(r.clients) >= maxClients {
		r.crowded++
		return nil, nil
	}
	up, err := net.DialUDP(udpNetwork(r.to.Addr()), nil, net.UDPAddrFromAddrPort(r.to))
	if err != nil {
		return nil, fmt.Errorf("--to %s: %s", r.to, plainNet(err))
	}
	_ = up.SetReadBuffer(relayBuffer)
	c := &relayClient{up, time.Now()}
	r.clients[from] = c
	r.ended.Add(1)
	go r.answers(from, c)
	return up, nil
}

// idle reports whether a client has been silent for long, and how much longer it may be.
func (r *relay) idle(c *relayClient) (left time.Duration, idle bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left = clientIdle - time.Since(c.used)
	return left, left <= 0
}

// answers passes on what the server sends to one client, until neither has sent anything for a while.
func (r *relay) answers(client netip.AddrPort, c *relayClient) {
	up := c.up
	defer r.ended.Done()
	defer func() {
		r.mu.Lock()
		delete(r.clients, client)
		r.closeSocket(up)
		r.mu.Unlock()
	}()
	data := make([]byte, 1<<16)
	for {
		left, idle := r.idle(c)
		if idle {
			return
		}
		_ = up.SetReadDeadline(time.Now().Add(left)) // of a closed socket: then Read says so
		n, err := up.Read(data)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // the time is over; or the server does not listen, which each packet sent is told once
		}
		r.mu.Lock()
		c.used = time.Now()
		err = r.handle(false, client, data[:n], func(b []byte) error { _, err := r.listen.WriteToUDPAddrPort(b, client); return err })
		r.mu.Unlock()
		if err != nil {
			r.fail(err)
			r.close()
			return
		}
	}
}

func (r *relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// close ends run. It may be called from any goroutine, and again.
func (r *relay) close() {
	r.shut.Do(func() { // without mu, whose holder can be waiting for ever
		r.missed.Add(socketDrops(r.listen)) // not to be had later; before run can end
		r.listen.Close()
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.clients {
		r.closeSocket(c.up)
	}
}

// closeSocket closes a client's socket, and counts what it missed once. Called with mu held.
func (r *relay) closeSocket(up *net.UDPConn) {
	missed := socketDrops(up)
	if up.Close() == nil {
		r.missed.Add(missed)
	}
}
