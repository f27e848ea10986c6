package serialize_test

import (
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

var (
	metres        = serialize.NewQuantized(-1000, 1000, 0.001)
	metresPerSec  = serialize.NewQuantized(-10, 10, 0.01)
	radiansPerSec = serialize.NewQuantized(-20, 20, 0.01)
)

// RigidBody is 96 bits at rest, 165 when it moves.
type RigidBody struct {
	Position        [3]float32 // metres
	Orientation     [4]float32 // x y z w
	AtRest          bool
	LinearVelocity  [3]float32 // m/s, zero at rest
	AngularVelocity [3]float32 // rad/s, zero at rest
}

func (r *RigidBody) Serialize(s *serialize.Stream) {
	s.QuantizedVector("position", r.Position[:], &metres)
	s.SmallestThree("orientation", &r.Orientation, 10)
	s.Bool("at_rest", &r.AtRest)
	if !r.AtRest {
		s.QuantizedVector("linear_velocity", r.LinearVelocity[:], &metresPerSec)
		s.QuantizedVector("angular_velocity", r.AngularVelocity[:], &radiansPerSec)
	} else if s.Reading() {
		r.LinearVelocity, r.AngularVelocity = [3]float32{}, [3]float32{}
	}
}

// The rigid body of "Serialization Strategies": what rests is sent without its velocities.
func Example_rigidBody() {
	var s serialize.Stream
	resting := RigidBody{Position: [3]float32{1, -2, 3.5}, Orientation: [4]float32{0, 0, 0, 1}, AtRest: true}
	moving := resting
	moving.AtRest = false
	moving.LinearVelocity = [3]float32{0.5, 0, -10}
	for _, b := range []*RigidBody{&resting, &moving} {
		bits, _ := s.Measure(wire.LSB, b)
		datagram, _ := s.Append(wire.LSB, nil, b)
		var got RigidBody
		err := s.Read(wire.LSB, datagram, &got)
		fmt.Printf("%d bits: %.3f %v %v\n", bits, got.Position, got.LinearVelocity, err)
	}

	// Any three components are not a rotation: a reader that believes these makes a NaN of the fourth.
	datagram, _ := s.Append(wire.LSB, nil, &resting)
	for i := 8; i < 12; i++ {
		datagram[i] |= 0xff
	}
	err := s.Read(wire.LSB, datagram, new(RigidBody))
	fmt.Println(errors.Is(err, reject.NonUnit), err)

	// Output:
	// 96 bits: [1.000 -2.000 3.500] [0 0 0] <nil>
	// 165 bits: [1.000 -2.000 3.500] [0.5 0 -10] <nil>
	// true orientation: non-unit at bit 63 (byte 7+7): want squares that sum to 1 at most, got 0xffffffff
}
