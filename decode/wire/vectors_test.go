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

// readVectorOp does op and reports whether it was accepted.
func readVectorOp(t *testing.T, r *wire.Reader, packet []byte, op vectorOp) bool {
	if op.kind == "align" || op.kind == "bytes" {
		if _, ok := r.Align(8); !ok {
			return false
		}
		b, ok := r.Bytes(op.width)
		if op.kind == "align" {
			return true
		}
		if ok && op.read && string(b) != op.bytes {
			t.Errorf("bytes at bit %d: want %x, got %x", r.Bit(), op.bytes, b)
		}
		return ok
	}
	at := r.Bit()
	v, ok := r.Bits(op.width)
	if !ok || v > op.span {
		return false
	}
	if op.read && v != op.code {
		t.Errorf("%d bits at %d: want %d, got %d", op.width, at, op.code, v)
	}
	if reference := slow.Load(r.Order(), packet, at, op.width); reference != v {
		t.Errorf("%d bits at %d: slow reads %d, the reader %d", op.width, at, reference, v)
	}
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
			r, w := wire.NewReader(order, packet), wire.NewWriter(order, nil)
			for i, word := range words[4:] {
				op := parseVectorOp(t, word)
				if !readVectorOp(t, &r, packet, op) {
					refused = strconv.Itoa(i)
					break
				}
				switch op.kind {
				case "align":
					w.Align(8)
				case "bytes":
					w.Align(8)
					w.Bytes([]byte(op.bytes))
				default:
					w.Bits(op.code, op.width)
				}
			}
			if refused != at {
				t.Errorf("refused op: want %q, got %q", at, refused)
			}
			if verdict == "exact" && string(w.Data()) != string(packet) {
				t.Errorf("written: want %x, got %x", packet, w.Data())
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
