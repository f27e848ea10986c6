package browse

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/color"
	"github.com/gdamore/tcell/v3/vt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// session is a terminal on which Run goes on: keys go in as bytes, and cells come out.
type session struct {
	t    testing.TB
	term vt.MockTerm
	stop chan struct{}
	done chan struct{}
	err  error
	died any // what Run panicked with

	mu      sync.Mutex // held over a write: tcell writes a frame at once, and no test sees half of one
	written bytes.Buffer
	started int

	reads sync.RWMutex // a read that a stop ended is over before the next start: the emulator has no lock of its own
}

// The session is the terminal that Run has, and notes what it is sent.
func (s *session) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written.Write(b)
	return s.term.Write(b)
}

func (s *session) Start() error {
	s.reads.Lock()
	defer s.reads.Unlock()
	err := s.term.Start()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started++ // only now: whoever sees it may send keys
	return err
}

func (s *session) Read(b []byte) (int, error) {
	s.reads.RLock()
	defer s.reads.RUnlock()
	return s.term.Read(b)
}

func (s *session) Stop() error {
	s.mu.Lock()
	s.started--
	s.mu.Unlock()
	return s.term.Stop()
}

// starts counts the starts of the terminal less its stops.
func (s *session) starts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// tty is a session as a terminal.
type tty struct {
	vt.MockTerm
	s *session
}

func (t tty) Write(b []byte) (int, error) { return t.s.Write(b) }
func (t tty) Read(b []byte) (int, error)  { return t.s.Read(b) }
func (t tty) Start() error                { return t.s.Start() }
func (t tty) Stop() error                 { return t.s.Stop() }

// begin runs the browser on a terminal of a size.
func begin(t testing.TB, o Options, width, height int) *session {
	t.Helper()
	s := &session{t: t, term: vt.NewMockTerm(vt.MockOptSize{X: vt.Col(width), Y: vt.Row(height)}, vt.MockOptColors(8)), stop: make(chan struct{}), done: make(chan struct{})}
	o.terminal, o.Stop = tty{s.term, s}, s.stop
	go func() {
		defer close(s.done)
		defer func() { s.died = recover() }()
		s.err = Run(o)
	}()
	t.Cleanup(func() {
		select {
		case <-s.done:
		default:
			close(s.stop)
			<-s.done
		}
		if s.starts() != 0 {
			t.Error("the terminal is not as it was")
		}
	})
	return s
}

// keys sends bytes, as a terminal does for keys.
func (s *session) keys(keys ...string) {
	for _, k := range keys {
		s.term.SendRaw([]byte(k))
	}
}

const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end             = "\x1b[H", "\x1b[F"
	tab, enter, escape    = "\t", "\r", "\x1b"
	backspace             = "\x7f"
)

// cell is a cell of the screen. The caller holds mu.
func (s *session) cell(x, y int) vt.Cell {
	return s.term.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(y)})
}

// lit lists the columns of a line from one to another, less the latter, whose cells have an attribute.
func (s *session) lit(y, from, to int, a vt.Attr) (columns []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := from; x < to; x++ {
		if s.cell(x, y).S.Attr()&a != 0 {
			columns = append(columns, x)
		}
	}
	return columns
}

// lines is the screen.
func (s *session) lines() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.term.Backend().GetSize()
	for y := range int(size.Y) {
		var b strings.Builder
		for x := 0; x < int(size.X); x++ {
			c := s.cell(x, y)
			if c.C == "" {
				c.C = " "
			}
			b.WriteString(c.C)
			if c.W == 2 {
				x++
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

func (s *session) screen() string { return strings.Join(s.lines(), "\n") + "\n" }

// until waits for a screen.
func (s *session) until(what string, ok func(lines []string) bool) []string {
	s.t.Helper()
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(2 * time.Millisecond) {
		if lines := s.lines(); ok(lines) {
			return lines
		}
		select {
		case <-s.done:
			s.t.Fatalf("%s: Run has ended: %v %v", what, s.err, s.died)
		default:
		}
	}
	s.t.Fatalf("no screen with %s, but:\n%s", what, s.screen())
	return nil
}

// sees waits for texts, all of them.
func (s *session) sees(texts ...string) []string {
	s.t.Helper()
	return s.until(strings.Join(texts, " and "), func(lines []string) bool {
		all := strings.Join(lines, "\n") + "\n"
		for _, text := range texts {
			if !strings.Contains(all, text) {
				return false
			}
		}
		return true
	})
}

// lineOf is the line that has a text; -1 where there is none.
func (s *session) lineOf(text string) int {
	for y, line := range s.lines() {
		if strings.Contains(line, text) {
			return y
		}
	}
	return -1
}

// coloured reports whether a cell of the screen has a color.
func (s *session) coloured() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.term.Backend().GetSize()
	plain := s.cell(0, int(size.Y)-1).S.Fg()
	for y := range int(size.Y) {
		for x := range int(size.X) {
			if fg := s.cell(x, y).S.Fg(); fg != plain && fg != color.Default && fg != color.Reset {
				return true
			}
		}
	}
	return false
}

// sent is all that the terminal was sent.
func (s *session) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.String()
}

// capture is a file of the command's tests.
func testCapture(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../cmd/pktscope/testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func stored(data []byte) *Store { return NewStore(bytes.NewReader(data), int64(len(data))) }

func rtype(t testing.TB) *scan.Decoders {
	t.Helper()
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	return scan.ByPort(d)
}

func loaded(t testing.TB, schema string) *scan.Decoders {
	t.Helper()
	d, err := decode.Load("test.pks", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return scan.Always(d)
}

// session begins on the capture of the tests.
func rtypeSession(t testing.TB, width, height int) *session {
	t.Helper()
	s := begin(t, Options{Name: "a.pcap", Store: stored(testCapture(t)), Scan: scan.Options{Decoders: rtype(t)}, Colour: true}, width, height)
	s.sees("1 of 4994 packets", "fields of packet 1 ", "JoinGame (16)")
	return s
}

// made is a capture of payloads, in pcapng.
func made(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcap.NewWriter(&b, pcap.Section{})
	for i, p := range payloads {
		client, server := ends()
		if err := w.WriteUDP(1_700_000_000_000_000_000+int64(i)*1e6, client, server, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
