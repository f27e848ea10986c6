//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"html"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// bothSides is a game whose inputs are counted and acknowledged.
const bothSides = `protocol game
order msb
port %d
enum Kind : uint8 { Input = 1, State = 2 }
packet {
    kind Kind
    body switch kind {
        Input: Input @from(client)
        State: State @from(server) @every(20ms)
    }
}
struct Input { n uint16 @seq }
struct State { n uint16 @seq, seen uint16 @ack(Input.n) }
expect timeout 1s
`

// A real session through a tap that delays and loses, with a silence: the first screen of its page has the losses that
// the two ends met, the tap's delay and the silence.
func TestTapOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a session of 5 s")
	}
	const inputs, silentAt = 200, 100
	dir := t.TempDir()
	file := dir + "/session.pcapng"
	p := startTap(t, "--drop", "5%", "--delay", "40ms", "--seed", "7", "-w", file)
	schema := dir + "/game.pks"
	if err := os.WriteFile(schema, fmt.Appendf(nil, bothSides, p.client.RemoteAddr().(*net.UDPAddr).Port), 0o600); err != nil {
		t.Fatal(err)
	}
	number := func(b []byte) int { return int(binary.BigEndian.Uint16(b)) }
	var atServer, atClient end
	heard := func(c *net.UDPConn, e *end, each func(n int, from *net.UDPAddr)) {
		for b := make([]byte, 16); ; {
			size, from, err := c.ReadFromUDP(b)
			if err != nil || size < 3 {
				return
			}
			e.add(number(b[1:]))
			each(number(b[1:]), from)
		}
	}
	states := 0
	go heard(p.server, &atServer, func(n int, from *net.UDPAddr) {
		state := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{2}, uint16(states)), uint16(n))
		states++
		_, _ = p.server.WriteToUDP(state, from) // what is not sent is lost
	})
	go heard(p.client, &atClient, func(int, *net.UDPAddr) {})
	for i := range inputs {
		if i == silentAt {
			time.Sleep(1500 * time.Millisecond)
		}
		if _, err := p.client.Write(binary.BigEndian.AppendUint16([]byte{1}, uint16(i))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // for what is on its way; what is still there then is in no capture and at no end
	p.interrupt()
	rest := p.end(exitDone)
	passed := int(countIn(t, rest, `passed on: (\d+) of`))
	eventually(t, "what was passed on to arrive", func() bool { return atServer.count()+atClient.count() == passed })
	// What is missing between the first and the last that came is lost, and nobody else can know of more.
	lostUp, ofUp := atServer.lost()
	lostDown, ofDown := atClient.lost()
	if dropped := int(countIn(t, rest, `datagrams, (\d+) dropped`)); lostUp == 0 || lostDown == 0 || lostUp+lostDown > dropped || dropped > lostUp+lostDown+4 {
		t.Fatalf("%d and %d lost: %s", lostUp, lostDown, rest)
	}
	page := dir + "/x.html"
	if out, err := exec.Command("pktscope", "report", "-q", "-p", schema, "-o", page, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tile := func(name string) (value, note string) {
		m := regexp.MustCompile(`<span class="tile-name">` + name + `</span> <strong class="tile-value">(.*?)</strong>.*?<span class="quiet tile-note">([^<]*)</span>`).FindSubmatch(text)
		if m == nil {
			t.Fatalf("no figure %q on the first screen", name)
		}
		return html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(string(m[1]), "")), html.UnescapeString(string(m[2]))
	}
	if value, note := tile("Lost from client / server"); note != fmt.Sprintf("%d of %d / %d of %d counted packets", lostUp, ofUp, lostDown, ofDown) {
		t.Errorf("lost: %s, %s; the ends met %d of %d and %d of %d", value, note, lostUp, ofUp, lostDown, ofDown)
	}
	// The capture has when a packet left the tap. So an answer is at least one delay later; more is what the machine adds.
	value, _ := tile("RTT p50 / p99")
	m := regexp.MustCompile(`^([0-9.]+) ms / `).FindStringSubmatch(value)
	if m == nil {
		t.Fatalf("RTT %q", value)
	}
	if p50, err := strconv.ParseFloat(m[1], 64); err != nil || p50 < 39 {
		t.Errorf("RTT %s, want the tap's 40 ms or more", value)
	}
	value, note := tile("Silences")
	m = regexp.MustCompile(`^longest ([0-9.]+) s: 127\.0\.0\.1:`).FindStringSubmatch(note)
	if n, err := strconv.Atoi(value); err != nil || n == 0 || m == nil {
		t.Fatalf("silences: %s, %s", value, note)
	}
	const late = 0.8 // s, of a busy machine
	met := atServer.longest().Seconds()
	if longest, err := strconv.ParseFloat(m[1], 64); err != nil || longest < 1.5-late || longest < met-late || longest > met+late {
		t.Errorf("silent for %s s, want 1.5 s and little more: the server met %.3f s", m[1], met)
	}
	t.Logf("lost %d of %d and %d of %d; %s silences, %s", lostUp, ofUp, lostDown, ofDown, value, note)
}

// end is what one end of a session met: the numbers that came, and when.
type end struct {
	mu      sync.Mutex
	numbers []int
	at      []time.Time
}

func (e *end) add(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.numbers, e.at = append(e.numbers, n), append(e.at, time.Now())
}

func (e *end) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.numbers)
}

// lost is how many are missing between the first and the last, and of how many.
func (e *end) lost() (lost, of int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	of = e.numbers[len(e.numbers)-1] - e.numbers[0] + 1
	return of - len(e.numbers), of
}

// longest is the longest time between two.
func (e *end) longest() (longest time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 1; i < len(e.at); i++ {
		longest = max(longest, e.at[i].Sub(e.at[i-1]))
	}
	return longest
}
