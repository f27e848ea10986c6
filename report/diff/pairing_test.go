package diff

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
)

// relayed are the two sides of a relay: what clients and relay say, and what relay and server say.
type relayed struct {
	t      *testing.T
	sides  [2]*Capture
	n      [2]int64
	random *rand.Rand
	loss   float64     // of the relay
	twice  float64     // that it sends one twice
	passed map[int]int // packets of each client that came to the other side
}

func newRelayed(t *testing.T) *relayed {
	a, b := NewCaptures()
	return &relayed{t: t, sides: [2]*Capture{a, b}, random: rand.New(rand.NewPCG(1, 2)), passed: map[int]int{}}
}

const listens, serves = 40010, 40011

// flow is between a client, or the relay's socket for it, and the relay or the server. Only the relay's port is the
// schema's.
func relayFlow(side, client int, up bool) Flow {
	at := func(port int) netip.AddrPort {
		return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port))
	}
	f := Flow{Src: at(5000 + client), Dst: at(listens), From: decode.Client}
	if side == 1 {
		f = Flow{Src: at(7100 - client), Dst: at(serves)}
	}
	if !up {
		f.Src, f.Dst = f.Dst, f.Src
		if side == 0 {
			f.From = decode.Server
		}
	}
	return f
}

func (r *relayed) add(side, client int, up bool, payload string) {
	r.n[side]++
	rec := Record{Size: uint16(len(payload))}
	for _, c := range []byte(payload) {
		rec.Hash = rec.Hash*31 + uint64(c)
	}
	n, _ := fmt.Sscanf(payload, "%d", &rec.Seq)
	if err := r.sides[side].Add(relayFlow(side, client, up), rec, 1<<16, n == 1); err != nil {
		r.t.Fatal(err)
	}
}

// send sends on one side and, unless it is lost, on the other.
func (r *relayed) send(client int, up bool, payload string) {
	from := 1
	if up {
		from = 0
	}
	r.add(from, client, up, payload)
	if r.random.Float64() < r.loss {
		return
	}
	r.passed[client]++
	for more := true; more; more = r.random.Float64() < r.twice {
		r.add(1-from, client, up, payload)
	}
}

// wrong lists the pairings that are not of one client, or not the same way.
func wrong(m *Matching) (list []Pairing) {
	for _, p := range m.Paired {
		ok := false
		for client := range 100 {
			for _, up := range []bool{true, false} {
				ok = ok || m.Flow(p.A) == relayFlow(0, client, up) && m.Flow(p.B) == relayFlow(1, client, up)
			}
		}
		if !ok {
			list = append(list, p)
		}
	}
	return list
}

func (m *Matching) String() string {
	var shared [2]int
	for side := range shared {
		for _, u := range m.Unpaired[side] {
			if u.Shared {
				shared[side]++
			}
		}
	}
	return fmt.Sprintf("%d alike, %d pairs, %d and %d alone, %d flows paired, %d (%d shared) and %d (%d shared) not", m.Same, len(m.Pairs), len(m.OnlyA), len(m.OnlyB),
		len(m.Paired), len(m.Unpaired[0]), shared[0], len(m.Unpaired[1]), shared[1])
}

func TestPairing(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(r *relayed)
		want string
	}{
		{"two clients", func(r *relayed) {
			for i := range 50 {
				for c := range 2 {
					r.send(c, true, fmt.Sprint(i, " input of ", c))
					r.send(c, false, fmt.Sprint(i, " answer to ", c))
				}
			}
		}, "200 alike, 0 pairs, 0 and 0 alone, 4 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"loss, and some twice", func(r *relayed) {
			r.loss, r.twice = 0.2, 0.1
			for i := range 50 {
				for c := range 2 {
					r.send(c, true, fmt.Sprint(i, " input of ", c))
					r.send(c, false, fmt.Sprint(i, " answer to ", c))
				}
			}
		}, "[0 1] 4 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"another order", func(r *relayed) {
			for i := range 50 {
				for c := range 2 {
					r.add(0, c, true, fmt.Sprint(i, " input of ", c))
					r.add(1, c, true, fmt.Sprint(i^1, " input of ", c))
				}
			}
		}, "100 alike, 0 pairs, 0 and 0 alone, 2 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"some are bent on the way", func(r *relayed) {
			for i := range 50 {
				for c := range 2 {
					r.add(0, c, true, fmt.Sprint(i, " input of ", c))
					r.add(1, c, true, fmt.Sprint(i, " input of ", c+i/48))
				}
			}
		}, "96 alike, 4 pairs, 0 and 0 alone, 2 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"the same inputs, other answers", func(r *relayed) {
			for i := range 50 {
				for c := range 3 {
					r.send(c, true, fmt.Sprint(i, " input"))
					r.send(c, false, fmt.Sprint(i, " answer to ", c))
				}
			}
		}, "300 alike, 0 pairs, 0 and 0 alone, 6 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"an echo", func(r *relayed) {
			for i := range 50 {
				for c := range 2 {
					r.send(c, true, fmt.Sprint(i, " input of ", c))
					r.send(c, false, fmt.Sprint(i, " input of ", c))
				}
			}
		}, "200 alike, 0 pairs, 0 and 0 alone, 4 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"the same of all clients", func(r *relayed) {
			r.loss = 0.1
			for i := range 50 {
				for c := range 2 {
					r.send(c, true, fmt.Sprint(i, " input"))
					r.send(c, false, fmt.Sprint(i, " answer"))
				}
			}
		}, "[] 0 flows paired, 2 (2 shared) and 2 (2 shared) not"},
		{"the same of all but one", func(r *relayed) {
			for i := range 50 {
				r.send(0, true, "hello")
				r.send(1, true, "hello")
				r.send(0, true, fmt.Sprint(i, " input"))
			}
		}, "150 alike, 0 pairs, 0 and 0 alone, 2 flows paired, 0 (0 shared) and 0 (0 shared) not"},
		{"a relay that gives a client a new port", func(r *relayed) {
			for i := range 50 {
				r.add(0, 0, true, fmt.Sprint(i, " input"))
				r.add(1, i/40, true, fmt.Sprint(i, " input"))
			}
		}, "40 alike, 0 pairs, 10 and 10 alone, 1 flows paired, 0 (0 shared) and 1 (1 shared) not"},
		{"the same of all clients, and captures that miss some", func(r *relayed) {
			for i := range 400 {
				for c := range 2 {
					for side := range 2 {
						if r.random.Float64() > 0.01 {
							r.add(side, c, true, fmt.Sprint(i, " input"))
						}
					}
				}
			}
			// What each capture missed of another client looks like the first one's own.
			r.add(0, 0, true, "400 input")
			r.add(1, 1, true, "400 input")
		}, "[] 0 flows paired, 2 (2 shared) and 2 (2 shared) not"},
		{"two that are half like two others", func(r *relayed) {
			for i := range 40 {
				for c := range 2 {
					r.add(0, c, true, fmt.Sprint(i, " of ", c))
					r.add(1, (c+i)%2, true, fmt.Sprint(i, " of ", c))
				}
			}
		}, "0 alike, 0 pairs, 80 and 80 alone, 0 flows paired, 2 (2 shared) and 2 (2 shared) not"},
		{"nothing in common", func(r *relayed) {
			for i := range 40 {
				for c := range 2 {
					r.add(0, c, true, fmt.Sprint(i, " of ", c))
					r.add(1, c, true, fmt.Sprint(i, " of another ", c))
				}
			}
		}, "0 alike, 0 pairs, 80 and 80 alone, 0 flows paired, 2 (0 shared) and 2 (0 shared) not"},
		{"many clients, some of whom only say hello", func(r *relayed) {
			r.loss = 0.05
			for i := range 30 {
				for c := range 10 {
					r.send(c, true, "hello")
					if c > 2 {
						r.send(c, true, fmt.Sprint(i, " input of ", c))
					}
				}
			}
		}, "[3 4 5 6 7 8 9] 7 flows paired, 3 (3 shared) and 3 (3 shared) not"},
	} {
		r := newRelayed(t)
		row.make(r)
		m := Match(r.sides[0], r.sides[1])
		want := row.want
		if list, rest, random := strings.Cut(want, "] "); random { // clients that are paired
			alike := 0
			for _, c := range strings.Fields(list[1:]) {
				alike += r.passed[int(c[0]-'0')]
			}
			want = fmt.Sprintf("%d alike, 0 pairs, %d and %d alone, %s", alike, r.n[0]-int64(alike), r.n[1]-int64(alike), rest)
		}
		if got := m.String(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, want)
		}
		if list := wrong(m); list != nil && !strings.Contains(row.name, "new port") {
			t.Errorf("%s: paired wrongly: %v", row.name, list)
		}
		// The other way round it is the same.
		back := Match(r.sides[1], r.sides[0])
		if len(back.Paired) != len(m.Paired) || back.Same != m.Same {
			t.Errorf("%s: the other way round: %s", row.name, back)
		}
		for _, p := range back.Paired {
			if !slices.Contains(m.Paired, Pairing{p.B, p.A, p.Alike, p.ByMessages}) {
				t.Errorf("%s: the other way round another pairing: %v", row.name, p)
			}
		}
	}
}

// A flow for each packet, all with one payload, or each with its own, takes no more than sorting them.
func TestPairingBounds(t *testing.T) {
	for name, payload := range map[string]func(i uint64) uint64{"one payload": func(uint64) uint64 { return 7 }, "each its own": func(i uint64) uint64 { return i }} {
		to := netip.MustParseAddrPort("10.9.9.9:9")
		a, b := NewCaptures()
		const n = 30_000
		for i := range uint64(n) {
			ip := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
			_ = a.Add(Flow{Src: netip.AddrPortFrom(ip, 1), Dst: to}, Record{Hash: payload(i)}, 0, false)
			_ = b.Add(Flow{Src: netip.AddrPortFrom(ip, 2), Dst: to}, Record{Hash: payload(i)}, 0, false)
		}
		m := Match(a, b)
		if m.Same != 0 && m.Same != n || m.Same+len(m.OnlyA) != n || len(m.Paired) != m.Same {
			t.Errorf("%s: %s", name, m)
		}
	}
}

// What two captures of many peers take is bounded for each, whether both have the same peers or other ones:
// MaxRecords rests on it. What lives until the end is measured, and what was taken on the way.
func TestMemory(t *testing.T) {
	if need.Race {
		t.Skip("the race detector takes memory of its own")
	}
	const peers = 100_000
	to := netip.MustParseAddrPort("192.0.2.1:4124")
	for _, row := range []struct {
		name             string
		port             uint16
		payload          uint64
		lives, allocated uint64 // bytes a peer, at most
	}{
		{"the same peers", 1, 0, 120, 350},
		{"other peers", 2, 0, 200, 1300},
		{"other peers with other payloads", 2, peers, 200, 1300},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		a, b := NewCaptures()
		for i := range uint64(peers) {
			ip := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
			_ = a.Add(Flow{Src: netip.AddrPortFrom(ip, 1), Dst: to}, Record{Hash: i}, 0, false)
			_ = b.Add(Flow{Src: netip.AddrPortFrom(ip, row.port), Dst: to}, Record{Hash: i + row.payload}, 0, false)
		}
		m := Match(a, b)
		runtime.GC()
		runtime.ReadMemStats(&after)
		lives, allocated := (after.HeapAlloc-before.HeapAlloc)/peers, (after.TotalAlloc-before.TotalAlloc)/peers
		t.Logf("%s: %d bytes a peer, %d allocated", row.name, lives, allocated)
		if lives > row.lives || allocated > row.allocated {
			t.Errorf("%s: want %d bytes a peer of %d allocated, got %d of %d", row.name, row.lives, row.allocated, lives, allocated)
		}
		if row.payload == 0 && m.Same != peers || row.payload > 0 && len(m.OnlyA) != peers {
			t.Errorf("%s: %s", row.name, m)
		}
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
	}
}
