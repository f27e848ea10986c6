package slow_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// The articles' own sample packets: checksum with a protocol id, packet type, the four subsets over 64 rigid bodies,
// and the check at the end. The built-in gaffer describes them.

// quantized makes the type of a vector's part: what the articles' code computes for it.
func quantized(low, high, step float32) *schema.QuantizedType {
	delta := high - low
	steps := uint32(math.Ceil(float64(delta / step)))
	return &schema.QuantizedType{Quantized: wire.Quantized{Min: low, Delta: delta, Steps: steps}, Max: high, Step: step}
}

func TestScenes(t *testing.T) {
	src, _ := protocols.Source("gaffer")
	s := rows.Load(t, string(src))
	scenes := 0
	rows.EachLine(t, "scenes", func(line []byte) {
		var want rows.Scene
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		scenes++
		payload, err := hex.DecodeString(want.Hex)
		if err != nil {
			t.Fatal(err)
		}
		// The checksum covers the packet: no shorter one is believed, and none with a bit changed.
		for n := range payload {
			if n%16 == 0 || n < 8 {
				if r := slow.Decode(s, payload[:n], schema.FromUnknown); r.Reject == nil {
					t.Errorf("%s: the first %d bytes were accepted", want.ID, n)
				}
			}
		}
		flipped := append([]byte(nil), payload...)
		flipped[len(flipped)/2] ^= 0x10
		if r := slow.Decode(s, flipped, schema.FromUnknown); r.Reject == nil || *r.Reject != (slow.Reject{Kind: reject.CRCMismatch, Path: "crc", Bit: 0, Width: 32}) {
			t.Errorf("%s: with a bit changed: want crc-mismatch, got %v", want.ID, r.Reject)
		}
		checkScene(t, want, slow.Decode(s, payload, schema.FromUnknown))
	})
	if scenes != 48 {
		t.Errorf("want 48 scenes, got %d", scenes)
	}
}

func checkScene(t *testing.T, want rows.Scene, r slow.Result) {
	t.Helper()
	if r.Reject != nil {
		t.Errorf("%s: want accept, got %s", want.ID, showReject(*r.Reject))
		return
	}
	fields := map[string]uint64{}
	var slots, indexes []uint64
	for _, f := range r.Fields {
		if f.Item && f.Path == "body.objects" {
			if f.Raw == 1 {
				indexes = append(indexes, uint64(len(slots)))
			}
			slots = append(slots, f.Raw)
			continue
		}
		fields[f.Path] = f.Raw
	}
	same := func(path string, want, got uint64) {
		if want != got {
			t.Errorf("%s: want %d, got %d", path, want, got)
		}
	}
	vector := func(path string, q *schema.QuantizedType, want []string) {
		for i, part := range []string{"x", "y", "z"} {
			raw, ok := fields[path+"."+part]
			if got := fmt.Sprintf("0x%08x", math.Float32bits(slow.Dequantize(q, raw))); len(want) > 0 && got != want[i] {
				t.Errorf("%s.%s: want %s, got %s", path, part, want[i], got)
			}
			if ok != (len(want) > 0) {
				t.Errorf("%s.%s: read is %v", path, part, ok)
			}
		}
	}
	for k, o := range want.Objects {
		path := fmt.Sprintf("body.objects[%d]", k)
		if want.Scene == "a" {
			same(path, o.Index, indexes[k])
		} else {
			same(path+".index", o.Index, fields[path+".index"])
		}
		vector(path+".value.position", quantized(-1000, 1000, 0.001), o.Position)
		for _, part := range []string{"largest", "a", "b", "c"} {
			same(path+".value.orientation."+part, o.Orientation[part], fields[path+".value.orientation."+part])
		}
		same(path+".value.at_rest", map[bool]uint64{true: 1}[o.AtRest], fields[path+".value.at_rest"])
		vector(path+".value.linear_velocity", quantized(-10, 10, 0.01), o.Linear)
		vector(path+".value.angular_velocity", quantized(-20, 20, 0.01), o.Angular)
	}
	if _, more := fields[fmt.Sprintf("body.objects[%d].value.at_rest", len(want.Objects))]; more {
		t.Errorf("%s: more than %d objects", want.ID, len(want.Objects))
	}
	if want.Scene == "b" {
		same(want.ID+" count", uint64(len(want.Objects)), fields["body.objects.count"])
	}
}
