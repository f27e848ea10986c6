package keys

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// What a file may have at most.
const (
	MaxSize = 1 << 20 // bytes
	MaxKeys = 16384
	MaxKey  = 4096 // bytes of one key
	maxName = 64   // bytes of a name
)

// File is what a file of keys has. The zero File and a nil one have no key. It is not changed once it was read, so
// goroutines may share it.
type File struct {
	named map[string]Key
	flows map[flow]Key
}

// flow is what a key of a flow is for: what src sends dst, under a name.
type flow struct {
	src, dst netip.AddrPort
	name     string
}

// Named gives `key.NAME`: the key that a line of the file gives that name, the zero Key without one.
func (f *File) Named(name string) Key {
	if f == nil {
		return Key{}
	}
	return f.named[name]
}

// Flow gives `state.NAME` of what src sends dst, as a line `flow` says it; the zero Key without one.
func (f *File) Flow(src, dst netip.AddrPort, name string) Key {
	if f == nil || f.flows == nil {
		return Key{}
	}
	return f.flows[flow{plain(src), plain(dst), name}]
}

// All gives the keys, in no order.
func (f *File) All() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		if f == nil {
			return
		}
		for _, key := range slices.AppendSeq(slices.Collect(maps.Values(f.named)), maps.Values(f.flows)) {
			if !yield(key) {
				return
			}
		}
	}
}

// Len is how many keys it has: two of a line `flow`.
func (f *File) Len() int {
	if f == nil {
		return 0
	}
	return len(f.named) + len(f.flows)
}

// String says how many keys there are, and nothing of them.
func (f *File) String() string { return fmt.Sprintf("%d keys", f.Len()) }

// Format writes String, whatever the verb.
func (f *File) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// plain writes an address of IPv4 as captures have it.
func plain(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// Exposed is what to warn of: that others than the owner may read a file of this mode. It is "" of one that is the
// owner's alone.
func Exposed(name string, mode fs.FileMode) string {
	if mode.Perm()&0o077 == 0 || !mode.IsRegular() {
		return ""
	}
	return fmt.Sprintf("%s: others than its owner may read these keys (mode %04o): chmod 600 it", name, mode.Perm())
}

// Read reads a file of keys; name is for errors, which say `NAME:LINE: …` and nothing that is in the file.
func Read(name string, src io.Reader) (*File, error) {
	f := &File{named: map[string]Key{}, flows: map[flow]Key{}}
	limit := &io.LimitedReader{R: src, N: MaxSize + 1}
	in := bufio.NewScanner(limit)
	in.Buffer(nil, MaxSize+2)
	var err error
	for line := 1; err == nil && in.Scan(); line++ {
		text, _, _ := strings.Cut(in.Text(), "#")
		if words := strings.Fields(text); len(words) > 0 {
			err = f.add(words)
		}
		if err == nil && f.Len() > MaxKeys {
			err = fmt.Errorf("a file of keys has at most %d keys", MaxKeys)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	switch {
	case limit.N <= 0: // and its last line is cut
		return nil, fmt.Errorf("%s: a file of keys has at most %d bytes", name, MaxSize)
	case in.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, in.Err())
	case err != nil:
		return nil, err
	}
	return f, nil
}

// add adds the key or keys of a line.
func (f *File) add(words []string) error {
	if words[0] == "flow" {
		return f.addFlow(words[1:])
	}
	if len(words) != 2 {
		return fmt.Errorf("want `NAME HEX` or `flow CLIENT:PORT SERVER:PORT NAME HEX HEX`, got %d words", len(words))
	}
	if !isName(words[0]) {
		return fmt.Errorf("the first word is no name: want a letter, then letters, digits and `_`")
	}
	if !f.named[words[0]].IsZero() {
		return fmt.Errorf("a key of this name is in the file already")
	}
	key, err := parse(words[1])
	if err != nil {
		return err
	}
	f.named[words[0]] = key
	return nil
}

func (f *File) addFlow(words []string) error {
	if len(words) != 5 {
		return fmt.Errorf("want `flow CLIENT:PORT SERVER:PORT NAME HEX HEX`, got %d words", len(words)+1)
	}
	client, first := netip.ParseAddrPort(words[0])
	server, second := netip.ParseAddrPort(words[1])
	if first != nil || second != nil {
		return fmt.Errorf("want two addresses with ports after `flow`, as 10.0.0.2:50000 or [fe80::1]:50000")
	}
	if !isName(words[2]) {
		return fmt.Errorf("the word after the addresses is no name: want a letter, then letters, digits and `_`")
	}
	up, down := flow{plain(client), plain(server), words[2]}, flow{plain(server), plain(client), words[2]}
	if up == down {
		return fmt.Errorf("a flow has two ends, and these are one")
	}
	if !f.flows[up].IsZero() {
		return fmt.Errorf("keys of this flow and name are in the file already")
	}
	there, err := parse(words[3])
	if err != nil {
		return err
	}
	back, err := parse(words[4])
	if err != nil {
		return err
	}
	f.flows[up], f.flows[down] = there, back
	return nil
}

// parse reads hexadecimal digits. Its errors hold none of them.
func parse(digits string) (Key, error) {
	if len(digits) > 2*MaxKey {
		return Key{}, fmt.Errorf("a key has at most %d bytes, got %d digits", MaxKey, len(digits))
	}
	if len(digits)%2 != 0 {
		return Key{}, fmt.Errorf("a key has two hexadecimal digits a byte, got %d digits", len(digits))
	}
	secret, err := hex.DecodeString(digits)
	if err != nil { // which quotes a digit
		return Key{}, fmt.Errorf("a key is hexadecimal digits without anything between them")
	}
	return New(secret), nil
}

// isName reports whether a word is a name of the language.
func isName(word string) bool {
	for i, r := range word {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return len(word) <= maxName
}
