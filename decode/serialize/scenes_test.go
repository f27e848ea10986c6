package serialize_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// sceneVector is a packet of the articles' own sample code, with its values.
type sceneVector struct {
	ID      string
	Scene   string
	Hex     string
	Objects []struct {
		Index       int
		Position    []string
		Orientation map[string]uint64
		AtRest      bool     `json:"at_rest"`
		Linear      []string `json:"linear_velocity"`
		Angular     []string `json:"angular_velocity"`
	}
}

// The articles' own packets read as the values they were made of, are written as they were, and nothing shorter or
// changed is taken.
func TestSceneVectors(t *testing.T) {
	var s serialize.Stream
	scenes := 0
	eachLine(t, "scenes", func(line []byte) {
		var want sceneVector
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		scenes++
		packet, err := hex.DecodeString(want.Hex)
		if err != nil {
			t.Fatal(err)
		}
		var w Scene
		for i := range w.Objects {
			w.Objects[i].Send = true // of an earlier packet
		}
		if err := s.Read(wire.LSB, packet, &w); err != nil {
			t.Fatalf("%s: %v", want.ID, err)
		}
		if got := string(rune('a' + w.How)); got != want.Scene {
			t.Errorf("%s: want scene %s, got %s", want.ID, want.Scene, got)
		}
		checkObjects(t, &want, &w)
		got, err := s.Append(wire.LSB, nil, &w)
		if err != nil || !bytes.Equal(got, packet) {
			t.Errorf("%s: want %x, got %x %v", want.ID, packet, got, err)
		}
		if bound, err := s.Measure(wire.LSB, &w); err != nil || bound < 8*len(packet)-7 || bound > 8*len(packet)+14 {
			t.Errorf("%s: measured %d bits for %d bytes, %v", want.ID, bound, len(packet), err)
		}
		for n := range packet {
			if err := s.Read(wire.LSB, packet[:n], &w); err == nil {
				t.Fatalf("%s: the first %d bytes are accepted", want.ID, n)
			}
		}
		packet[len(packet)/2] ^= 0x10
		err = s.Read(wire.LSB, packet, &w)
		if r, ok := err.(*reject.Reject); !ok || r.Kind != reject.CRCMismatch || r.Path() != "crc" || r.Bit != 0 || r.Width != 32 {
			t.Errorf("%s: a bit changed: want crc-mismatch, got %v", want.ID, err)
		}
	})
	if scenes != 48 {
		t.Errorf("want 48 scenes, got %d", scenes)
	}
}

func checkObjects(t *testing.T, want *sceneVector, w *Scene) {
	t.Helper()
	at := 0
	for i := range w.Objects {
		o := &w.Objects[i]
		if at == len(want.Objects) || want.Objects[at].Index != i {
			if o.Send {
				t.Errorf("%s: object %d was not sent", want.ID, i)
			}
			continue
		}
		from := want.Objects[at]
		at++
		if !o.Send || o.AtRest != from.AtRest {
			t.Errorf("%s: object %d: sent %v, at rest %v", want.ID, i, o.Send, o.AtRest)
		}
		checkVector(t, want.ID, from.Position, o.Position)
		checkVector(t, want.ID, from.Linear, o.LinearVelocity)
		checkVector(t, want.ID, from.Angular, o.AngularVelocity)
		// The vector has the codes; the largest component is what is left of 1.
		k, left := 0, 1.0
		for c, v := range o.Orientation {
			if uint64(c) == from.Orientation["largest"] {
				continue
			}
			code := math.Round((float64(v)/(2/1.414214) + 0.5) * 1023)
			if uint64(code) != from.Orientation[string(rune('a'+k))] {
				t.Errorf("%s: object %d: component %d is %v, want %v", want.ID, i, c, v, from.Orientation)
			}
			left -= float64(v) * float64(v)
			k++
		}
		if v := o.Orientation[from.Orientation["largest"]]; math.Abs(float64(v)-math.Sqrt(left)) > 1e-6 {
			t.Errorf("%s: object %d: the largest is %v, want %v", want.ID, i, v, math.Sqrt(left))
		}
	}
	if at != len(want.Objects) {
		t.Errorf("%s: want %d objects, got %d", want.ID, len(want.Objects), at)
	}
}

func checkVector(t *testing.T, id string, want []string, got [3]float32) {
	t.Helper()
	for i := range want {
		if s := fmt.Sprintf("0x%08x", math.Float32bits(got[i])); s != want[i] {
			t.Errorf("%s: want %s, got %s", id, want[i], s)
		}
	}
	if len(want) == 0 && got != [3]float32{} {
		t.Errorf("%s: a body at rest moves: %v", id, got)
	}
}
