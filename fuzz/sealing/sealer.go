package sealing

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// carriers is how many packets are generated, at most, to find one that has the message sealed in it.
const carriers = 4096

// Sealer seals messages of one section. It is for one goroutine.
type Sealer struct {
	decoder *decode.Decoder
	section string
	packet  decode.Packet // around the messages
	around  *decode.Resealer
	cipher  *decode.Cipher
	from    decode.Direction
	buf     []byte
}

// New makes the Sealer of a section of the messages of d, with the key of the file. The packet around them is the first
// of the given ones that is accepted and has such a message sealed in it, else one that is generated.
func New(d *decode.Decoder, section string, file *keys.File, given []decode.Packet) (*Sealer, error) {
	for p := range candidates(d, given) {
		r, err := decode.NewResealer(d, p.Data, p.From, section)
		if err != nil {
			continue
		}
		s := r.Sealed().SealedText
		c := decode.NewKeyring(file).Cipher(s, &decode.Envelope{}, nil, decode.FromUnknown)
		if c == nil {
			return nil, &decode.NoKeyError{Of: s}
		}
		return &Sealer{decoder: d, section: section, packet: decode.Packet{Data: slices.Clone(p.Data), From: p.From}, around: r, cipher: c, from: p.From}, nil
	}
	return nil, fmt.Errorf("no packet was found that has a `%s` sealed in it", section)
}

// Again is another Sealer like it, for another reader: it counts its own packets.
func (s *Sealer) Again() *Sealer {
	r, err := decode.NewResealer(s.decoder, s.packet.Data, s.from, s.section)
	if err != nil {
		panic("pktscope: internal error: a packet holds a message, and then does not: " + err.Error())
	}
	return &Sealer{decoder: s.decoder, section: s.section, packet: s.packet, around: r, cipher: s.cipher, from: s.from}
}

// candidates are the packets to put messages into, those of a client first.
func candidates(d *decode.Decoder, given []decode.Packet) iter.Seq[decode.Packet] {
	return func(yield func(decode.Packet) bool) {
		for _, p := range given {
			if !yield(p) {
				return
			}
		}
		var servers []decode.Packet
		for p, err := range fuzz.NewGenerator(d).Packets(1, carriers, nil) {
			if err != nil {
				continue
			}
			if p.From == decode.Server {
				servers = append(servers, decode.Packet{Data: slices.Clone(p.Data), From: p.From})
			} else if !yield(decode.Packet{Data: p.Data, From: p.From}) {
				return
			}
		}
		for _, p := range servers {
			if !yield(p) {
				return
			}
		}
	}
}

// Append appends the packet of a message. An error says that there is none: the message is longer than a text can be.
func (s *Sealer) Append(buf, message []byte) ([]byte, error) {
	packet, err := s.around.Append(buf, message, s.cipher)
	if errors.Is(err, decode.ErrSequence) { // a reader that minds takes nothing more of anybody
		s.around.Rewind(1)
		packet, err = s.around.Append(buf, message, s.cipher)
	}
	return packet, err
}

// NewTarget puts a Sealer before a target, which gets the packets of the messages that it is sent.
func NewTarget(t oracle.Target, s *Sealer) oracle.Target { return &target{t, s} }

// target is a reader of sealed messages.
type target struct {
	reader oracle.Target
	sealer *Sealer
}

// Send seals a message and sends its packet. One that no packet holds has no way to the reader: that is a refusal.
func (t *target) Send(message []byte, _ decode.Direction) (oracle.Reply, error) {
	packet, err := t.sealer.Append(t.sealer.buf[:0], message)
	if err != nil {
		return oracle.Reply{Outcome: oracle.Refused, Bits: -1}, nil
	}
	t.sealer.buf = packet
	return t.reader.Send(packet, t.sealer.from)
}

// Close closes the reader.
func (t *target) Close() error { return t.reader.Close() }

// Forgets is the reader's.
func (t *target) Forgets() bool { return forgets(t.reader) }

func forgets(t oracle.Target) bool {
	f, ok := t.(fuzz.Forgetful)
	return ok && f.Forgets()
}
