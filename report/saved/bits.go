package saved

import (
	"encoding/json"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

// Bits is a bit's number or a number of bits in a saved result: decode.Hidden, null in JSON, where that tells a secret.
type Bits int

// Share is what part of something a part of it is, 0..1. The share of a case, a field, a peer or a direction, wherever it
// is shown, is of payload: the payload bits of it, of the payload bits of all packets read, refused and cut ones as well. A
// case has all bits of its packets.
func Share(part, all uint64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// MarshalJSON writes the number, or null.
func (n Bits) MarshalJSON() ([]byte, error) {
	if n == decode.Hidden {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Bits) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = decode.Hidden
		return nil
	}
	err := json.Unmarshal(b, (*int)(n))
	if *n == decode.Hidden { // which only null is
		*n--
	}
	return err
}

// ShownBit is the first bit of a reject, decode.Hidden where it tells a secret.
func ShownBit(r *reject.Reject) Bits {
	if r.HidesBit() {
		return decode.Hidden
	}
	return Bits(r.Bit)
}

// ShownWidth is the width of a reject, decode.Hidden where it tells a secret.
func ShownWidth(r *reject.Reject) Bits {
	if r.HidesWidth() {
		return decode.Hidden
	}
	return Bits(r.Width)
}
