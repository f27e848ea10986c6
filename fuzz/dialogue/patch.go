package dialogue

import (
	"math/big"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Patch gives a packet of somebody else's making the dialogue's automatic values, and those that attack has for its
// case: all but the field that the packet is refused for, and what comes after that. Checksums that were right are
// right again. The packet is valid until the next call.
func (s *Session) Patch(packet []byte) []byte { return s.patchAll(packet, s.dialogue.attack) }

// Fit is Patch with what the dialogue's own lines give a packet of its case out of the session: a cookie, a token. called
// is the case, "" where it cannot be read.
func (s *Session) Fit(packet []byte) (fitted []byte, called string) {
	fitted = s.patchAll(packet, s.dialogue.said)
	if tag, ok := s.dialogue.tree.tagOf(&s.own); ok {
		called = s.dialogue.caseName(tag)
	}
	return fitted, called
}

// patchAll gives a packet the automatic values, and more by its case.
func (s *Session) patchAll(packet []byte, byCase map[uint64][]*Field) []byte {
	fields := s.dialogue.automatic
	_ = s.dialogue.decoder.Decode(packet, decode.Client, &s.own) // what was read of it
	if tag, ok := s.dialogue.tree.tagOf(&s.own); ok {
		if more := byCase[tag]; len(more) > 0 {
			fields = append(fields[:len(fields):len(fields)], more...)
		}
	}
	if len(s.dialogue.decoder.Plan().Sealed) > 0 { // what is broken already is not opened, and no field of it counts
		if out, ok := s.reseal(packet, fields); ok {
			return out
		}
		return packet
	}
	if len(fields) == 0 {
		return packet
	}
	s.patched = append(s.patched[:0], packet...)
	seals, right := s.seals, make([]bool, 0, 4)
	if len(s.own.Seals) > 0 {
		seals = append(plan.Seals{}, s.own.Seals...).Sort()
	}
	if len(seals) == 0 && len(s.dialogue.decoder.Plan().Checksums) > 0 {
		return packet // where its checksum is, is not known: a packet that stops a reader there shows nothing
	}
	for i := range seals {
		right = append(right, seals[i].End() <= len(packet) && seals[i].Holds(packet))
	}
	for _, f := range fields {
		s.patch(f)
	}
	for i := range seals {
		if right[i] {
			seals[i:i+1].Repair(s.patched, -1)
		}
	}
	return s.patched
}

// patch writes one value over what the packet at hand has there.
func (s *Session) patch(f *Field) {
	v, err := f.Value.value(s)
	if err != nil {
		return // it is not known yet
	}
	broken := s.own.Reject()
	var path []byte
	for ev := range s.own.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob || ev.Width == 0 || ev.Cut() {
			continue
		}
		if path = s.own.AppendEventPath(path[:0], ev); string(path) != f.at.path {
			continue
		}
		if broken != nil && broken.Bit < ev.Bit+ev.Width && ev.Bit < broken.Bit+max(broken.Width, 1) {
			return // it is what is broken
		}
		if ev.Kind == decode.Blob {
			if v.Kind == message.Bytes && 8*len(v.Data) == ev.Width && ev.Bit%8 == 0 {
				copy(s.patched[ev.Bit/8:], v.Data)
			}
			return
		}
		info := &s.dialogue.decoder.Plan().Info[ev.Leaf]
		code, ok := codeOf(info, f.at.wrap(v), ev.Width)
		if !ok || info.Let != nil {
			return
		}
		if info.Swap {
			code = wire.SwapBytes(code, ev.Width)
		}
		s.dialogue.decoder.Plan().StepAt(s.own.Records[ev.Record].Point).At().Order.Store(s.patched, ev.Bit, ev.Width, code)
		return
	}
}

// codeOf is the code of a number or a bool in a leaf.
func codeOf(info *plan.LeafInfo, v message.Value, width int) (uint64, bool) {
	if v.Kind == message.Bool {
		return v.Code, true
	}
	n, ok := new(big.Int).SetString(string(v.Data), 10)
	if v.Kind != message.Number || !ok || n.BitLen() > 64 {
		return 0, false
	}
	code := info.CodeOf(plan.Low64(n), width)
	return code & wire.Mask(width), code <= wire.Mask(width)
}
