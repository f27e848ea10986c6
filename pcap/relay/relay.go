package relay

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// MaxClients is how many clients a Relay serves at a time. The datagrams of others are counted and lost.
const MaxClients = 256

const (
	clientIdle    = time.Minute // after which a client that nothing comes from or for is forgotten
	receiveBuffer = 1 << 20     // of the kernel, bytes
	maxTroubles   = 1000        // reads in a row that fail
)

// Packet is a datagram on its way.
type Packet struct {
	Client     netip.AddrPort // the client that it comes from or goes to
	FromClient bool
	Data       []byte // the payload; valid until the Handler returns
	Kept       *any   // what the Handler keeps of the client; nil at first, and again when the Relay has forgotten it

	forward func([]byte) error
}

// Forward sends payload where the packet was going, which is Data unless it is to be changed. It may be called later,
// from any goroutine. The error is the system's: of a server that does not listen, for example.
func (p *Packet) Forward(payload []byte) error { return p.forward(payload) }

// Handler decides what becomes of a packet: it calls Forward once, several times or not at all. An error ends the
// relay.
type Handler func(*Packet) error

// Relay passes datagrams between clients and one server. Its methods may be called by several goroutines.
type Relay struct {
	listen *net.UDPConn
	to     netip.AddrPort
	handle Handler

	mu      sync.Mutex // held while handle runs
	clients map[netip.AddrPort]*client
	crowded int64 // datagrams of clients beyond MaxClients
	failed  error // the first of handle
	ended   sync.WaitGroup

	missed atomic.Int64 // datagrams that the kernel dropped because they were not read in time, of the sockets that are closed
	shut   sync.Once    // listen
}

// client is a client's socket towards the server, and when it was used last.
type client struct {
	up   *net.UDPConn
	used time.Time
	kept any // by the Handler
}

// Listen opens the socket that clients send to, and makes a Relay from there to a server.
func Listen(listen, server netip.AddrPort, handle Handler) (*Relay, error) {
	conn, err := net.ListenUDP(udpNetwork(listen.Addr()), net.UDPAddrFromAddrPort(listen))
	if err != nil {
		return nil, fmt.Errorf("listen %s: %w", listen, cause(err))
	}
	_ = conn.SetReadBuffer(receiveBuffer) // a smaller one will do
	return &Relay{listen: conn, to: server, handle: handle, clients: map[netip.AddrPort]*client{}}, nil
}

// Addr is where clients send to.
func (r *Relay) Addr() netip.AddrPort { return r.listen.LocalAddr().(*net.UDPAddr).AddrPort() }

// udpNetwork is how the net package calls the family of an address.
func udpNetwork(a netip.Addr) string {
	if a.Is4() {
		return "udp4"
	}
	return "udp6"
}

// cause is an error of the net package without the operation and the addresses, which the message has already.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// Run passes datagrams until Close is called, or until the Handler fails: then it returns that error.
func (r *Relay) Run() error {
	data := make([]byte, 1<<16)
	for troubles := 0; ; {
		n, from, err := r.listen.ReadFromUDPAddrPort(data)
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil { // of an earlier answer: the client is gone
			if troubles++; troubles == maxTroubles {
				r.fail(fmt.Errorf("listen %s: %w", r.listen.LocalAddr(), cause(err)))
				break
			}
			continue
		}
		troubles = 0
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		c, err := r.clientOf(from)
		if err != nil {
			r.fail(err)
			break
		}
		if c == nil {
			continue
		}
		r.mu.Lock()
		err = r.handle(&Packet{from, true, data[:n], &c.kept, func(b []byte) error { _, err := c.up.Write(b); return err }})
		r.mu.Unlock()
		if err != nil {
			r.fail(err)
			break
		}
	}
	r.Close()
	r.ended.Wait()
	return r.failed
}

// clientOf is the client of an address, nil when there are too many.
func (r *Relay) clientOf(from netip.AddrPort) (*client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[from]; c != nil {
		c.used = time.Now()
		return c, nil
	}
	if len(r.clients) >= MaxClients {
		r.crowded++
		return nil, nil
	}
	up, err := net.DialUDP(udpNetwork(r.to.Addr()), nil, net.UDPAddrFromAddrPort(r.to))
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", r.to, cause(err))
	}
	_ = up.SetReadBuffer(receiveBuffer)
	c := &client{up: up, used: time.Now()}
	r.clients[from] = c
	r.ended.Add(1)
	go r.answers(from, c)
	return c, nil
}

// idle reports whether a client has been silent for long, and how much longer it may be.
func (r *Relay) idle(c *client) (left time.Duration, idle bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left = clientIdle - time.Since(c.used)
	return left, left <= 0
}

// answers passes on what the server sends to one client, until neither has sent anything for a while.
func (r *Relay) answers(from netip.AddrPort, c *client) {
	up := c.up
	defer r.ended.Done()
	defer func() {
		r.mu.Lock()
		delete(r.clients, from)
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
			continue // the time is over; or the server does not listen, which the system reports once for each packet sent
		}
		r.mu.Lock()
		c.used = time.Now()
		err = r.handle(&Packet{from, false, data[:n], &c.kept, func(b []byte) error { _, err := r.listen.WriteToUDPAddrPort(b, from); return err }})
		r.mu.Unlock()
		if err != nil {
			r.fail(err)
			r.Close()
			return
		}
	}
}

// Missed counts the datagrams that the kernel dropped because they were not read in time, after Run; 0 where the system
// does not say.
func (r *Relay) Missed() int64 { return r.missed.Load() }

// Crowded counts the datagrams of clients beyond MaxClients.
func (r *Relay) Crowded() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.crowded
}

func (r *Relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// Close ends Run. It may be called from any goroutine, and again.
func (r *Relay) Close() {
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
func (r *Relay) closeSocket(up *net.UDPConn) {
	missed := socketDrops(up)
	if up.Close() == nil {
		r.missed.Add(missed)
	}
}
