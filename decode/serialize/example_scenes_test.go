package serialize_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

const MaxObjects = 64

// Scene is a world of which some objects are sent: those with Send set.
type Scene struct {
	How     serialize.Subset // a bitmap, b index, c sentinel, d steps
	Objects [MaxObjects]SceneObject
}

type SceneObject struct {
	Send bool
	RigidBody
}

func (w *Scene) Serialize(s *serialize.Stream) {
	s.CRC32("crc", serialize.Prefix32(0x44551177))
	serialize.Enum(s, "type", &w.How, serialize.Bitmap, serialize.Steps)
	s.Object("body", (*sceneBody)(w))
	s.CheckLabel("end of packet")
}

type sceneBody Scene

func (sb *sceneBody) Serialize(s *serialize.Stream) {
	sent := func(i int) *bool { return &sb.Objects[i].Send }
	for i := range sb.How.Each(s, "objects", len(sb.Objects), sent) {
		sb.Objects[i].Serialize(s)
	}
}

// The scenes of "Serialization Strategies": the same four objects sent in four ways.
func Example_scenes() {
	var s serialize.Stream
	var w Scene
	for _, i := range []int{3, 4, 5, 40} {
		w.Objects[i] = SceneObject{Send: true, RigidBody: RigidBody{AtRest: true, Orientation: [4]float32{0, 0, 0, 1}}}
	}
	for how, name := range []string{"bitmap", "index", "sentinel", "steps"} {
		w.How = serialize.Subset(how)
		datagram, err := s.Append(wire.LSB, nil, &w)
		if err != nil {
			fmt.Println(err)
		}
		bits := s.Bit()
		var got Scene
		err = s.Read(wire.LSB, datagram, &got)
		fmt.Println(name, bits, "bits:", got.Objects[5].Send, got.Objects[6].Send, got.Objects[40].Send, err)
	}

	// Output:
	// bitmap 520 bits: true false true <nil>
	// index 488 bits: true false true <nil>
	// sentinel 488 bits: true false true <nil>
	// steps 480 bits: true false true <nil>
}
