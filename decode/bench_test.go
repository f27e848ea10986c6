package decode_test

import (
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// flat97Size is the size of one packet in testdata/flat97.bin, which holds 64.
const flat97Size = 180

func compile(tb testing.TB, path string) *plan.Plan {
	tb.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	s, diags := schema.Load(path, src, nil)
	if s == nil {
		tb.Fatalf("%s: %v", path, diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("%s: %v", path, diags)
	}
	return p
}

func flat97(tb testing.TB) (*decode.Decoder, [][]byte) {
	tb.Helper()
	data, err := os.ReadFile("testdata/flat97.bin")
	if err != nil {
		tb.Fatal(err)
	}
	var packets [][]byte
	for ; len(data) > 0; data = data[flat97Size:] {
		packets = append(packets, data[:flat97Size:flat97Size])
	}
	return decode.New(compile(tb, "testdata/flat97.pks")), packets
}

// BenchmarkFlat97 decodes a packet of 88 fields in 180 bytes, accepted and refused at its last field.
func BenchmarkFlat97(b *testing.B) {
	d, packets := flat97(b)
	b.Run("decode", func(b *testing.B) {
		var t decode.Trace
		b.SetBytes(flat97Size)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := d.Decode(packets[i%len(packets)], decode.FromUnknown, &t); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode-refused", func(b *testing.B) {
		var t decode.Trace
		b.SetBytes(flat97Size)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := d.Decode(packets[i%len(packets)][:flat97Size-1], decode.FromUnknown, &t); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}
