package keys

import (
	"fmt"
	"slices"
)

// Hidden is what stands for a key in all output.
const Hidden = "(key hidden)"

// Key is 1 to MaxKey secret bytes. The zero Key is none.
//
// The bytes are a func's: package fmt calls no method of what lies in an unexported field, but follows pointers there
// under a verb that is not theirs. It follows no func.
type Key struct{ reveal func() []byte }

// New makes the Key of some bytes, which it copies.
func New(secret []byte) Key {
	if len(secret) == 0 {
		return Key{}
	}
	own := slices.Clone(secret)
	return Key{func() []byte { return own }}
}

// Reveal gives the bytes, for the cipher alone; do not write to them.
func (k Key) Reveal() []byte {
	if k.reveal == nil {
		return nil
	}
	return k.reveal()
}

// IsZero reports whether it is none.
func (k Key) IsZero() bool { return k.reveal == nil }

// String gives Hidden.
func (Key) String() string { return Hidden }

// GoString gives Hidden.
func (Key) GoString() string { return Hidden }

// Format writes Hidden, whatever the verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Hidden)) }

// MarshalText gives Hidden, so that no JSON has the bytes.
func (Key) MarshalText() ([]byte, error) { return []byte(Hidden), nil }
