package gogen_test

import (
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
	"github.com/pktscope/pktscope/fuzz"
)

// reader is what a generated package is, in one type for all: each has its own Packet, Side and Reject.
type reader struct {
	packet any // pointer to what read fills
	// read decodes into the packet; bits are valid iff the answer accepts, and the path is appended to path.
	read  func(data []byte, from decode.Direction, path []byte) (no fuzz.Answer, at []byte, bits int)
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
		read: func(data []byte, from decode.Direction, path []byte) (fuzz.Answer, []byte, int) {
			err := read(data, from)
			if err == nil {
				return fuzz.Answer{}, path, bits()
			}
			no := err.(R)
			kind, bit, width := place(no)
			return fuzz.Answer{Kind: reject.Kind(kind), Bit: bit, Width: width}, no.AppendPath(path), 0
		},
		write: write,
	}
}

// goldenReaders makes a reader of each generated package in testdata.
var goldenReaders = map[string]func() reader{
	"course": func() reader {
		var r course.Reader
		var v course.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, course.Side(from), &v) }, r.Bits,
			func(no *course.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, course.Side(from)) })
	},
	"flat97": func() reader {
		var r flat97.Reader
		var v flat97.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, flat97.Side(from), &v) }, r.Bits,
			func(no *flat97.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, flat97.Side(from)) })
	},
	"gaffer": func() reader {
		var r gaffer.Reader
		var v gaffer.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, gaffer.Side(from), &v) }, r.Bits,
			func(no *gaffer.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, gaffer.Side(from)) })
	},
	"packets": func() reader {
		var r packets.Reader
		var v packets.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, packets.Side(from), &v) }, r.Bits,
			func(no *packets.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, packets.Side(from)) })
	},
	"derived": func() reader {
		var r derived.Reader
		var v derived.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, derived.Side(from), &v) }, r.Bits,
			func(no *derived.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, derived.Side(from)) })
	},
	"rtypefixed": func() reader {
		var r rtypefixed.Reader
		var v rtypefixed.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, rtypefixed.Side(from), &v) }, r.Bits,
			func(no *rtypefixed.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, rtypefixed.Side(from)) })
	},
	"rtype": func() reader {
		var r rtype.Reader
		var v rtype.Packet
		return readerOf(&v, func(data []byte, from decode.Direction) error { return r.Decode(data, rtype.Side(from), &v) }, r.Bits,
			func(no *rtype.Reject) (uint8, int, int) { return uint8(no.Kind), no.Bit, no.Width },
			func(b []byte, from decode.Direction) ([]byte, error) { return v.Append(b, rtype.Side(from)) })
	},
}

// Every built-in is under the differential, and the numbers of its kinds are the interpreter's.
func TestGoldenReaders(t *testing.T) {
	names := oracleNames()
	if len(goldenReaders) != len(names) {
		t.Errorf("%d readers for %d golden packages", len(goldenReaders), len(names))
	}
	for _, name := range names {
		if goldenReaders[name] == nil {
			t.Errorf("%s is a golden package without a reader here", name)
		}
	}
	for _, kind := range reject.Kinds() {
		if words := []string{course.Kind(kind).String(), flat97.Kind(kind).String(), gaffer.Kind(kind).String(), packets.Kind(kind).String(), rtype.Kind(kind).String()}; kind != reject.OverBudget {
			for _, word := range words {
				if word != kind.String() {
					t.Errorf("kind %d is %s and %s", kind, kind, word)
				}
			}
		}
	}
}
