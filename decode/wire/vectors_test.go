package wire_test

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// vectorOp is one op of testdata/vectors.txt: bits of a width, an integer of a range, alignment, or bytes.
type vectorOp struct {
	kind  string
	width int    // bits of a value, bytes of bytes
	span  uint64 // largest offset that is legal
	code  uint64 // what is on the wire
	bytes string
	read  bool // the library read a value: code or bytes is known
}

func parseVectorOp(t *testing.T, word string) vectorOp {
	spec, value, read := strings.Cut(word, "=")
	parts := strings.Split(spec, ":")
	op := vectorOp{kind: parts[0], read: read}
	number := func(s string) uint64 {
		if v, err := strconv.ParseUint(s, 10, 64); err == nil {
			return v
		}
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatalf("vector op %q: %v", word, err)
		}
		return uint64(v)
	}
	switch op.kind {
	case "align":
	case "bytes":
		b, err := hex.DecodeString(value)
		if err != nil {
			t.Fatalf("vector op %q: %v", word, err)
		}
		op.width, op.bytes = int(number(parts[1])), string(b)
	case "bits":
		op.width = int(number(parts[1]))
		op.span = wire.Mask(op.width)
		if read {
			op.code = number(value)
		}
	case "range":
		low := number(parts[1])
		op.span = number(parts[2]) - low
		op.width = wire.BitsRequired(op.span)
		if read {
			op.code = number(value) - low
		}
	default:
		t.Fatalf("vector op %q: unknown", word)
	}
	return op
}

// cursor is where a vector is read or written: the bits before it are done.
type cursor struct {
	order wire.Order
	data  []byte
	bit   int
}

// align moves to the next byte over zeros, and says false where they do not fit or are none.
func (c *cursor) align() bool {
	n := -c.bit & 7
	if n > 8*len(c.data)-c.bit || c.order.FirstSet(c.data, c.bit, n) >= 0 {
		return false
	}
	c.bit += n
	return true
}

// put appends a value; the last byte is filled with zeros.
func (c *cursor) put(code uint64, n int) {
	c.data = append(c.data, make([]byte, (c.bit+n+7)/8-len(c.data))...)
	c.order.Store(c.data, c.bit, n, code)
	c.bit += n
}

// readVectorOp does op and reports whether it was accepted.
func readVectorOp(t *testing.T, r *cursor, op vectorOp) bool {
	left := func() int { return 8*len(r.data) - r.bit }
	if op.kind == "align" || op.kind == "bytes" {
		if !r.align() {
			return false
		}
		if op.kind == "align" {
			return true
		}
		if 8*op.width > left() {
			return false
		}
		if b := r.order.AppendBytes(nil, r.data, r.bit, op.width); op.read && string(b) != op.bytes {
			t.Errorf("bytes at bit %d: want %x, got %x", r.bit, op.bytes, b)
		}
		r.bit += 8 * op.width
		return true
	}
	if op.width > left() {
		return false
	}
	v := r.order.Load(r.data, r.bit, op.width)
	if v > op.span {
		return false
	}
	if op.read && v != op.code {
		t.Errorf("%d bits at %d: want %d, got %d", op.width, r.bit, op.code, v)
	}
	if reference := slow.Load(r.order, r.data, r.bit, op.width); reference != v {
		t.Errorf("%d bits at %d: slow reads %d, wire %d", op.width, r.bit, reference, v)
	}
	r.bit += op.width
	return true
}

// The C++ libraries' own verdicts: what they read, where they refused, and what they wrote.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		t.Run(words[0], func(t *testing.T) {
			order, ok := wire.ParseOrder(words[1])
			if !ok {
				t.Fatalf("unknown order %q", words[1])
			}
			packet, err := hex.DecodeString(strings.TrimPrefix(words[3], "-"))
			if err != nil {
				t.Fatal(err)
			}
			verdict, at, _ := strings.Cut(words[2], ":")
			verdicts[words[1]+" "+verdict]++
			refused := ""
			r, w := cursor{order: order, data: packet}, cursor{order: order}
			for i, word := range words[4:] {
				op := parseVectorOp(t, word)
				if !readVectorOp(t, &r, op) {
					refused = strconv.Itoa(i)
					break
				}
				switch op.kind {
				case "align", "bytes":
					w.put(0, -w.bit&7)
					for i := range len(op.bytes) {
						w.put(uint64(op.bytes[i]), 8)
					}
				default:
					w.put(op.code, op.width)
				}
			}
			if refused != at {
				t.Errorf("refused op: want %q, got %q", at, refused)
			}
			if verdict == "exact" && string(w.data) != string(packet) {
				t.Errorf("written: want %x, got %x", packet, w.data)
			}
		})
	}
	// An empty or mangled file must not pass.
	for _, kind := range []string{"lsb exact", "lsb accept", "lsb reject", "bousk exact", "bousk accept", "bousk reject"} {
		if verdicts[kind] < 20 {
			t.Errorf("want at least 20 cases of %q, got %d", kind, verdicts[kind])
		}
	}
}
