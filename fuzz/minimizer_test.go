package fuzz

import (
	"bytes"
	"context"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// reader answers a packet. It is a Target with verdicts alone.
type reader func(packet []byte) oracle.Outcome

func (r reader) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	return oracle.Reply{Outcome: r(packet), Bits: -1}, nil
}
func (reader) Close() error { return nil }

// Readers by what they do wrong; each call is a new one.
func takesAll() reader { return func([]byte) oracle.Outcome { return oracle.Accepted } }

// answers makes a reader that gives one answer to some packets and another to all others.
func answers(some func(p []byte) bool, these, others oracle.Outcome) func() reader {
	return func() reader {
		return func(p []byte) oracle.Outcome {
			if some(p) {
				return these
			}
			return others
		}
	}
}

// tires makes a reader that takes all packets after its third. Before, it takes those whose second byte is 9.
func tires() reader {
	had := 0
	return func(p []byte) oracle.Outcome {
		if had++; had > 3 || len(p) == 2 && p[1] == 9 {
			return oracle.Accepted
		}
		return oracle.Refused
	}
}

// Of each malformed packet: what it is like when all that is wrong with it is fixed up, and the least packet that is
// still wrong in the one way that its finding is about. Of a valid one that a reader stumbles over: the least that it
// stumbles over.
func TestMinimizer(t *testing.T) {
	const pair = "x uint8 in 0..100\ny uint8"
	for _, row := range []struct {
		why    string
		body   string
		reader func() reader
		packet []byte
		reject reject.Kind
		fixed  []byte // nil where nobody knows how: the packet is shortened, and fields before the mistake are set where they are
		least  []byte
		cause  string
	}{
		{"a code stays; what comes after it is not needed", pair, takesAll,
			[]byte{200, 9}, reject.OutOfRange, []byte{0, 9}, []byte{200}, "the reader does not refuse out-of-range at x"},
		{"the first of two mistakes is the one", "x uint8 in 0..100\ny uint8 in 0..100", takesAll,
			[]byte{200, 201}, reject.OutOfRange, []byte{0, 0}, []byte{200}, "the reader does not refuse out-of-range at x"},
		{"a cut stays in its field, and is not a code out of range", "y uint8\nx uint16 in 0..100", takesAll,
			[]byte{9, 200}, reject.PastEnd, []byte{9, 0, 0}, []byte{0}, "the reader lets the packet end in front of any field"},
		{"a checksum stays wrong in the same bits", "c crc32(over rest)\nx uint8\ny uint8", takesAll,
			[]byte{0, 0x10, 0, 0, 7, 9}, reject.CRCMismatch, []byte{0, 0, 0, 0, 7, 9}, []byte{0, 0x10, 0, 0, 0, 0},
			"the reader does not refuse crc-mismatch at c"},
		{"padding bits that are set stay", "x bits(3)\nalign\ny uint8", takesAll,
			[]byte{5 | 2<<3, 9}, reject.NonzeroPadding, []byte{5, 9}, []byte{2 << 3}, "the reader does not refuse nonzero-padding at align#1"},
		{"reserved bits that are set stay", "x bits(3)\nreserved(5)\ny uint8", takesAll,
			[]byte{5 | 2<<3, 9}, reject.ReservedNonzero, []byte{5, 9}, []byte{2 << 3}, "the reader does not refuse reserved-nonzero at reserved#1"},
		{"a check stays what it is", "x uint8\ncheck 0x12345678\ny uint8", takesAll,
			[]byte{7, 1, 2, 3, 4, 9}, reject.CheckMismatch, []byte{7, 0x78, 0x56, 0x34, 0x12, 9}, []byte{0, 1, 2, 3, 4},
			"the reader does not refuse check-mismatch at check#1"},
		{"of a tail one byte is enough", "x uint8", takesAll,
			[]byte{7, 1, 2}, reject.TrailingBytes, []byte{7}, []byte{0, 1}, "the reader does not refuse trailing-bytes at packet"},
		{"an unknown case stays; the field before it does not", "x uint8\nk K", takesAll,
			[]byte{7, 9}, reject.UnknownCase, []byte{7, 1}, []byte{0, 9}, "the reader does not refuse unknown-case at k"},
		{"of a list the element with the mistake is left, and the count follows", "n uint8 in 0..4\nl [n]E", takesAll,
			[]byte{3, 1, 2, 3, 200, 4, 5}, reject.OutOfRange, []byte{3, 1, 2, 3, 0, 4, 5}, []byte{1, 0, 200},
			"the reader does not refuse out-of-range at E.b"},
		{"a text is not fixed up", "y uint8\ns string(5)\nx uint8", takesAll,
			[]byte{7, 2, 0xff, 'a', 9}, reject.BadString, nil, []byte{0, 2, 0xff, 'a'}, "the reader does not refuse bad-string at s"},
		{"a longer varint is not fixed up", "y uint8\nv varint(14)\nx uint8", takesAll,
			[]byte{7, 0x85, 0, 9}, reject.NonCanonical, nil, []byte{0, 0x85, 0}, "the reader does not refuse non-canonical at v"},
		{"a new target confirms: this reader takes more when it had more", pair, tires,
			[]byte{200, 9}, reject.OutOfRange, []byte{0, 9}, []byte{200, 9}, "the reader does not refuse out-of-range at x"},
		{"a list that is refused: from which length on", "n uint8 in 0..4\nl [n]E\nz uint8",
			answers(func(p []byte) bool { return len(p) > 0 && p[0] > 2 }, oracle.Refused, oracle.Accepted),
			[]byte{4, 1, 2, 3, 4, 5, 6, 7, 8, 9}, reject.None, []byte{4, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{3, 0, 0, 0, 0, 0, 0, 0},
			"the reader refuses l of 3 elements"},
		{"a value that is refused: the least", pair,
			answers(func(p []byte) bool { return len(p) > 1 && p[1] > 7 }, oracle.Refused, oracle.Accepted),
			[]byte{50, 90}, reject.None, []byte{50, 90}, []byte{0, 8}, "the reader refuses y = 8"},
		{"a value that is refused in front of a rest whose size a rule knows", "n uint8\nrequire n == rest\nx uint8\nd bytes(rest, max 20)",
			answers(func(p []byte) bool { return len(p) > 1 && p[1] != 0 }, oracle.Refused, oracle.Accepted),
			[]byte{5, 7, 'a', 'b', 'c', 'd'}, reject.None, []byte{5, 7, 'a', 'b', 'c', 'd'}, []byte{1, 1}, "the reader refuses x other than 0"},
		{"reserved bits that may be anything and are refused: no field in front of them is", "x bits(2) == 0\ny bits(6)\nreserved(8) any\nz uint16",
			answers(func(p []byte) bool { return len(p) > 1 && p[1] != 0 }, oracle.Refused, oracle.Accepted),
			[]byte{0x1c, 0x80, 3, 4}, reject.None, []byte{0x1c, 0x80, 3, 4}, []byte{0x1c, 0x80, 3, 4}, "the reader refuses reserved#1 that is not 0"},
		{"padding that may be anything and is refused", "y bits(6)\nalign any\nz uint16",
			answers(func(p []byte) bool { return len(p) > 1 && p[0]>>6 != 0 }, oracle.Refused, oracle.Accepted),
			[]byte{0x81, 3, 4}, reject.None, []byte{0x81, 3, 4}, []byte{0x81, 3, 4}, "the reader refuses align#1 that is not 0"},
		{"all values but one are refused", "x uint8\ny uint8 in 3..200",
			answers(func(p []byte) bool { return len(p) > 1 && p[1] != 3 }, oracle.Refused, oracle.Accepted),
			[]byte{50, 90}, reject.None, []byte{50, 90}, []byte{0, 4}, "the reader refuses y other than 3"},
		{"bits after the last field that are refused: no field is to blame", "x uint8\ny bits(5)",
			answers(func(p []byte) bool { return len(p) > 1 && p[1]>>5 != 0 }, oracle.Refused, oracle.Accepted),
			[]byte{50, 7 | 2<<5}, reject.None, []byte{50, 7 | 2<<5}, []byte{50, 7 | 2<<5}, "the reader refuses set bits after the last field"},
		{"bits after the last field that are refused, in a packet with a checksum", "c crc32(over rest)\nx uint8\ny bits(5)",
			answers(func(p []byte) bool { return len(p) > 5 && p[5]>>5 != 0 }, oracle.Refused, oracle.Accepted),
			[]byte{0xbd, 0x92, 0x11, 0x44, 50, 7 | 2<<5}, reject.None, []byte{0xbd, 0x92, 0x11, 0x44, 50, 7 | 2<<5}, []byte{0xbd, 0x92, 0x11, 0x44, 50, 7 | 2<<5}, "the reader refuses set bits after the last field"},
		{"what is in a text that is refused, whatever its size", "n uint8 in 0..9\ns bytes(n) utf8",
			answers(func(p []byte) bool { return bytes.Contains(p, []byte("\u00e9")) }, oracle.Refused, oracle.Accepted),
			[]byte{4, 'a', 0xc3, 0xa9, 'b'}, reject.None, []byte{4, 'a', 0xc3, 0xa9, 'b'}, []byte{4, 'a', 0xc3, 0xa9, 'b'}, "the reader refuses what is in s"},
		{"the size of a text that is refused, whatever is in it", "n uint8 in 0..9\ns bytes(n) utf8",
			answers(func(p []byte) bool { return len(p) > 4 }, oracle.Refused, oracle.Accepted),
			[]byte{6, 'a', 0xc3, 0xa9, 'b', 'c', 'd'}, reject.None, []byte{6, 'a', 0xc3, 0xa9, 'b', 'c', 'd'}, []byte{4, 'a', 'a', 'a', 'a'}, "the reader refuses s of 4 bytes"},
		{"bits after the last field that are set, and a value that is refused", "x uint8\ny bits(5)",
			answers(func(p []byte) bool { return len(p) > 1 && p[1]&31 > 5 }, oracle.Refused, oracle.Accepted),
			[]byte{50, 7 | 2<<5}, reject.None, []byte{50, 7 | 2<<5}, []byte{0, 6}, "the reader refuses y = 6"},
		{"a death: what is wrong with the packet is not why", pair,
			answers(func(p []byte) bool { return len(p) > 1 && p[1] > 7 }, oracle.Crashed, oracle.Refused),
			[]byte{200, 9}, reject.OutOfRange, []byte{0, 9}, []byte{0, 8}, "the reader dies of y = 8"},
		{"a death: what is wrong with the packet is why", pair,
			answers(func(p []byte) bool { return len(p) > 0 && p[0] > 100 }, oracle.Crashed, oracle.Accepted),
			[]byte{200, 9}, reject.OutOfRange, []byte{0, 9}, []byte{200}, "the reader dies of out-of-range at x"},
	} {
		t.Run(row.why, func(t *testing.T) {
			s, diags := schema.Load("m.pks", []byte("protocol m\norder lsb\nenum K : uint8 { A = 1, B = 2 }\nstruct E {\na uint8\nb uint8 in 0..100\n}\npacket {\n"+row.body+"\n}\n"), nil)
			if s == nil {
				t.Fatal(diags)
			}
			p, diags := plan.Compile(s)
			if p == nil {
				t.Fatal(diags)
			}
			d := decode.New(p)
			if row.reject == reject.CRCMismatch { // checksums are given as the bits that are wrong
				for _, data := range [][]byte{row.packet, row.fixed, row.least} {
					wrong := bytes.Clone(data[:4])
					p.Seals().Repair(data, -1)
					for i := range wrong {
						data[i] ^= wrong[i]
					}
				}
			}
			m := &Minimizer{Decoder: d, NewTarget: func(context.Context) (oracle.Target, error) { return row.reader(), nil }}
			m.prepare()
			if ok := m.fixUp(row.packet, decode.FromUnknown, &m.h); ok != (row.fixed != nil) || ok && !bytes.Equal(m.h.trace.Payload, row.fixed) {
				t.Errorf("fixed up %v: %x, want %x", ok, m.h.trace.Payload, row.fixed)
			}
			found := m.judge.Judge(&Mutation{Data: row.packet, Node: plan.NoNode}, decode.FromUnknown, row.reader(), oracle.Reply{Outcome: row.reader()(row.packet), Bits: -1})
			if len(found) != 1 || found[0].Reject != row.reject {
				t.Fatalf("found %+v, want one of %v", found, row.reject)
			}
			f := found[0]
			f.Packet, f.node = row.packet, plan.NoNode
			least, err := m.Minimize(t.Context(), &f)
			if err != nil || !bytes.Equal(least.Packet, row.least) || least.Cause != row.cause {
				t.Errorf("%x, %s, %q, %v; want %x, %q", least.Packet, least.Reject, least.Cause, err, row.least, row.cause)
			}
		})
	}
}

// Of the packets of one crash the shortest is kept, and none behind a wrong checksum where there is another.
func TestBetter(t *testing.T) {
	crash := func(size int, kind reject.Kind) Finding {
		return Finding{Kind: oracle.FoundCrash, Cause: diesIn + "take", Reject: kind, Packet: make([]byte, size), Count: 1}
	}
	as := &auditSum{result: &AuditResult{}, findings: map[string]*Finding{}}
	for _, f := range []Finding{crash(3, reject.CRCMismatch), crash(9, reject.OutOfRange), crash(2, reject.CRCMismatch), crash(8, reject.OutOfRange)} {
		as.note([]Finding{f})
	}
	if len(as.found) != 1 || len(as.found[0].Packet) != 8 || as.found[0].Count != 4 {
		t.Errorf("got %+v", as.found)
	}
	as.result.Findings = []Finding{crash(2, reject.CRCMismatch), crash(8, reject.OutOfRange), crash(3, reject.CRCMismatch)}
	if as.regroup(); len(as.result.Findings) != 1 || len(as.result.Findings[0].Packet) != 8 {
		t.Errorf("got %+v", as.result.Findings)
	}
}
