package sessions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/message"
)

// Session is a protocol, and what its packets tell of.
type Session struct {
	Name   string
	Schema string // without the lines of its name and port
	// Kept says that inference was not made while looking at drafts of this session: it is a judge.
	Kept   bool
	Whole  bool // no packet is lost
	packet func(*world) fields
}

// All are the sessions, those that are kept last.
func All() []Session { return append(append([]Session{}, open...), kept...) }

// Of is the session of a name; it panics without one.
func Of(name string) *Session {
	for _, s := range All() {
		if s.Name == name {
			return &s
		}
	}
	panic("sessions: no session has the name " + name)
}

// Source is the schema as a file.
func (s *Session) Source() []byte {
	return fmt.Appendf(nil, "protocol %s\nport 40000\nmax datagram 1200\n%s\n", s.Name, s.Schema)
}

// Decoder is the truth about the packets.
func (s *Session) Decoder() *decode.Decoder {
	d, err := decode.Load(s.Name, s.Source())
	if err != nil {
		panic("sessions: " + err.Error())
	}
	return d
}

// Packets are n packets of three clients to a server, less three in a hundred that are lost unless the session is Whole.
func (s *Session) Packets(n int, seed uint64) ([]infer.Packet, error) {
	d := s.Decoder()
	enc, m := decode.NewEncoder(d), message.New(d.Plan())
	w := &world{Rand: rand.New(rand.NewPCG(seed, 25)), numbers: map[any]*number{}, ms: 120000}
	var seqs [3]int
	for c := range seqs {
		seqs[c] = w.IntN(500)
	}
	server := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), 40000)
	var out []infer.Packet
	for i := range n {
		w.i = i
		w.ms += 3 + w.IntN(12)
		w.client = w.IntN(len(seqs))
		seqs[w.client]++
		w.seq = seqs[w.client]
		f := s.packet(w)
		if w.IntN(100) < 3 && !s.Whole {
			continue
		}
		text, err := json.Marshal(map[string]any{"fields": f})
		if err != nil {
			return nil, err
		}
		if err := m.FromJSON(text); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", s.Name, err, text)
		}
		data, err := m.Encode(enc, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", s.Name, err, text)
		}
		client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(5 + w.client)}), uint16(50000+w.client))
		out = append(out, infer.Packet{N: int64(len(out) + 1), Time: int64(w.ms)*1e6 + int64(w.IntN(400_000)), Src: client, Dst: server, Data: data})
	}
	return out, nil
}
