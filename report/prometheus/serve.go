package prometheus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// net/http would do this as well, and brings TLS and HTTP/2 into the program: 3.5 MB, an eighth of it, for one page. A
// scrape is one request, so a connection has one.

// The bounds of what a client can have.
const (
	maxConnections = 16
	maxHead        = 8 << 10          // bytes of a request up to its empty line
	readTimeout    = 5 * time.Second  // for all of a head
	writeTimeout   = 10 * time.Second // for an answer, and for the client to have read it
)

// A Server serves Metrics until it is closed.
type Server struct {
	listener net.Listener
	metrics  *Metrics
	name     string
	working  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   []net.Conn // at most maxConnections, the oldest first
}

// Listen begins to serve m. Whoever reaches the address can read it, by the address, by the machine's name, or on loopback
// as localhost: there is no password.
func Listen(addr netip.AddrPort, name string, m *Metrics) (*Server, error) {
	l, err := net.Listen("tcp", addr.String())
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	s := &Server{listener: l, metrics: m, name: name}
	s.working.Go(s.accept)
	return s, nil
}

// Close ends it at once.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	_ = s.listener.Close()
	for _, c := range s.open {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.working.Wait()
}

// accept takes connections until the server is closed. The program may have no descriptor left for a while.
func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(50 * time.Millisecond)
		case s.enter(conn):
			s.working.Go(func() {
				defer s.leave(conn)
				s.serve(conn)
			})
		}
	}
}

// enter notes a connection. One beyond maxConnections closes the oldest: those that are idle or slow keep nobody out.
func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return false
	}
	if len(s.open) >= maxConnections {
		_ = s.open[0].Close()
		s.open = slices.Delete(s.open, 0, 1)
	}
	s.open = append(s.open, conn)
	return true
}

func (s *Server) leave(conn net.Conn) {
	_ = conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(c net.Conn) bool { return c == conn })
}

// serve answers one request of HTTP/1.x and ends the connection.
func (s *Server) serve(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(readTimeout))
	line, host, err := readHead(conn)
	var a answer
	switch {
	case errors.Is(err, errLongHead):
		a = answer{status: "431 Request Header Fields Too Large", text: []byte(err.Error() + "\n")}
	case err != nil:
		return // it says no more, or is slow
	case !s.own(host, conn.LocalAddr()):
		a = answer{status: "421 Misdirected Request", text: []byte("want this machine's address, its name or localhost as Host\n")}
	default:
		a = s.metrics.answer(line)
	}
	_ = conn.SetDeadline(time.Now().Add(writeTimeout))
	if _, err = conn.Write(a.bytes(time.Now())); err != nil {
		return
	}
	// What came and was not read would make the system reset the connection, and take the answer from the client.
	if half, ok := conn.(*net.TCPConn); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, conn, 8*maxHead)
	}
}

var errLongHead = fmt.Errorf("want a request of at most %d bytes", maxHead)

// own reports whether a Host is this machine: the address that was reached, the machine's name, localhost on loopback, or
// none. A web page that a browser shows could otherwise read the counts, by a name of its own that it lets lead here.
func (s *Server) own(host string, reached net.Addr) bool {
	name := host
	if only, _, err := net.SplitHostPort(host); err == nil {
		name = only
	}
	tcp, ok := reached.(*net.TCPAddr)
	ip := net.ParseIP(strings.Trim(name, "[]"))
	if host == "" || s.name != "" && strings.EqualFold(name, s.name) {
		return true
	}
	return ok && (ip != nil && (ip.Equal(tcp.IP) || ip.IsUnspecified()) || strings.EqualFold(name, "localhost") && tcp.IP.IsLoopback())
}

// readHead reads a request up to its empty line, and gives its first line and its Host, the last one.
func readHead(r io.Reader) (first, host string, err error) {
	in := &io.LimitedReader{R: r, N: maxHead}
	head := bufio.NewReader(in)
	for {
		line, err := head.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		switch {
		case errors.Is(err, io.EOF) && in.N == 0:
			return "", "", errLongHead
		case err != nil:
			return "", "", err
		case first == "":
			first = line
		case line == "":
			return first, host, nil
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "host") {
			host = strings.TrimSpace(value)
		}
	}
}

// answer is what a request is answered.
type answer struct {
	status string // as 200 OK
	text   []byte
	none   bool // the text is not sent, only its length
}

// answer answers a request by its first line: GET and HEAD of /metrics.
func (m *Metrics) answer(line string) answer {
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	u, err := url.ParseRequestURI(target)
	switch {
	case !strings.HasPrefix(version, "HTTP/1."):
		return answer{status: "505 HTTP Version Not Supported", text: []byte("want HTTP/1.1\n")}
	case method != "GET" && method != "HEAD":
		return answer{status: "405 Method Not Allowed", text: []byte("want GET\n")}
	case err != nil || u.Path != "/metrics":
		return answer{status: "404 Not Found", text: []byte("want /metrics\n"), none: method == "HEAD"}
	}
	return answer{status: "200 OK", text: m.exposition(), none: method == "HEAD"}
}

// bytes is the answer on the wire.
func (a answer) bytes(now time.Time) []byte {
	b := fmt.Appendf(nil, "HTTP/1.1 %s\r\nDate: %s GMT\r\nAllow: GET, HEAD\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n", a.status, now.UTC().Format("Mon, 02 Jan 2006 15:04:05"), len(a.text))
	if a.none {
		return b
	}
	return append(b, a.text...)
}
