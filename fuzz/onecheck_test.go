package fuzz_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// lenientReaders are schemas with readers that know all of the schema but one check. Each change of the schema's text
// takes one check away; what the reader would take is bounded by the datagram alone.
var lenientReaders = []struct {
	packet string
	checks [][2]string // what the schema says, what the reader knows
}{
	{"n uint16, d [n, max 10]{ x int8 in -20..20 }, tail bytes(rest, max 7)", [][2]string{
		{"[n, max 10]", "[n, max 1400]"}, {"int8 in -20..20", "int8"}, {"bytes(rest, max 7)", "bytes(rest, max 1400)"},
	}},
	{"z varint(20), q bytes(z*2, max 12), t bytes(rest, max 5)", [][2]string{
		{"bytes(z*2, max 12)", "bytes(z*2, max 1400)"}, {"bytes(rest, max 5)", "bytes(rest, max 1400)"},
	}},
	{"ln uint16, require ln == rest, pn bytes(ln, max 50)", [][2]string{
		{"bytes(ln, max 50)", "bytes(ln, max 1400)"}, {"require ln == rest, pn bytes(ln, max 50)", "pn bytes(ln, max 50), junk bytes(rest, max 1400)"},
	}},
	{"ln uint16, require ln <= rest, pn bytes(ln, max 50), tail bytes(rest, max 6)", [][2]string{
		{"bytes(ln, max 50)", "bytes(ln, max 1400)"}, {"bytes(rest, max 6)", "bytes(rest, max 1400)"},
	}},
	{"id uint8, name cstring(12), n uint8, within(n) { a uint8, all [rest, max 4]uint16 }, data bytes(rest, max 9)", [][2]string{
		{"cstring(12)", "cstring(1000)"}, {"[rest, max 4]", "[rest, max 127]"}, {"bytes(rest, max 9)", "bytes(rest, max 1400)"},
	}},
	{"n uint8 in 0..3, all [n]{ m uint8, x bytes(m, max 5) }, y [until t == 0, max 4]{ t uint8 }, z [rest, max 2]uint16", [][2]string{
		{"uint8 in 0..3", "uint8"}, {"bytes(m, max 5)", "bytes(m, max 255)"}, {"t == 0, max 4", "t == 0, max 900"},
		{"[rest, max 2]", "[rest, max 700]"},
	}},
}

// A packet that breaks one bound keeps every other one, so whatever the seed a reader is found that lacks one check.
func TestOneMissingCheckIsFound(t *testing.T) {
	for _, row := range lenientReaders {
		d := (&boundless{packet: row.packet}).compile(t)
		for _, check := range row.checks {
			packet := strings.Replace(row.packet, check[0], check[1], 1)
			if packet == row.packet {
				t.Fatalf("%s has no %s", row.packet, check[0])
			}
			lenient := (&boundless{packet: packet}).compile(t)
			for seed := uint64(1); seed <= need.Rounds[uint64](8, 1); seed++ {
				a := fuzz.Audit{Decoder: d, Seed: seed, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) {
					return &lenientReader{decoder: lenient}, nil
				}}
				r, err := a.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Findings) == 0 || len(r.Untested) > 0 {
					t.Errorf("%s without %s, seed %d: %d findings, untested: %s", row.packet, check[0], seed, len(r.Findings), rowsOf(r.Untested))
				}
				for i := range r.Findings {
					if f := &r.Findings[i]; f.Kind != oracle.FoundAcceptedMalformed {
						t.Errorf("%s without %s, seed %d: false alarm: %v: %s", row.packet, check[0], seed, f.Kind, f.What())
					}
				}
			}
		}
	}
}

// lenientReader says yes or no, by another schema.
type lenientReader struct {
	decoder *decode.Decoder
	trace   decode.Trace
}

func (l *lenientReader) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if l.decoder.Decode(packet, from, &l.trace) != nil {
		return oracle.Reply{Outcome: oracle.Refused, Bits: -1}, nil
	}
	return oracle.Reply{Outcome: oracle.Accepted, Bits: -1}, nil
}

func (l *lenientReader) Close() error { return nil }
