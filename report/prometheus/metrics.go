package prometheus

import (
	"errors"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/pktscope/pktscope/report/stats"
)

// fresh is how long an exposition is served again.
const fresh = time.Second

// Metrics is what /metrics shows.
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
