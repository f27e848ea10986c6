package stats

import (
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// talk is a protocol in which the client numbers its inputs and the server acknowledges those of everybody.
const talk = `protocol talk
order msb
port 9
struct Input { n uint8 @seq }
struct State { count uint8 in 0..12, acks [count]uint8 @ack(Input.n) }
packet {
    kind uint8
    body switch kind {
        0: Input
        1: State
    }
}
`

// said is one packet of a talk: at so many ms, an input of the client, or with acks a state for it.
type said struct {
	ms    int64
	input int // -1 for a state
	acks  []byte
}

func (c *counter) say(list []said) {
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:9")
	for i, one := range list {
		p := decode.Envelope{N: int64(i), Time: 1e18 + one.ms*int64(time.Millisecond), Src: client, Dst: server}
		payload := []byte{0, byte(one.input)}
		if one.input < 0 {
			p.Src, p.Dst = server, client
			payload = append([]byte{1, byte(len(one.acks))}, one.acks...)
		}
		c.add(p, payload)
	}
}

func TestAck(t *testing.T) {
	for _, row := range []struct {
		name             string
		said             []said
		n, unsent        uint64
		least, most, all float64 // ms
	}{
		{"nothing acknowledged", []said{{0, 1, nil}}, 0, 0, 0, 0, 0},
		{"one", []said{{0, 1, nil}, {30, -1, []byte{1}}}, 1, 0, 30, 30, 30},
		{"only for the first time", []said{{0, 1, nil}, {30, -1, []byte{1}}, {60, -1, []byte{1}}}, 1, 0, 30, 30, 30},
		{"the last of several", []said{{0, 1, nil}, {10, 2, nil}, {30, -1, []byte{2}}}, 1, 0, 20, 20, 20},
		{"what was never sent", []said{{0, 1, nil}, {30, -1, []byte{7}}, {40, -1, []byte{1}}}, 1, 1, 40, 40, 40},
		{"before it was sent", []said{{30, -1, []byte{1}}, {40, 1, nil}}, 0, 1, 0, 0, 0},
		{"sent twice: the later counts", []said{{0, 1, nil}, {10, 1, nil}, {30, -1, []byte{1}}}, 1, 0, 20, 20, 20},
		{"over the wrap-around", []said{{0, 255, nil}, {10, 0, nil}, {30, -1, []byte{255}}, {50, -1, []byte{0}}}, 2, 0, 30, 40, 70},
		{"of a list the receiver's own", []said{{0, 1, nil}, {20, 2, nil}, {30, -1, []byte{99, 1}}, {50, -1, []byte{98, 2}}}, 2, 0, 30, 30, 60},
		{"of two that may be, the one that is ahead", []said{{0, 1, nil}, {20, 2, nil}, {30, -1, []byte{1, 2}}, {40, 3, nil}, {50, -1, []byte{2, 3}}}, 2, 0, 10, 10, 20},
		{"more than are followed", []said{{0, 1, nil}, {30, -1, []byte{9, 9, 9, 9, 9, 9, 9, 9, 1}}}, 0, 1, 0, 0, 0},
	} {
		for cut := range len(row.said) + 1 {
			c, behind := newCounter(t, talk), newCounter(t, talk)
			c.say(row.said[:cut])
			behind.say(row.said[cut:])
			if err := c.stats.Merge(saveAndRead(t, behind.stats)); err != nil {
				t.Fatal(err)
			}
			acks := c.stats.Summary().Acks
			if row.n+row.unsent == 0 {
				if len(acks) != 0 {
					t.Errorf("%s: %+v", row.name, acks)
				}
				continue
			}
			if len(acks) != 1 || acks[0].N != row.n || acks[0].Unsent != row.unsent || acks[0].Min != row.least || acks[0].Max != row.most ||
				acks[0].Mean*float64(row.n) != row.all {
				t.Errorf("%s, cut at %d: %+v", row.name, cut, acks)
			}
		}
	}
}

// What is remembered of what was sent is bounded, and it is the last of each remainder, whatever came in between.
func TestSent(t *testing.T) {
	var s sent
	for v := range uint64(10_000) {
		s.add(v, int64(v+1))
	}
	if len(s.slots) != maxSent {
		t.Errorf("%d slots", len(s.slots))
	}
	for v := range uint64(10_000) {
		at, other := s.find(v)
		if last := v >= 10_000-maxSent; last && at != int64(v+1) || !last && (at != 0 || !other) {
			t.Fatalf("%d: sent at %d, other %t", v, at, other)
		}
	}
	var few sent
	for _, v := range []uint64{1 << 40, 3, 256 + 3} {
		few.add(v, 7)
	}
	if at, _ := few.find(1 << 40); at != 7 {
		t.Error("a value is forgotten though there was room")
	}
	if at, other := few.find(3); at != 0 || !other {
		t.Error("two values of one remainder are both there")
	}
}
