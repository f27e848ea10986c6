package prometheus

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pktscope/pktscope/report/stats"
)

// The bounds of what a client of HTTP can have.
const (
	maxConnections = 16
	maxHeader      = 8 << 10 // bytes
	readTimeout    = 5 * time.Second
	writeTimeout   = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	fresh          = time.Second // how long an exposition is served again
)

// Metrics is an http.Handler of /metrics.
type Metrics struct {
	counted func(now int64) []*stats.Summary
	capture func() Capture

	mu   sync.Mutex
	made time.Time
	text []byte // is not changed, only replaced
}

// New makes Metrics of what counted has, such as stats.Shared.Summaries. Both functions are called by one goroutine at a
// time, once a second at most.
func New(counted func(now int64) []*stats.Summary, capture func() Capture) *Metrics {
	return &Metrics{counted: counted, capture: capture}
}

// exposition is what was counted, at most a second ago.
func (m *Metrics) exposition() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); m.text == nil || now.Sub(m.made) >= fresh {
		c := m.capture()
		m.text, m.made = Append(nil, &c, m.counted(now.UnixNano())), now
	}
	return m.text
}

// ServeHTTP answers GET and HEAD of /metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.Header().Set("Connection", "close") // what else it sends is not read
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
	case r.URL.Path != "/metrics":
		http.Error(w, "want /metrics", http.StatusNotFound)
	default:
		text := m.exposition()
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(text)
		}
	}
}

// Address is where to listen, of text such as 127.0.0.1:9190, [::1]:9190 or :9190, which is of loopback. A name is
// refused: it could be another address tomorrow.
func Address(text string) (netip.AddrPort, error) {
	if strings.HasPrefix(text, ":") {
		text = "127.0.0.1" + text
	}
	addr, err := netip.ParseAddrPort(text)
	if err != nil || addr.Port() == 0 {
		return addr, errors.New("want ADDR:PORT, such as 127.0.0.1:9190")
	}
	return addr, nil
}

// A Server serves Metrics until it is closed.
type Server struct {
	http *http.Server
	done chan struct{}
}

// Listen begins to serve m. Whoever reaches the address can read it: there is no password.
func Listen(addr netip.AddrPort, m *Metrics) (*Server, error) {
	l, err := net.Listen("tcp", addr.String())
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	s := &Server{done: make(chan struct{}), http: &http.Server{
		Handler: m, ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // what a client does wrong is no news
		ConnState: new(newest).note,
	}}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// newest are the connections of a server, the oldest first. One beyond maxConnections closes the oldest: those that are
// idle or slow keep nobody out.
type newest struct {
	mu   sync.Mutex
	open []net.Conn // at most maxConnections
}

// note is the ConnState of a server.
func (n *newest) note(conn net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(n.open) >= maxConnections {
			_ = n.open[0].Close()
			n.open = slices.Delete(n.open, 0, 1)
		}
		n.open = append(n.open, conn)
	case http.StateClosed, http.StateHijacked:
		n.open = slices.DeleteFunc(n.open, func(c net.Conn) bool { return c == conn })
	case http.StateActive, http.StateIdle:
	}
}

// Close ends it at once.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}
