package seal

import (
	"crypto/cipher"
	"crypto/subtle"
	"fmt"
	"slices"
)

// Cipher opens and seals with one key. It shows nothing of the key, whatever prints it.
type Cipher struct {
	algorithm *Algorithm
	aead      cipher.AEAD
	pad       []byte // of xor
}

// New makes the Cipher of a key, which it copies. An error says which length is wanted and never what the key is.
func New(a *Algorithm, key []byte) (*Cipher, error) {
	c := &Cipher{algorithm: a}
	if a.make == nil {
		if len(key) == 0 || len(key) > MaxPad {
			return nil, fmt.Errorf("a pad of %s has 1 to %d bytes, got %d", a.Name, MaxPad, len(key))
		}
		c.pad = slices.Clone(key)
		return c, nil
	}
	if len(key) != a.Key {
		return nil, fmt.Errorf("a key of %s has %d bytes, got %d", a.Name, a.Key, len(key))
	}
	var err error
	c.aead, err = a.make(key)
	return c, err
}

// Algorithm is that of the key.
func (c *Cipher) Algorithm() *Algorithm { return c.algorithm }

// Format writes the algorithm alone, whatever the verb: neither %#v nor %x shows the key.
func (c *Cipher) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(c.algorithm.Name + " (key hidden)"))
}

// Open appends the plaintext of sealed, which ends with its tag, to dst. It is false, with dst as it was, where the tag
// is wrong or missing; then no byte of the text is told. Of xor it is always true; at is where in the pad the text
// begins, in bytes, and has no meaning to the others.
//
// dst must not overlap sealed, and nonce must have the algorithm's size.
func (c *Cipher) Open(dst, nonce, sealed, ad []byte, at int) ([]byte, bool) {
	if c.aead == nil {
		return c.xor(dst, sealed, at), true
	}
	out, err := c.aead.Open(dst, nonce, sealed, ad)
	if err != nil {
		return dst, false
	}
	return out, true
}

// Seal appends plain, sealed, and its tag to dst, which must not overlap plain.
func (c *Cipher) Seal(dst, nonce, plain, ad []byte, at int) []byte {
	if c.aead == nil {
		return c.xor(dst, plain, at)
	}
	return c.aead.Seal(dst, nonce, plain, ad)
}

// xor appends src with the pad over it, repeated, from its byte at % len(pad) on.
func (c *Cipher) xor(dst, src []byte, at int) []byte {
	n := len(dst)
	dst = append(dst, src...)
	if at %= len(c.pad); at < 0 {
		at += len(c.pad)
	}
	for rest := dst[n:]; len(rest) > 0; at = 0 {
		rest = rest[subtle.XORBytes(rest, rest, c.pad[at:]):]
	}
	return dst
}
