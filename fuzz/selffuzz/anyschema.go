package selffuzz

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Bounds of what AnySchema does with one input.
const (
	anySize      = 40 // of the schema, at most
	anyPackets   = 2  // random ones
	anyMutations = 24 // of each
)

// AnySchema attacks everything at once with a schema that nobody has thought of: byte 0 is its size, and from 128 on the
// schema has registers that steer, which hold something that is drawn; uint16 how many
// bytes of the rest its structure is drawn from, and what is left is at the same time a packet, values for the encoder,
// and what random packets are drawn from. A drawn schema compiles, or is refused as any other is; decoder, reference,
// encoder, generator and mutator agree under it. interesting says that a packet was accepted.
func AnySchema(data []byte) (bool, error) {
	in := &script{data: data}
	head := in.byte()
	size := 3 + int(head)%anySize
	structure := in.take(int(in.number(2)))
	rest := in.take(in.left())
	source := anyschema.Source
	if head >= 128 {
		source = anyschema.Stateful
	}
	src := source(bytes.NewReader(structure), size)
	d, err := decode.Load("fuzz.pks", []byte(src))
	if err != nil {
		return false, diagnostics(err.(*schema.Diagnostics))
	}
	var flow *steered
	if head >= 128 {
		given := script{data: rest}
		if flow, err = steer(d, given.byte); err != nil {
			return false, fmt.Errorf("%w\n%s", err, src)
		}
		d = flow.fixed
	}
	made := false
	for i, d := range append([]*decode.Decoder{d}, d.Sections()...) { // packets, and whole messages
		if err := proof(d.Plan()); err != nil {
			return false, fmt.Errorf("%w\n%s", err, src)
		}
		if d.Plan().Bound.MaxSteps > maxTrialSteps {
			continue
		}
		one := flow
		if flow != nil && i > 0 {
			one = flow.section(i - 1)
		}
		some, err := holdSchema(d, one, rest)
		if err != nil {
			return false, fmt.Errorf("%s: %w\n%s", d.Schema().Packet.Name, err, src)
		}
		made = made || some
	}
	return made, nil
}

// holdSchema tries packets and values under one schema. flow is of one that steers, else nil.
func holdSchema(d *decode.Decoder, flow *steered, rest []byte) (made bool, err error) {
	trip := newRoundTrip(d)
	m := fuzz.NewMutator(d)
	var seed [8]byte
	copy(seed[:], rest)
	from := decode.Direction(seed[0] % 3)
	packet := bytes.Clone(rest[:min(len(rest), d.Plan().Schema.MaxDatagram+1)])
	for range 2 {
		answer, err := trip.oracle.Decode(packet, from)
		if err != nil {
			return false, fmt.Errorf("packet %x from %v: %w", packet, from, err)
		}
		if flow != nil {
			if err := flow.hold(packet, from); err != nil {
				return false, fmt.Errorf("packet %x from %v: %w", packet, from, err)
			}
		}
		made = made || answer == (oracle.Answer{})
		if !d.Plan().RepairChecksum(packet) {
			break
		}
	}
	accepted, err := trip.run(rest, from)
	if err != nil {
		return false, err
	}
	made = made || accepted
	number := (&script{data: seed[:]}).number(8)
	for n := range uint64(anyPackets) {
		k, err := trip.values.g.Random(number, n)
		if err != nil {
			continue // a relation that random values do not meet
		}
		made = true
		packet := bytes.Clone(k.Data)
		answer, err := trip.oracle.Decode(packet, k.From)
		if err == nil && answer != (oracle.Answer{}) {
			err = errors.New(answer.String())
		}
		if err != nil {
			return false, fmt.Errorf("valid packet %x from %v: %w", packet, k.From, err)
		}
		if flow != nil {
			if err := flow.hold(packet, k.From); err != nil {
				return false, fmt.Errorf("valid packet %x from %v: %w", packet, k.From, err)
			}
		}
		if err := holdMutations(m, trip.oracle, packet, k.From, int(seed[1])); err != nil {
			return false, err
		}
	}
	return made, nil
}

// holdMutations tries some of a packet's mutations, from number skip on.
func holdMutations(m *fuzz.Mutator, o *oracle.Oracle, packet []byte, from decode.Direction, skip int) error {
	n := 0
	for mutation := range m.Enumerate(packet, from, fuzz.Dedup{}) {
		if n++; n <= skip {
			continue
		}
		if n > skip+anyMutations {
			break
		}
		answer, err := o.Decode(mutation.Data, from)
		if err == nil {
			err = mutation.Expect.Check(answer)
		}
		if err != nil {
			return fmt.Errorf("packet %x from %v, %s: %x: %w", packet, from, mutation.What(), mutation.Data, err)
		}
	}
	return nil
}

// AnySchemaSeed makes an input of AnySchema.
func AnySchemaSeed(size byte, structure, rest []byte) []byte {
	return append(append([]byte{size, byte(len(structure)), byte(len(structure) >> 8)}, structure...), rest...)
}
