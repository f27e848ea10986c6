package fuzz_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime/debug"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// looseReader dies of a wrong checksum, or else does not look at it and dies of a count that is too large.
type looseReader struct{ sums bool }

func (l looseReader) Send(packet []byte, _ decode.Direction) (reply oracle.Reply, err error) {
	reply = oracle.Reply{Outcome: oracle.Refused, Bits: -1}
	defer func() {
		if dead := recover(); dead != nil {
			reply.Outcome, reply.Report = oracle.Crashed, fmt.Sprintf("panic: %v\n\n%s", dead, debug.Stack())
		}
	}()
	if len(packet) < 5 {
		return reply, nil
	}
	if l.sums && binary.LittleEndian.Uint32(packet) != sumOf(packet[4:]) {
		wrongSum()
	}
	if packet[4] > 12 {
		countTooLarge()
	}
	if len(packet) == 5+int(packet[4]) {
		reply.Outcome = oracle.Accepted
	}
	return reply, nil
}

// sumOf is the checksum of a packet that goes on so behind it.
func sumOf(rest []byte) uint32 { return crc32.ChecksumIEEE(append(make([]byte, 4), rest...)) }

//go:noinline
func wrongSum() { panic("a checksum that is wrong") }

//go:noinline
func countTooLarge() { panic("a count that is too large") }

func (l looseReader) Close() error { return nil }

// A reader that goes on behind a wrong checksum and dies there dies of what is there, which its packet shows with the
// right one.
func TestBehindSum(t *testing.T) {
	d := compile(t, "protocol p\norder lsb\nmax datagram 100\npacket { crc crc32, count uint8 in 0..12, items [count]uint8 }")
	const wrong = "\x01\x02\x03\x04\x0d"
	right := string(binary.LittleEndian.AppendUint32(nil, sumOf([]byte{13}))) + "\x0d"
	for _, row := range []struct {
		reader looseReader
		packet string
		path   string
		reject reject.Kind
	}{
		{looseReader{}, right, "count", reject.OutOfRange},
		{looseReader{sums: true}, wrong, "crc", reject.CRCMismatch},
	} {
		target := func(context.Context) (oracle.Target, error) { return row.reader, nil }
		a := fuzz.Audit{Decoder: d, Workers: 1, NewTarget: target, Only: []decode.Packet{{Data: []byte(wrong)}}}
		r, err := a.Run(t.Context())
		if err != nil || len(r.Findings) != 1 {
			t.Fatalf("want one finding, got %v, %v", r.Findings, err)
		}
		reply, _ := row.reader.Send([]byte(wrong), decode.FromUnknown)
		met := fuzz.NewJudge(d, false).Judge(&fuzz.Mutation{Data: []byte(wrong), Node: plan.NoNode}, decode.FromUnknown, row.reader, reply)
		m := fuzz.Minimizer{Decoder: d, NewTarget: target}
		least, err := m.Minimize(t.Context(), &met[0])
		if err != nil || met[0].Reject != reject.CRCMismatch {
			t.Fatalf("want a finding about the checksum, got %v, %v", met, err)
		}
		for _, f := range []*fuzz.Finding{&r.Findings[0], least} {
			if f.Path != row.path || f.Reject != row.reject || string(f.Packet) != row.packet || f.Count != 1 {
				t.Errorf("want %v at %s of %x, got %v of %x: %s", row.reject, row.path, row.packet, f.Reject, f.Packet, f.What())
			}
		}
	}
}
