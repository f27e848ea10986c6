package browse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gdamore/tcell/v3/vt"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// scratch is a file that a Store is written to.
func scratch(t testing.TB) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A list follows what comes until somebody moves in it or holds it, and what comes meanwhile is kept.
func TestLive(t *testing.T) {
	store := NewGrowingStore(scratch(t))
	o := Options{Name: "eth0", Live: true, Store: store, Scan: scan.Options{Decoders: loaded(t, "protocol t\norder msb\npacket { n uint16 }\n")}}
	s := begin(t, o, 80, 24)
	s.sees("waiting for packets")
	w := pcap.NewWriter(store, pcap.Section{})
	n := 0
	come := func(count int) {
		client, server := ends()
		for range count {
			n++
			if err := w.WriteUDP(int64(n)*1e9, client, server, []byte{byte(n >> 8), byte(n)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	come(3)
	s.sees("3 of 3 packets, live", "fields of packet 3 ")
	come(400)
	s.sees("403 of 403 packets, live", "fields of packet 403 ", "   403 00:06:43.000")
	s.keys(" ")
	s.sees("403 of 403 packets, live, paused", "the list stands still")
	come(500)
	lines := s.sees("403 of 903 packets, live, paused", "fields of packet 403 ")
	if !strings.HasPrefix(lines[7], "    403 ") {
		t.Errorf("the list moved:\n%s", s.screen())
	}
	s.keys(" ")
	s.sees("903 of 903 packets, live", "fields of packet 903 ")
	s.keys("/", "n % 100 == 7", enter) // a filter goes on with what comes
	s.sees("of 9 packets, live")
	come(200)
	s.sees("11 of 11 packets, live", "fields of packet 1007 ")
	s.keys(up)
	s.sees("10 of 11 packets, live, paused")
	store.End(errors.New("eth0 is down"))
	s.sees("eth0 is down")
	s.keys("q")
	<-s.done
	if s.err != nil {
		t.Error(s.err)
	}
}

// The terminal is as before whatever ends Run.
func TestEnds(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(s *session)
		err  error
	}{
		{"q", func(s *session) { s.keys("q") }, nil},
		{"Ctrl-C", func(s *session) { s.keys("\x03") }, nil},
		{"Ctrl-C in help", func(s *session) { s.keys("?", "\x03") }, nil},
		{"a signal", func(s *session) { close(s.stop) }, ErrStopped},
		{"a signal while a filter is typed", func(s *session) { s.keys("/", "pkt"); close(s.stop) }, ErrStopped},
	} {
		s := rtypeSession(t, 80, 24)
		row.end(s)
		<-s.done
		if s.err != row.err || s.starts() != 0 || !strings.Contains(s.sent(), "\x1b[?1049l") {
			t.Errorf("%s: %v, started %d", row.name, s.err, s.starts())
		}
	}
}

// broken panics where it is read after a place.
type broken struct {
	io.ReaderAt
	behind int64
}

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at >= b.behind {
		panic("the disk is on fire")
	}
	return b.ReaderAt.ReadAt(p, at)
}

// A terminal that has a new size just as Run ends is drawn on no more.
func TestResizeAtTheEnd(t *testing.T) {
	for i := range 12 {
		s := begin(t, Options{Name: "a", Store: stored(testCapture(t)[:10_000]), Scan: scan.Options{Decoders: rtype(t)}}, 80, 24)
		s.sees("fields of packet 1 ")
		s.term.SetSize(vt.Coord{X: 300, Y: vt.Row(100 + i)})
		s.keys("q")
		<-s.done
		if s.err != nil || s.died != nil || s.starts() != 0 {
			t.Fatalf("%v, died of %v, started %d", s.err, s.died, s.starts())
		}
	}
}

// A panic, on whatever goroutine, goes on once the terminal is as before.
func TestPanic(t *testing.T) {
	data := testCapture(t)
	s := begin(t, Options{Name: "a", Store: NewStore(broken{bytes.NewReader(data), 200_000}, int64(len(data))), Scan: scan.Options{Decoders: rtype(t)}}, 80, 24)
	<-s.done
	if !strings.Contains(fmt.Sprint(s.died), "the disk is on fire") || s.starts() != 0 {
		t.Errorf("died of %v, started %d", s.died, s.starts())
	}
}

// What fills the store is no other: it may panic as long as it runs.
func TestPanicOfFill(t *testing.T) {
	store := NewGrowingStore(scratch(t))
	filled := make(chan struct{})
	o := Options{Name: "-", Store: store, Scan: scan.Options{Decoders: rtype(t)}, Fill: func() {
		if _, err := store.Write(testCapture(t)[:100_000]); err != nil {
			t.Error(err)
		}
		<-filled
		panic("what unpacks is broken")
	}}
	s := begin(t, o, 80, 24)
	s.sees("fields of packet 1 ")
	close(filled)
	<-s.done
	if !strings.Contains(fmt.Sprint(s.died), "what unpacks is broken") || s.starts() != 0 {
		t.Errorf("died of %v, started %d", s.died, s.starts())
	}
}

// Suspend gives the terminal away and takes it back.
func TestSuspend(t *testing.T) {
	given := make(chan *session, 1)
	var suspended atomic.Int32
	o := Options{Name: "a.pcap", Store: stored(testCapture(t)), Scan: scan.Options{Decoders: rtype(t)}}
	o.Suspend = func() {
		if (<-given).starts() != 0 {
			t.Error("the terminal is not the shell's")
		}
		suspended.Add(1)
	}
	s := begin(t, o, 80, 24)
	given <- s
	s.sees("fields of packet 1 ")
	s.keys("\x1a")
	s.until("the terminal taken back", func([]string) bool { return suspended.Load() == 1 && s.starts() == 1 }) // keys before it are lost
	s.keys(down)
	s.sees("fields of packet 2 ")
	if suspended.Load() != 1 || s.starts() != 1 {
		t.Errorf("suspended %d times, started %d", suspended.Load(), s.starts())
	}
}

// A terminal that has ASCII alone is sent nothing else.
func TestASCII(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	s := rtypeSession(t, 80, 24)
	s.sees("<secret 32 B>", "10.0.0.2:56305 C>S 10.0.0.1:4124")
	s.keys("r")
	s.sees("x timestamp: past-end", "rejec.")
	for _, c := range s.sent() {
		if c > '~' {
			t.Fatalf("the terminal was sent %q", c)
		}
	}
}
