package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/generated"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// shownFields are the fields of a packet as they are shown, each with its path after prefix, its bits and its value.
func shownFields(t *decode.Trace, prefix string) string {
	var b strings.Builder
	for f := range t.Fields() {
		path, ok := strings.CutPrefix(f.Path(), prefix)
		if !ok {
			path = "? " + f.Path()
		}
		fmt.Fprintf(&b, "%s %d+%d %v\n", path, f.Bit(), f.Width(), f.Value())
	}
	for i := range t.Notes {
		fmt.Fprintf(&b, "note %v %d+%d\n", t.Notes[i].Kind, t.Notes[i].Bit, t.Notes[i].Width)
	}
	return b.String()
}

// Every packet of the captures of STUN and RTP has under the example that imports the two what it has under its own
// schema; a packet that is broken is refused for the same reason at the same bit.
func TestWebRTC(t *testing.T) {
	need.OneGoroutine(t)
	joined := loadDecoder(t, "webrtc")
	for name, least := range map[string]int{"stun": 80, "rtp": 50} {
		own := loadDecoder(t, name)
		packets := captured(t, own, "../"+name+".pcap")
		if len(packets) < least {
			t.Fatalf("%s: %d packets", name, len(packets))
		}
		var one, two decode.Trace
		refused := 0
		hold := func(data []byte) {
			if sealed := name == "rtp" && len(data) > 1; sealed && (data[0]&0x20 != 0 || data[1] >= 192 && data[1] < 224) {
				return // SRTP seals the size of its padding; the others are RTCP's types
			}
			err, same := own.Decode(data, decode.FromUnknown, &one), joined.Decode(data, decode.FromUnknown, &two)
			a, b := shownFields(&one, ""), shownFields(&two, "body.")
			if err != nil && same != nil {
				refused++
				a += fmt.Sprint(one.Reject().Kind, one.Reject().Bit, one.Reject().Width)
				b += fmt.Sprint(two.Reject().Kind, two.Reject().Bit, two.Reject().Width)
			}
			if (err == nil) != (same == nil) || a != b || one.Bits != two.Bits {
				t.Fatalf("%s: %x\nalone    %v, %d bits\n%simported %v, %d bits\n%s", name, data, err, one.Bits, a, same, two.Bits, b)
			}
		}
		for _, p := range packets {
			hold(p.Data)
			if err := own.Decode(p.Data, decode.FromUnknown, &one); err != nil {
				t.Errorf("%s: %x is refused: %v", name, p.Data, one.Reject())
			}
			for bit := 8; bit < 8*len(p.Data); bit += 1 + len(p.Data)/need.Rounds(200, 10) { // the first byte chooses
				data := bytes.Clone(p.Data)
				data[bit/8] ^= 1 << (bit % 8)
				hold(data)
				hold(p.Data[:1+bit/8])
			}
		}
		if refused < 1000 && !testing.Short() || refused < 50 {
			t.Errorf("%s: only %d broken packets were refused", name, refused)
		}
	}
}

// What is generated for the example reads and writes as the decoder does, over an audit that begins with both captures.
func TestWebRTCGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go toolchain")
	}
	d := loadDecoder(t, "webrtc")
	program, err := generated.Build(t.Context(), d.Plan())
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: 2, SelfTest: true,
		NewTarget: func(ctx context.Context) (oracle.Target, error) { return program.NewTarget(ctx, process.Options{}) }}
	a.Bases = append(captured(t, d, "../stun.pcap"), captured(t, d, "../rtp.pcap")...)
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Errorf("%v: %s (%d packets, %x)", f.Kind, f.What(), f.Count, f.Packet)
	}
	if r.Hostile < 10_000 || r.Valid < 2000 || r.Refused != r.Hostile || r.Accepted != r.Valid {
		t.Errorf("%d of %d hostile packets refused, %d of %d valid ones accepted", r.Refused, r.Hostile, r.Accepted, r.Valid)
	}
}
