package saved

import (
	"encoding/json"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

// Bits is a bit's number or a number of bits in a saved result: decode.Hidden, null in JSON, where that tells a secret.
type Bits int

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
