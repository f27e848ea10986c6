package infer_test

import (
	"bytes"
	"compress/flate"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/infer"
)

// sumless are captures without a checksum that the language has, by what fills the i-th packet. Those of which a search
// by algebra may make the most are here: values that are linear in each other, sums that nearly are some of ours, and
// packets that hardly differ.
var sumless = []struct {
	name string
	fill func(r *rand.Rand, i int, p []byte) []byte
}{
	{"random", func(r *rand.Rand, _ int, p []byte) []byte { return noise(r, p) }},
	{"poor in bits", func(r *rand.Rand, _ int, p []byte) []byte {
		for j := range noise(r, p) {
			p[j] &= 0x11
		}
		return p
	}},
	{"a counter", func(_ *rand.Rand, i int, p []byte) []byte {
		binary.BigEndian.PutUint64(p, uint64(i))
		return p
	}},
	{"counters", func(r *rand.Rand, i int, p []byte) []byte {
		for j := range p {
			p[j] = byte(i >> (j % 5) * (j | 1))
		}
		return p
	}},
	{"md5, cut", func(r *rand.Rand, i int, p []byte) []byte {
		sum := md5.Sum(noise(r, p)[4:])
		copy(p, sum[:4])
		return p
	}},
	{"adler over the bytes in reverse", func(r *rand.Rand, i int, p []byte) []byte {
		back := bytes.Clone(noise(r, p)[4:])
		for a, b := 0, len(back)-1; a < b; a, b = a+1, b-1 {
			back[a], back[b] = back[b], back[a]
		}
		binary.BigEndian.PutUint32(p, adler32.Checksum(back))
		return p
	}},
	{"text", func(r *rand.Rand, i int, p []byte) []byte {
		return fmt.Appendf(p[:0], "player%02d moved to %d, %d", i%7, r.IntN(900), r.IntN(900))
	}},
	{"compressed", func(r *rand.Rand, i int, p []byte) []byte {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		fmt.Fprintf(w, "frame %d of %d: %d hits, %d misses", i, i*i, r.IntN(50), r.IntN(90))
		_ = w.Close()
		return b.Bytes()
	}},
	{"a byte again and again", func(_ *rand.Rand, i int, p []byte) []byte { return bytes.Repeat([]byte{byte(i / 9)}, len(p)) }},
	{"runs with one byte that moves", func(r *rand.Rand, i int, p []byte) []byte {
		p[i%len(p)] = 1
		return p
	}},
	{"short", func(r *rand.Rand, i int, p []byte) []byte { return noise(r, p[:r.IntN(9)]) }},
	{"one bit of difference", func(r *rand.Rand, i int, p []byte) []byte {
		k := r.IntN(8 * len(p))
		p[k/8] = 1 << (k % 8)
		return p
	}},
	{"a register that shifts", func(_ *rand.Rand, i int, p []byte) []byte { // each word is linear in the one before
		x := uint32(i)*2654435761 | 1
		for j := 0; j+4 <= len(p); j += 4 {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			binary.LittleEndian.PutUint32(p[j:], x)
		}
		return p
	}},
	{"words xor'ed", func(r *rand.Rand, _ int, p []byte) []byte { // linear, but no CRC
		x := uint32(0)
		for j := 4; j+4 <= len(noise(r, p)); j += 4 {
			x ^= bits.RotateLeft32(binary.LittleEndian.Uint32(p[j:]), j)
		}
		binary.LittleEndian.PutUint32(p, x)
		return p
	}},
	{"copies", func(r *rand.Rand, i int, p []byte) []byte {
		x := r.Uint32()
		for j := 0; j+4 <= len(p); j += 4 {
			binary.LittleEndian.PutUint32(p[j:], x)
		}
		return p
	}},
	{"a keystream over counters", func(_ *rand.Rand, i int, p []byte) []byte {
		key := rand.New(rand.NewPCG(1, 2))
		for j := range noise(key, p) {
			p[j] ^= byte(i >> (8 * (j % 3)))
		}
		return p
	}},
	{"samples of a wave", func(r *rand.Rand, i int, p []byte) []byte {
		for j := range p {
			p[j] = byte((i*len(p)+j)*(3+j&1)) + byte(r.IntN(3))
		}
		return p
	}},
}

func noise(r *rand.Rand, p []byte) []byte {
	for j := range p {
		p[j] = byte(r.Uint32())
	}
	return p
}

// What has no checksum has none. PKTSCOPE_SOAK=1 tries 10,000 captures.
func TestNoChecksum(t *testing.T) {
	n := need.Rounds(10, 1) * len(sumless)
	if os.Getenv("PKTSCOPE_SOAK") != "" {
		n = 10_000
	}
	tried := map[string]int{}
	for seed := range n {
		kind := sumless[seed%len(sumless)]
		r := rand.New(rand.NewPCG(uint64(seed), 99))
		fixed := r.IntN(3) == 0
		var packets [][]byte
		for i := range 20 + r.IntN(60) {
			size := 12
			if !fixed {
				size += 4 * r.IntN(4)
			}
			packets = append(packets, kind.fill(r, i, make([]byte, size)))
		}
		tried[kind.name]++
		if k := infer.FindChecksum(sample(packets)); k != nil {
			t.Errorf("seed %d, %s: %v, %d of %d", seed, kind.name, k, k.Match, k.Of)
		}
	}
	t.Logf("%d captures: %v", n, tried)
}
