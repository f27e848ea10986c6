package pcap

import (
	"bytes"
	"io"
	"runtime"
	"testing"
)

// endless claims and gives: blocks for as long as they are read.
type endless struct {
	head, body []byte
	left       int
	at         int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	src := e.body
	if e.head != nil {
		src = e.head
	}
	n := copy(p, src[e.at:])
	if e.at += n; e.at == len(src) {
		e.at, e.head = 0, nil
		e.left--
	}
	return n, nil
}

// TestMemoryIsBounded reads 256 MiB of the dearest that a file can hold, and
// every hostile row, in less than 4 MiB allocated in all.
func TestMemoryIsBounded(t *testing.T) {
	biggest := epb(le, 0, 1, repeat(MaxPacket), bytes.Repeat(opt(le, 1, repeat(60)...), maxOptions/64))
	sections := cat(shb(le), bytes.Repeat(idb(le, 1, 0, opt(le, 2, repeat(60)...)), 3000))
	sources := []*endless{
		{head: cat(shb(le), idb(le, 1, 0)), body: biggest, left: 1 + 256<<20/len(biggest)},
		{head: shb(le), body: sections, left: 1 + 256<<20/len(sections)},
		{head: shb(le), body: block(le, 99, repeat(1<<20)), left: 1 + 256},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewReader(nil)
	for i, src := range sources {
		r.Reset(src)
		for {
			_, _, err := r.ZeroCopyReadPacketData()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("source %d: %v", i, err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("256 MiB files: want at most 4 MiB allocated, got %d bytes", got)
	}
	for _, row := range hostileRows() {
		src := bytes.NewReader(row.file)
		runtime.ReadMemStats(&before)
		r.Reset(src)
		for err := error(nil); err == nil; {
			_, _, err = r.ZeroCopyReadPacketData()
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
			t.Errorf("%s: want at most 64 KiB allocated, got %d bytes", row.name, got)
		}
	}
}
