package seal

import (
	"crypto/aes"
	"crypto/cipher"

	"golang.org/x/crypto/chacha20poly1305"
)

// Algorithm is a row of Algorithms. All sizes are bytes.
type Algorithm struct {
	Name  string // the word of the language
	Key   int    // size of a key; 0 of xor, whose pad has 1 to MaxPad
	Nonce int    // size of a nonce; 0 without one
	Tag   int    // what a sealed text is longer than its plaintext; 0: nothing tells a wrong key

	make func(key []byte) (cipher.AEAD, error) // nil of xor
}

// MaxPad is the longest pad of xor, in bytes.
const MaxPad = 4096

// Algorithms are those that `sealed` can name.
var Algorithms = []Algorithm{
	{"chacha20poly1305", chacha20poly1305.KeySize, chacha20poly1305.NonceSize, chacha20poly1305.Overhead, chacha20poly1305.New},
	{"xchacha20poly1305", chacha20poly1305.KeySize, chacha20poly1305.NonceSizeX, chacha20poly1305.Overhead, chacha20poly1305.NewX},
	{"aes128gcm", 16, 12, 16, gcm},
	{"aes256gcm", 32, 12, 16, gcm},
	{Name: "xor"},
}

// Find gives the row of a name, nil for one that no algorithm has.
func Find(name string) *Algorithm {
	for i := range Algorithms {
		if Algorithms[i].Name == name {
			return &Algorithms[i]
		}
	}
	return nil
}

// Words lists the names, in the order of Algorithms.
func Words() []string {
	words := make([]string, len(Algorithms))
	for i := range Algorithms {
		words[i] = Algorithms[i].Name
	}
	return words
}

// gcm takes a key of 16 or 32 bytes, as New has checked.
func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
