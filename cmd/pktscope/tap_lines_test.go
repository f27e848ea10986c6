package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// What is passed on over a bad network is late, in order, and counted; what -a packets: let in leaves before the end.
func TestTapDelays(t *testing.T) {
	const n, delay = 20, 100 * time.Millisecond
	p := startTap(t, "--delay", delay.String(), "--jitter", "50ms", "--duplicate", "100%", "--down", "-T", "json", "-a", fmt.Sprintf("packets:%d", 2*n))
	got := make([]byte, 100)
	begin := time.Now()
	for i := range n {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
		size, from, err := p.server.ReadFromUDP(got) // at once, and once
		if err != nil || !bytes.Equal(got[:size], counted(i)) {
			t.Fatalf("packet %d: the server got %x, %v", i, got[:size], err)
		}
		if _, err := p.server.WriteToUDP(counted(100+i), from); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * n {
		size, err := p.client.Read(got)
		if err != nil || !bytes.Equal(got[:size], counted(100+i/2)) {
			t.Fatalf("answer %d: the client got %x, %v", i, got[:size], err)
		}
		if took := time.Since(begin); i == 0 && took < delay/2 {
			t.Errorf("the first answer came after %s", took)
		}
	}
	rest := p.end(exitDone)
	if want := fmt.Sprintf("passed on: %d of %d datagrams, 0 dropped (--delay 100ms --jitter 50ms --duplicate 100%% --seed ", 3*n, 2*n); !strings.Contains(rest, want) || !strings.Contains(rest, fmt.Sprintf(", %d passed on twice\n", n)) {
		t.Errorf("no %q in %s", want, rest)
	}
	if lines := strings.Count(p.stdout.String(), "\n"); lines != 3*n {
		t.Errorf("%d packets are shown, want %d", lines, 3*n)
	}
}

// What is on the way when -a packets: is reached still leaves; --reorder and --delay-if change the order.
func TestTapReorders(t *testing.T) {
	const late = "2s" // longer than a busy machine takes for four packets
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"held", []string{"--reorder", "100%"}, "0 1 2 3"}, // there is none that overtakes
		{"delayed", []string{"--delay", late, "--delay-if", "seq == 0 || seq == 2"}, "1 3 0 2"},
		{"both", []string{"--delay", late, "--delay-if", "seq == 0", "--drop-if", "seq == 1"}, "2 3 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startTap(t, append(c.args, "-a", "packets:4")...)
			for i := range 4 {
				if _, err := p.client.Write(counted(i)); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for range strings.Fields(c.want) {
				b := make([]byte, 100)
				if _, err := p.server.Read(b); err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprint(binary.BigEndian.Uint16(b)))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("want %s, got %v", c.want, got)
			}
			p.end(exitDone)
		})
	}
}

// A stdout that nobody reads stops nothing: all is passed on, and what could not be shown is counted.
func TestTapStalledOutput(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	const n = maxQueuedCount + 4000
	p := startTapTo(t, write, "-T", "json", "-a", fmt.Sprintf("packets:%d", n))
	write.Close()
	got := make([]byte, 100)
	for i := range n {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
		if size, err := p.server.Read(got); err != nil || !bytes.Equal(got[:size], counted(i)) {
			t.Fatalf("packet %d: the server got %x, %v", i, got[:size], err)
		}
	}
	lines := make(chan int)
	go func() { // now somebody reads
		var all bytes.Buffer
		_, _ = all.ReadFrom(read)
		lines <- bytes.Count(all.Bytes(), []byte("\n"))
	}()
	rest := p.end(exitDone)
	read.Close()
	shown := <-lines
	if want := fmt.Sprintf("passed on: %d of %d datagrams, %d passed on and not shown: stdout was too slow\n", n, n, n-shown); !strings.Contains(rest, want) || shown >= n || shown < maxQueuedCount {
		t.Errorf("%d shown; no %q in %s", shown, want, rest)
	}
}
