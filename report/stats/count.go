package stats

import (
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/saved"
)

// Count is packets and what they took.
type Count struct {
	Packets     uint64 `json:"packets"`
	PayloadBits uint64 `json:"payload_bits"` // of the datagrams as they were sent, whether or not the capture kept all of it
	// OverheadBits are those of the IP and UDP headers: 28 bytes a datagram in IPv4, 48 in IPv6. Options, extension
	// headers and the further headers of fragments are not in it, nor is the link layer.
	OverheadBits uint64 `json:"overhead_bits"`
}

// Bits is payload and overhead.
func (c Count) Bits() uint64 { return c.PayloadBits + c.OverheadBits }

func (c *Count) add(payload, overhead int) {
	c.Packets++
	c.PayloadBits += 8 * uint64(payload)
	c.OverheadBits += 8 * uint64(overhead)
}

func (c *Count) merge(o *Count) {
	c.Packets += o.Packets
	c.PayloadBits += o.PayloadBits
	c.OverheadBits += o.OverheadBits
}

func (c *Count) code(k *coder) {
	k.uint(&c.Packets, saved.MaxCount)
	k.uint(&c.PayloadBits, saved.MaxCount)
	k.uint(&c.OverheadBits, saved.MaxCount)
}

// overhead is the bytes of the IP and UDP headers before a datagram, 0 where there were none.
func overhead(from netip.AddrPort) int {
	switch addr := from.Addr(); {
	case addr.Is4():
		return 20 + 8
	case addr.Is6():
		return 40 + 8
	}
	return 0
}

// Tally is packets by what became of them: a sum of each verdict.
type Tally struct {
	Accepted Count `json:"accepted"`
	Rejected Count `json:"rejected"`
	Cut      Count `json:"cut"` // by the capture
	// NeedsContext: refused by what their flows held.
	NeedsContext Count `json:"needs_context,omitzero"`
}

// Packets is all of them.
func (t *Tally) Packets() uint64 {
	return t.Accepted.Packets + t.Rejected.Packets + t.Cut.Packets + t.NeedsContext.Packets
}

// Bits is payload and overhead of all of them.
func (t *Tally) Bits() uint64 {
	return t.Accepted.Bits() + t.Rejected.Bits() + t.Cut.Bits() + t.NeedsContext.Bits()
}

// PayloadBits is the payload of all of them.
func (t *Tally) PayloadBits() uint64 {
	return t.Accepted.PayloadBits + t.Rejected.PayloadBits + t.Cut.PayloadBits + t.NeedsContext.PayloadBits
}

func (t *Tally) add(r *record) {
	c := &t.Accepted
	switch r.verdict {
	case decode.Refused:
		c = &t.Rejected
	case decode.Cut:
		c = &t.Cut
	case decode.NeedsContext:
		c = &t.NeedsContext
	}
	c.add(int(r.size), int(r.overhead))
}

// Merge adds what o has.
func (t *Tally) Merge(o *Tally) {
	t.Accepted.merge(&o.Accepted)
	t.Rejected.merge(&o.Rejected)
	t.Cut.merge(&o.Cut)
	t.NeedsContext.merge(&o.NeedsContext)
}

func (t *Tally) code(k *coder) {
	t.Accepted.code(k)
	t.Rejected.code(k)
	t.Cut.code(k)
	if k.version > partBare {
		t.NeedsContext.code(k)
	}
}

// oddities is packets by why they were refused, and by what was odd about them.
type oddities struct {
	rejects [reject.OverBudget + 1]uint64 // by reject.Kind
	notes   [reject.ConflictingState + 1]uint64
}

func (o *oddities) add(r *record) {
	if r.verdict == decode.Refused {
		o.rejects[r.kind]++
	}
	for bit := r.notes; bit != 0; bit &= bit - 1 {
		o.notes[lowest(bit)]++
	}
}

func (o *oddities) merge(from *oddities) {
	for k, n := range from.rejects {
		o.rejects[k] += n
	}
	for k, n := range from.notes {
		o.notes[k] += n
	}
}

func (o *oddities) code(c *coder) {
	sparse(c, o.rejects[:])
	sparse(c, o.notes[:])
}
