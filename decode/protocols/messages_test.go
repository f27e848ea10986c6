package protocols_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
)

// whole is a message that has come: of which section, and with which id where it came in pieces.
type whole struct {
	id     uint64
	pieces bool
	data   []byte
}

// gather puts messages together in the simplest way: it keeps everything.
type gather map[[3]uint64][][]byte

// add takes what a packet holds, and gives the messages that are whole now.
func (g gather) add(t *testing.T, trace *decode.Trace) (list []whole) {
	t.Helper()
	for i := range trace.Fragments {
		f := &trace.Fragments[i]
		data := bytes.Clone(trace.Bytes(int(f.Record), new([]byte)))
		if f.Whole() {
			list = append(list, whole{data: data})
			continue
		}
		if f.Broken(len(data)) || f.Bytes() || f.Ends() {
			t.Fatalf("piece %d of %d, %d bytes", f.At, f.Of, len(data))
		}
		key := [3]uint64{trace.FlowKey()<<8 | uint64(trace.From), f.ID, f.Of}
		if g[key] == nil {
			g[key] = make([][]byte, f.Of)
		}
		if g[key][f.At] != nil {
			continue
		}
		if g[key][f.At] = append([]byte{}, data...); !slices.ContainsFunc(g[key], func(p []byte) bool { return p == nil }) {
			list = append(list, whole{f.ID, true, bytes.Join(g[key], nil)})
		}
	}
	return list
}

// What the reliable library delivered of its packets is what its example makes of them: all messages, and no others.
func TestReliableMessages(t *testing.T) {
	src, _ := protocols.Shipped("reliable")
	d, err := decode.LoadFS(protocols.Dir(), "reliable.pks", src, decode.Param{Name: "MaxFragments", Value: big.NewInt(16)}, decode.Param{Name: "FragmentSize", Value: big.NewInt(64)})
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile("../flow/testdata/reliable.bin")
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.Open("../flow/testdata/reliable.truth.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer truth.Close()
	want := map[string]bool{}
	for lines := bufio.NewScanner(truth); lines.Scan(); {
		want[lines.Text()] = true
	}
	var trace decode.Trace
	g, got := gather{}, map[string]bool{}
	for len(all) > 0 {
		n := 2 + int(binary.LittleEndian.Uint16(all))
		packet := all[2:n]
		all = all[n:]
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
			t.Fatalf("%x: %v", packet, err)
		}
		sequence := uint64(0)
		for f := range trace.Fields() {
			if f.Path() == "header.sequence" || f.Path() == "sequence" {
				sequence = f.Value().Uint()
			}
		}
		for _, m := range g.add(t, &trace) {
			if m.pieces {
				sequence = m.id
			}
			h := uint64(1469598103934665603)
			for _, c := range m.data {
				h = (h ^ uint64(c)) * 1099511628211
			}
			got[fmt.Sprintf("%d %d %016x", sequence, len(m.data), h)] = true
		}
	}
	if len(want) < 1000 {
		t.Fatalf("only %d messages", len(want))
	}
	for m := range want {
		if !got[m] {
			t.Errorf("not found: %s", m)
		}
	}
	for m := range got {
		if !want[m] {
			t.Errorf("the library has no %s", m)
		}
	}
}

// An ENet server that sends back what it gets: both directions have the same messages, the long ones in fragments.
func TestENetMessages(t *testing.T) {
	d, err := protocols.Load("enet")
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile("testdata/enet.bin") // a byte for the side, then the length in two
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	g, sides, pieces, longest := gather{}, [2]map[string]int{{}, {}}, 0, 0
	for len(all) > 0 {
		n := 3 + int(binary.LittleEndian.Uint16(all[1:]))
		side := all[0]
		if err := d.Decode(all[3:n], decode.Direction(1+side), &trace); err != nil {
			t.Fatalf("%x: %v", all[3:n], err)
		}
		for _, m := range g.add(t, &trace) {
			sides[side][string(m.data)]++
			if m.pieces {
				pieces++
			}
			longest = max(longest, len(m.data))
		}
		all = all[n:]
	}
	if len(sides[0]) < 20 || pieces < 4 || longest < 4000 {
		t.Fatalf("%d messages, %d of pieces, the longest of %d bytes", len(sides[0]), pieces, longest)
	}
	for m, n := range sides[0] {
		if sides[1][m] != n {
			t.Errorf("%d bytes came %d times, and %d times back", len(m), n, sides[1][m])
		}
	}
	if len(sides[1]) != len(sides[0]) {
		t.Errorf("%d messages, %d back", len(sides[0]), len(sides[1]))
	}
}
