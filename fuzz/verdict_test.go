package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What the decoder owes to the valid packets of the corpus, and to those that are nearly valid. Every packet in here
// goes through the oracle, so the reference answers the same.

func builtin(t testing.TB, name string) *decode.Decoder {
	t.Helper()
	d, err := protocols.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// someSeeds are the corpus's seeds of a protocol, under -short each fifth.
func someSeeds(protocol string) (some []corpus.Seed) {
	for i, seed := range corpus.Seeds(protocol) {
		if i%need.Rounds(1, 5) == 0 {
			some = append(some, seed)
		}
	}
	return some
}

// checksummed: the first four bytes are a checksum, and nothing after them is read before it is right.
func checksummed(d *decode.Decoder) bool { return len(d.Plan().Checksums) > 0 }

// ask gives the answer of both decoders, which have to agree.
func ask(t testing.TB, o *oracle.Oracle, packet []byte, from decode.Direction) oracle.Answer {
	t.Helper()
	answer, err := o.Decode(packet, from)
	if err != nil {
		t.Fatalf("packet %x: %v", packet, err)
	}
	return answer
}

// hit is the field that a packet cut to n bytes has lost a part of: the first one of the whole packet that ends after
// the cut. It is found by the trace of the whole packet alone.
func hit(d *decode.Decoder, packet []byte, from decode.Direction, n int) (path string, bit int) {
	var whole decode.Trace
	if err := d.Decode(packet, from, &whole); err != nil {
		panic(err)
	}
	end := 0
	var counts []int // of what is open
	for ev := range whole.Walk() {
		switch ev.Kind {
		case decode.Open:
			counts = append(counts, ev.Count)
			continue
		case decode.Close:
			counts = counts[:len(counts)-1]
			continue
		}
		path = string(whole.AppendEventPath(nil, ev))
		node := &whole.Plan.Nodes[ev.Node]
		if ev.Kind == decode.Item && !node.Named {
			path = path[:max(0, strings.LastIndexByte(path, '.'))]
		}
		if node.Name == "end" { // of a list: the index of an element that is none
			path += fmt.Sprintf("[%d].index", counts[len(counts)-1])
		}
		if ev.Bit > 8*n { // the cut is in the padding before it
			return path, end
		}
		if end = ev.Bit + ev.Width; end <= 8*n {
			continue
		}
		bit := ev.Bit
		if strings.HasPrefix(path, "body.objects") && strings.HasSuffix(path, ".index") && packet[4]&3 == 3 {
			// On the ladder: flags up to the first that is set are in the cut packet, and all before it.
			for flag := 0; flag < 6 && bit < 8*n; flag++ {
				if bit++; packet[(bit-1)/8]>>((bit-1)%8)&1 == 1 {
					break
				}
			}
		}
		return path, bit
	}
	return "", -1
}

// Every valid packet, cut at every byte, is refused at the field that the cut hits; with a checksum that nobody
// repaired, at the checksum.
func TestEveryTruncation(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		o := oracle.NewOracle(d)
		cuts := 0
		for _, seed := range someSeeds(name) {
			from := fuzz.Sender(seed.From)
			for n := range len(seed.Data) {
				cut := bytes.Clone(seed.Data[:n])
				if checksummed(d) && n >= 4 {
					if got := ask(t, o, cut, from); got != (oracle.Answer{Kind: reject.CRCMismatch, Path: "crc", Width: 32}) {
						t.Errorf("%s cut to %d bytes: want crc-mismatch at crc, got %v", seed.Name, n, got)
					}
				}
				if repaired := d.Plan().RepairChecksum(cut); repaired != (checksummed(d) && n >= 4) {
					t.Fatalf("%s cut to %d bytes: repaired: %v", seed.Name, n, repaired)
				}
				path, bit := hit(d, seed.Data, from, n)
				got := ask(t, o, cut, from)
				if got.Kind != reject.PastEnd || got.Path != path || got.Bit != bit {
					t.Errorf("%s cut to %d bytes: want past-end at %q, bit %d, got %v", seed.Name, n, path, bit, got)
				}
				cuts++
			}
		}
		t.Logf("%s: %d cuts", name, cuts)
	}
}

// Rows by hand, so that the two tests do not lean on the trace alone.
func TestTruncationRows(t *testing.T) {
	rows := []struct {
		protocol, seed string
		n              int
		path           string
		bit, width     int
	}{
		{"rtype", "heartbeat_client", 0, "type", 0, 16},
		{"rtype", "heartbeat_client", 11, "timestamp", 16 + 16, 64},
		{"rtype", "join", 12 + 31, "body.token", 96, 256},
		{"rtype", "join", 12 + 32, "body.ship_skin", 96 + 256, 8},
		{"rtype", "join", 12 + 33 + 5, "body.room_code", 96 + 256 + 8, 48},
		{"rtype", "snapshot_most", 12 + 1 + 10 + 5, "body.players[1].health", 96 + 8 + 80 + 40, 8},
		{"rtype", "snapshot_most", 631, "body.enemy_missiles[31].y", 632*8 - 16, 16},
		{"packets", "a_ends", 3, "crc", 0, 32},
		{"packets", "a_ends", 4, "type", 32, 2},
		{"packets", "a_ends", 5, "body.x", 34, 32},
		{"packets", "a_ends", 16, "body.z", 34 + 64, 32},
		{"packets", "a_ends", 20, "", 34 + 96 + 6, 32},
		{"packets", "b_none", 8, "body", 34 + 6, 32},
		{"gaffer", "bitmap_none", 8, "body.objects", 34 + 30, 1},
		{"gaffer", "index_one", 5, "body.objects.count", 34, 7},
		{"gaffer", "index_one", 13, "body.objects[0].value.position.z", 34 + 7 + 6 + 42, 21},
		{"gaffer", "index_one", 16, "body.objects[0].value.orientation.b", 34 + 7 + 6 + 63 + 2 + 10, 10},
		{"gaffer", "sentinel_none", 5, "body.objects[0].index", 34, 7},
		{"gaffer", "relative_far", 4, "type", 32, 2},
		{"gaffer", "relative_far", 5, "body.objects[0].index", 34 + 6, 6},
		{"gaffer", "relative_far", 18, "body.objects[1].index", 34 + 12 + 96 + 2, 2},
		{"course", "chapter", 1, "second", 8, 4},
		{"course", "chapter", 3, "sixth", 8 + 4 + 5 + 2, 13},
		{"course", "chapter", 5, "seventh", 8 + 4 + 5 + 2 + 13, 9},
		{"packets", "b_most", 9 + 4*31 + 3, "body.elements[31]", 34 + 6 + 32 + 31*32, 32},
	}
	for _, row := range rows {
		d := builtin(t, row.protocol)
		for _, seed := range corpus.Seeds(row.protocol) {
			if seed.Name != row.seed {
				continue
			}
			cut := seed.Data[:row.n]
			d.Plan().RepairChecksum(cut)
			want := oracle.Answer{Kind: reject.PastEnd, Path: row.path, Bit: row.bit, Width: row.width}
			if got := ask(t, oracle.NewOracle(d), cut, fuzz.Sender(seed.From)); got != want {
				t.Errorf("%s %s cut to %d bytes: want %v, got %v", row.protocol, row.seed, row.n, want, got)
			}
		}
	}
}

// Every mutation has a place, changes the packet, and deserves what it says: on both decoders.
func TestMutationsAgree(t *testing.T) {
	need.OneGoroutine(t)
	unknown := 0
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		o, m := oracle.NewOracle(d), fuzz.NewMutator(d)
		count := map[string]int{}
		for _, seed := range someSeeds(name) {
			from := fuzz.Sender(seed.From)
			for mutation := range m.Mutations(seed.Data, from) {
				if bytes.Equal(mutation.Data, seed.Data) {
					t.Errorf("%s: %s: changes nothing", seed.Name, mutation.What())
				}
				if err := mutation.Expect.Check(ask(t, o, mutation.Data, from)); err != nil {
					t.Errorf("%s: %s: %v", seed.Name, mutation.What(), err)
				}
				count[mutation.Expect.Verdict.String()]++
				count[mutation.Expect.Kind.String()]++
			}
		}
		t.Logf("%s: %v", name, count)
		for _, v := range []oracle.Expected{oracle.MustAccept, oracle.MustReject} {
			if count[v.String()] == 0 {
				t.Errorf("%s: no mutation with the verdict %v", name, v)
			}
		}
		if known := count["must-accept"] + count["must-reject"]; known < 5*count["unknown"] {
			t.Errorf("%s: only %d verdicts are known, %d are not", name, known, count["unknown"])
		}
		unknown += count["unknown"]
	}
	if unknown == 0 {
		t.Error("no mutation with an unknown verdict")
	}
}

// Flipping one bit of a valid packet never panics, and the reference agrees; under a checksum it is refused, there.
func TestSingleFlips(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		o := oracle.NewOracle(d)
		for _, seed := range corpus.Seeds(name) {
			data := bytes.Clone(seed.Data)
			for bit := 0; bit < 8*len(data); bit += need.Rounds(1, 61) { // -short: each bit of a byte, in some byte
				data[bit/8] ^= 1 << (bit % 8)
				got := ask(t, o, data, fuzz.Sender(seed.From))
				if checksummed(d) {
					if got != (oracle.Answer{Kind: reject.CRCMismatch, Path: "crc", Width: 32}) {
						t.Errorf("%s, bit %d flipped: want crc-mismatch, got %v", seed.Name, bit, got)
					}
					repaired := bytes.Clone(data)
					d.Plan().RepairChecksum(repaired)
					ask(t, o, repaired, fuzz.Sender(seed.From))
				}
				data[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
}

// Flipping two bits never panics. All pairs of small packets; of large ones each bit with those that follow soon, which
// is where fields meet, and with some far away.
func TestDoubleFlips(t *testing.T) {
	need.OneGoroutine(t)
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		var trace decode.Trace
		pairs := 0
		for _, seed := range corpus.Seeds(name) {
			data := bytes.Clone(seed.Data)
			bits := 8 * len(data)
			for a := 0; a < bits; a += need.RoundsIn(t, need.Long, 1, 3, 61) { // all bits of a byte, of three neighbors
				data[a/8] ^= 1 << (a % 8)
				for b := a + 1; b < bits; b++ {
					if bits > 640 && b > a+40 && b%61 != 0 {
						continue
					}
					data[b/8] ^= 1 << (b % 8)
					if checksummed(d) {
						d.Plan().RepairChecksum(data)
					}
					if err := d.Decode(data, fuzz.Sender(seed.From), &trace); err != nil && trace.Reject().Kind == reject.OverBudget {
						t.Fatalf("%s, bits %d and %d: %v", seed.Name, a, b, err)
					}
					pairs++
					data[b/8] ^= 1 << (b % 8)
				}
				data[a/8] ^= 1 << (a % 8)
			}
		}
		t.Logf("%s: %d pairs", name, pairs)
	}
}

// The 31 counts that fit the six bits and not the range are refused at the count, with a checksum that is right for
// them, however many elements follow.
func TestUnusedCounts(t *testing.T) {
	d := builtin(t, "packets")
	o := oracle.NewOracle(d)
	tried := 0
	for _, seed := range corpus.Seeds("packets") {
		if !strings.HasPrefix(seed.Name, "b_") {
			continue
		}
		for count := uint64(33); count <= 63; count++ {
			data := bytes.Clone(seed.Data)
			wire.LSB.Store(data, 32+2, 6, count)
			if !d.Plan().RepairChecksum(data) {
				t.Fatal("no checksum to repair")
			}
			want := oracle.Answer{Kind: reject.OutOfRange, Path: "body.num_elements", Bit: 32 + 2, Width: 6}
			if got := ask(t, o, data, decode.FromUnknown); got != want {
				t.Errorf("%s with count %d: want %v, got %v", seed.Name, count, want, got)
			}
			tried++
		}
	}
	if tried != 4*31 {
		t.Errorf("tried %d counts, want %d", tried, 4*31)
	}
}

// A packet for another protocol id is refused at the checksum, though nothing else is wrong with it.
func TestWrongProtocolID(t *testing.T) {
	d := builtin(t, "packets")
	o := oracle.NewOracle(d)
	other := *d.Plan().Checksums[0]
	other.Prefix = []plan.SumPart{{Register: -1, Value: 0x12345679, Size: 4}}
	seal := other.Seal(0, 0, nil)
	for _, seed := range corpus.Seeds("packets") {
		data := bytes.Clone(seed.Data)
		binary.LittleEndian.PutUint32(data, uint32(seal.Sum(data)))
		want := oracle.Answer{Kind: reject.CRCMismatch, Path: "crc", Width: 32}
		if got := ask(t, o, data, decode.FromUnknown); got != want {
			t.Errorf("%s: want %v, got %v", seed.Name, want, got)
		}
		d.Plan().RepairChecksum(data)
		if !bytes.Equal(data, seed.Data) {
			t.Errorf("%s: repaired to %x, want %x", seed.Name, data, seed.Data)
		}
	}
}

// A wrong check names itself: the value of the middle one, the label of the last one.
func TestWrongChecks(t *testing.T) {
	d := builtin(t, "packets")
	o := oracle.NewOracle(d)
	var trace decode.Trace
	for _, seed := range corpus.Seeds("packets") {
		rows := []struct {
			bit     int
			path    string
			message string
		}{{8*len(seed.Data) - 32, "", `check "end of packet": want 0x9908ace2, got 0x9908ace3`}}
		if strings.HasPrefix(seed.Name, "b_") {
			rows = append(rows, struct {
				bit     int
				path    string
				message string
			}{32 + 2 + 6, "body", "want 0x12345678, got 0x12345679"})
		}
		for _, row := range rows {
			data := bytes.Clone(seed.Data)
			wire.LSB.Store(data, row.bit, 1, 1^wire.LSB.Load(data, row.bit, 1))
			d.Plan().RepairChecksum(data)
			want := oracle.Answer{Kind: reject.CheckMismatch, Path: row.path, Bit: row.bit, Width: 32}
			if got := ask(t, o, data, decode.FromUnknown); got != want {
				t.Errorf("%s: want %v, got %v", seed.Name, want, got)
			}
			if err := d.Decode(data, decode.FromUnknown, &trace); err == nil || trace.Reject().Message() != row.message {
				t.Errorf("%s: want %q, got %v", seed.Name, row.message, err)
			}
		}
	}
}

// The committed sessions too, hostile packets included, are the same for both decoders.
func TestSessionsAgree(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d := builtin(t, name)
		o := oracle.NewOracle(d)
		answers := map[string]int{}
		for _, dg := range datagrams(t, corpus.Capture(name)) {
			from := decode.DirectionOf(d.Plan().Schema, dg.src, dg.dst)
			answers[fmt.Sprint(ask(t, o, dg.payload, from).Kind)]++
		}
		t.Logf("%s: %v", name, answers)
		if answers["none"] == 0 || len(answers) < 4 {
			t.Errorf("%s: %v", name, answers)
		}
	}
}
