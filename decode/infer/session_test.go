package infer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
)

// sessions are protocols with packets of players that move, and how well the drafts fit that are made of them: the share
// of boundaries that are right, both ways (F1), as it was measured, less two hundredths.
var sessions = []struct {
	name, schema string
	packet       func(*world, int) map[string]any
	floor        float64
}{
	{"list", `protocol list
order lsb
packet {
    crc    crc32(prefix 0x12345678 : uint32)
    number uint16
    type   int(0..2)
    body switch type {
        0: { buttons bits(6), ack uint16 }
        1: { count int(0..15), players [count]{ id int(0..15), x bits(17), y bits(17), health int(0..100) } }
        2: { x bits(20), ammo bits(5), y bits(20) }
    }
    check "end of packet"
}`, func(w *world, i int) map[string]any {
		kind := w.IntN(3)
		f := map[string]any{"number": i, "type": kind}
		switch kind {
		case 0:
			f["body"] = map[string]any{"buttons": w.sticky(0, 63), "ack": i - 3 + w.IntN(3) + 3}
		case 1:
			var players []any
			for k := range 3 + w.sticky(1, 3) {
				players = append(players, map[string]any{"id": k, "x": w.walk(10+2*k, 1<<17), "y": w.walk(11+2*k, 1<<17), "health": 100 - w.rise(30+k, 10)%100})
			}
			f["body"] = map[string]any{"players": players}
		case 2:
			f["body"] = map[string]any{"x": w.walk(2, 1<<20), "ammo": w.sticky(3, 31), "y": w.walk(4, 1<<20)}
		}
		return f
	}, 0.81},
	{"bits", `protocol bits
order msb
packet {
    number  bits(12)
    x       bits(21)
    y       bits(21)
    heading bits(10)
    speed   bits(9)
    alive   bool
    weapon  bits(3)
    ammo    bits(7)
}`, func(w *world, i int) map[string]any {
		return map[string]any{"number": i % 4096, "x": w.walk(0, 1<<21), "y": w.walk(1, 1<<21), "heading": w.walk(2, 1<<10), "speed": w.walk(3, 1<<9),
			"alive": w.sticky(4, 1) == 1, "weapon": w.sticky(5, 7), "ammo": 127 - w.rise(6, 3)%128}
	}, 0.84},
	{"bytes", `protocol bytes
order msb
packet {
    type   uint16 in {1, 2, 7}
    number uint16
    time   uint32
    body switch type {
        1: empty
        2: { id uint8, x uint16, y uint16, health uint8 }
        7: { x uint32, y uint32, z uint32, shots uint16 }
    }
}`, func(w *world, i int) map[string]any {
		kind := w.IntN(3)
		f := map[string]any{"type": []int{1, 2, 7}[kind], "number": i, "time": 90000 + 50*i + w.IntN(4)}
		switch kind {
		case 1:
			f["body"] = map[string]any{"id": i / 3 % 4, "x": w.walk(i/3%4, 1<<16), "y": w.walk(4+i/3%4, 1<<16), "health": 100 - w.rise(30, 8)%100}
		case 2:
			f["body"] = map[string]any{"x": w.walk(12, 1<<24), "y": w.walk(13, 1<<24), "z": w.walk(14, 1<<24), "shots": w.rise(15, 4)}
		}
		return f
	}, 0.98},
	{"bousk", `protocol bousk
order bousk
packet {
    first  uint8
    second int(-7..8)
    third  bits(5)
    fourth bool
    fifth  bits(13)
    sixth  bits(9)
    last   bits(11)
}`, func(w *world, i int) map[string]any {
		return map[string]any{"first": i % 256, "second": w.sticky(0, 15) - 7, "third": w.sticky(1, 31), "fourth": w.sticky(2, 1) == 1,
			"fifth": w.walk(3, 1<<13), "sixth": w.walk(4, 1<<9), "last": w.walk(5, 1<<11)}
	}, 0.98},
}

// world moves numbers: each by itself, with momentum.
type world struct {
	*rand.Rand
	at, speed [64]int
}

func (w *world) walk(k, size int) int {
	if w.at[k] == 0 {
		w.at[k] = size/4 + w.IntN(size/2)
	}
	w.speed[k] = min(max(w.speed[k]+w.IntN(9)-4, -size/300-3), size/300+3)
	if next := w.at[k] + w.speed[k]; next > size/8 && next < size*7/8 {
		w.at[k] = next
	} else {
		w.speed[k] = -w.speed[k]
	}
	return w.at[k]
}

func (w *world) sticky(k, most int) int {
	if w.IntN(12) == 0 {
		w.at[k] = w.IntN(most + 1)
	}
	return w.at[k]
}

func (w *world) rise(k, every int) int {
	if w.IntN(every) == 0 {
		w.at[k] += 1 + w.IntN(2)
	}
	return w.at[k]
}

// Boundaries are found in four small sessions.
func TestSessions(t *testing.T) {
	for i, s := range sessions {
		t.Run(s.name, func(t *testing.T) {
			if !need.OneIn(i, 3) {
				t.Skip("-short drafts one in three")
			}
			truth, err := decode.Load(s.name, []byte(s.schema))
			if err != nil {
				t.Fatal(err)
			}
			w := &world{Rand: rand.New(rand.NewPCG(7, 25))}
			var packets [][]byte
			for i := range 600 {
				packets = append(packets, encoded(t, truth, s.packet(w, i)))
			}
			res := proved(t, packets, infer.Options{})
			if res.Refused > 0 || res.Order.Order != truth.Schema().Order {
				t.Errorf("%d refused, order %v: %v\n%s", res.Refused, res.Order.Order, res.Outliers, res.Source)
			}
			guess, err := decode.Load("guess", res.Source)
			if err != nil {
				t.Fatal(err)
			}
			score := f1(truth, guess, packets)
			t.Logf("F1 %.2f\n%s", score, res.Source)
			if score < s.floor {
				t.Errorf("want an F1 of %.2f, got %.2f\n%s", s.floor, score, res.Source)
			}
			none, _ := decode.Load("bytes", []byte("protocol bytes\norder lsb\npacket {\n    all [rest, max 2000]uint8\n}\n"))
			if least := f1(truth, none, packets); score < least {
				t.Errorf("bytes alone are better: %.2f", least)
			}
		})
	}
}

// f1 is how well the boundaries of a guess are those of the truth: both shares, by kind of packet, and their harmonic mean.
func f1(truth, guess *decode.Decoder, packets [][]byte) float64 {
	type count struct{ both, true, guessed float64 }
	kinds := map[string]*count{}
	for _, p := range packets {
		kind, want := boundaries(truth, p)
		_, got := boundaries(guess, p)
		c := kinds[kind]
		if c == nil {
			c = &count{}
			kinds[kind] = c
		}
		c.true += float64(len(want))
		c.guessed += float64(len(got))
		for b := range want {
			if got[b] {
				c.both++
			}
		}
	}
	p, r := 0.0, 0.0
	for c := range maps.Values(kinds) {
		p += c.both / max(1, c.guessed) / float64(len(kinds))
		r += c.both / max(1, c.true) / float64(len(kinds))
	}
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// boundaries are the bits at which fields begin, but for the first.
func boundaries(d *decode.Decoder, packet []byte) (kind string, at map[int]bool) {
	at = map[int]bool{}
	var t decode.Trace
	_ = d.Decode(packet, decode.FromUnknown, &t)
	for f := range t.Fields() {
		if f.Width() > 0 && f.Bit() > 0 {
			at[f.Bit()] = true
		}
	}
	if v, ok := t.Case(); ok {
		kind = fmt.Sprint(v.Uint())
	}
	return kind, at
}
