package dialogue

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/reject"
)

// The bounds of Secrets. A long one is looked for in pieces, since a program may print a part of a key.
const (
	maxSecrets = 64 // pieces of the last sessions; the keys of a file are as many more
	pieceBytes = 48 // a multiple of 3, so that base64 has the same pieces
)

// Secrets are the values of params, the keys of a file and the @secret fields of a session's packets: what a target
// prints has none of them. The zero Secrets has none, and a nil one keeps none. Any goroutine may call it.
type Secrets struct {
	mu     sync.Mutex
	pieces []piece
	keys   int // the first pieces, which stay
}

type piece struct {
	value    string
	spelling *regexp.Regexp // made when it is looked for
}

// Add adds the bytes of a secret. One of a single byte is in any text, and is left there.
func (s *Secrets) Add(secret []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range slices.Chunk(secret, pieceBytes) {
		at := slices.IndexFunc(s.pieces, func(p piece) bool { return p.value == string(part) })
		switch {
		case len(part) < 2 || at >= 0 && at < s.keys:
			continue
		case at >= 0:
			one := s.pieces[at]
			s.pieces = append(slices.Delete(s.pieces, at, at+1), one)
			continue
		case len(s.pieces)-s.keys == maxSecrets:
			s.pieces = slices.Delete(s.pieces, s.keys, s.keys+1)
		}
		s.pieces = append(s.pieces, piece{value: string(part)})
	}
}

// AddKeys adds the keys of a file, of which there may be none. It is called before Add.
func (s *Secrets) AddKeys(file *keys.File) {
	for key := range file.All() {
		if len(s.pieces) < maxSecrets {
			s.Add(key.Reveal())
		}
	}
	s.keys = len(s.pieces)
}

// addValue adds a param's value.
func (s *Secrets) addValue(v message.Value) {
	if n, ok := new(big.Int).SetString(string(v.Data), 10); ok && v.Kind == message.Number {
		s.Add(n.Bytes())
		return
	}
	s.Add(v.Data)
}

// addFields adds the @secret fields of a packet; what is computed from them, as a checksum, is none.
func (s *Secrets) addFields(t *decode.Trace) {
	if s == nil || !t.Plan.HasSecret() {
		return
	}
	for f := range t.Fields() {
		if v := f.Value().Reveal(); !f.Secret() || t.Plan.Nodes[f.Node()].Derived {
			continue
		} else if v.Form() == decode.FormBytes || v.Form() == decode.FormText {
			s.Add(v.Bytes())
		} else {
			s.Add(new(big.Int).SetUint64(v.Raw()).Bytes())
			if f.Width() >= 16 { // a text of less, as true, is in any other
				s.Add([]byte(v.String()))
			}
		}
	}
}

// Strike puts a mask in the place of each secret in a text: as it is, in hexadecimal digits of either case with or
// without 0x, \x, %, spaces and signs between bytes, as decimal or octal bytes, in base64, and of up to 8 bytes as a
// number in either byte order.
func (s *Secrets) Strike(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.pieces {
		p := &s.pieces[i]
		if len(p.value) > 2 {
			text = strings.ReplaceAll(text, p.value, reject.Masked)
		}
		if p.spelling == nil {
			p.spelling = regexp.MustCompile("(?i)" + strings.Join(spellings([]byte(p.value)), "|"))
		}
		text = p.spelling.ReplaceAllLiteralString(text, reject.Masked)
	}
	return text
}

// spellings are expressions for what a program may print of some bytes.
func spellings(value []byte) (all []string) {
	orders := [][]byte{value}
	if len(value) <= 8 {
		back := slices.Clone(value)
		slices.Reverse(back)
		orders = append(orders, back)
	}
	for _, order := range orders {
		each := make([]string, len(order))
		for i, c := range order {
			each[i] = fmt.Sprintf(`(?:(?:\\x|0x|%%|\\u00)?%02x|\\0*%o|\b%d\b|-%d\b`, c, c, c, 256-int(c))
			if len(order) > 2 {
				quoted := strconv.Quote(string(rune(c)))
				each[i] += "|" + regexp.QuoteMeta(string(rune(c))) + "|" + regexp.QuoteMeta(quoted[1:len(quoted)-1])
			}
			each[i] += ")"
		}
		all = append(all, strings.Join(each, `[\s:,;._'"+-]{0,3}`))
		if n := new(big.Int).SetBytes(order); len(order) <= 8 {
			below := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*len(order))), n)
			all = append(all, fmt.Sprintf(`\b(?:0x)?0*%x\b|\b%d\b|-%d\b`, n, n, below))
		}
	}
	for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		last := ""
		if len(value)%3 > 0 { // it has bits of what follows
			last = `[\w+/-]?=*`
		}
		if len(value) > 2 {
			all = append(all, regexp.QuoteMeta(code.EncodeToString(value)[:8*len(value)/6])+last)
		}
	}
	return all
}
