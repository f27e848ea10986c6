package generated_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/gogen/testdata/course"
	"github.com/pktscope/pktscope/decode/gogen/testdata/derived"
	"github.com/pktscope/pktscope/decode/gogen/testdata/flat97"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/packets"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtypefixed"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// reader is what a generated package is, in one type for all: each has its own Packet, Side and Reject.
type reader struct {
	packet any // pointer to what read fills
	// read decodes into the packet; bits are valid iff the answer accepts, and the path is appended to path.
	read  func(data []byte, from decode.Direction, path []byte) (no oracle.Answer, at []byte, bits int)
	write func(b []byte, from decode.Direction) ([]byte, error)
}

// rejected is what the Rejects of all generated packages have.
type rejected interface {
	error
	AppendPath(b []byte) []byte
}

// readerOf makes a reader of a generated package's parts. place takes a Reject apart.
func readerOf[P any, R rejected](packet *P, read func(data []byte, from decode.Direction) error, bits func() int,
	place func(no R) (kind uint8, bit, width int), write func(b []byte, from decode.Direction) ([]byte, error)) reader {
	return reader{
		packet: packet,
		read: func(data []byte, from decode.Direction, path []byte) (oracle.Answer, []byte, int) {
			err := read(data, from)
			if err == nil {
				return oracle.Answer{}, path, bits()
			}
			no := err.(R)
			kind, bit, width := place(no)
			return oracle.Answer{Kind: reject.Kind(kind), Bit: bit, Width: width}, no.AppendPath(path), 0
		},
		write: write,
	}
}

// goldenReaders makes a reader of each generated package in testdata.
var goldenReaders = map[string]func() reader{
	"course": func() reader {
		var r course.PacketReader
		var v course.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, course.From(from), &v) }, r.Bits,
			func(no *course.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, course.From(from)) })
	},
	"flat97": func() reader {
		var r flat97.PacketReader
		var v flat97.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, flat97.From(from), &v) }, r.Bits,
			func(no *flat97.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, flat97.From(from)) })
	},
	"gaffer": func() reader {
		var r gaffer.PacketReader
		var v gaffer.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, gaffer.From(from), &v) }, r.Bits,
			func(no *gaffer.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, gaffer.From(from)) })
	},
	"packets": func() reader {
		var r packets.PacketReader
		var v packets.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, packets.From(from), &v) }, r.Bits,
			func(no *packets.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, packets.From(from)) })
	},
	"derived": func() reader {
		var r derived.PacketReader
		var v derived.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, derived.From(from), &v) }, r.Bits,
			func(no *derived.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, derived.From(from)) })
	},
	"rtypefixed": func() reader {
		var r rtypefixed.PacketReader
		var v rtypefixed.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, rtypefixed.From(from), &v) }, r.Bits,
			func(no *rtypefixed.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, rtypefixed.From(from)) })
	},
	"rtype": func() reader {
		var r rtype.PacketReader
		var v rtype.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, rtype.From(from), &v) }, r.Bits,
			func(no *rtype.PacketReject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, rtype.From(from)) })
	},
}

// Every built-in is under the differential, and the numbers of its kinds are the interpreter's.
func TestGoldenReaders(t *testing.T) {
	names := slices.Sorted(maps.Keys(goldenReaders))
	if len(goldenReaders) != len(names) {
		t.Errorf("%d readers for %d golden packages", len(goldenReaders), len(names))
	}
	for _, name := range names {
		if goldenReaders[name] == nil {
			t.Errorf("%s is a golden package without a reader here", name)
		}
	}
	for _, kind := range reject.Kinds() {
		if words := []string{course.RejectKind(kind).String(), flat97.RejectKind(kind).String(), gaffer.RejectKind(kind).String(), packets.RejectKind(kind).String(), rtype.RejectKind(kind).String()}; kind != reject.OverBudget && kind != reject.Fragment { // which nobody gives who has one packet
			for _, word := range words {
				if word != kind.String() {
					t.Errorf("kind %d is %s and %s", kind, kind, word)
				}
			}
		}
	}
}
