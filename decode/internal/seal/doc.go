// Package seal opens and seals bytes with the algorithms that a schema's `sealed` can name. It alone knows
// golang.org/x/crypto. It knows no packets and no schema: keys, nonces, additional data and texts are bytes.
//
// A Cipher is made of one key and used for many packets, by one goroutine at a time or by several. What an attacker
// may choose is what is opened: Open never panics and never returns bytes that a wrong tag covers. Keys, nonces and
// additional data of a wrong length are mistakes of the caller, whose schema was checked: New returns an error, and
// Open and Seal panic.
package seal
