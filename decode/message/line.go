package message

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// FromLine is FromJSON for who encodes the message at once: the fields can stay the text that they are until Encode
// reads them, and Root is empty until then. What is wrong with them can then be Encode's error, which is FromJSON's.
func (m *Message) FromLine(line []byte) error {
	m.Reset()
	if m.stream.begin(line) {
		return nil
	}
	return m.FromJSON(line)
}

// begin reads what is before the fields; false where FromJSON has to read all.
func (s *stream) begin(line []byte) bool {
	m := s.text.m
	if s.keys == nil || m.Rederive || len(line) > MaxValues {
		return false
	}
	s.text = reader{m: m, data: line, trail: s.text.trail[:0]}
	if !s.head() || m.Verdict != "" && m.Verdict != decode.Accepted.String() {
		m.Reset()
		return false
	}
	m.sender()
	s.line, s.first = line, s.text.at
	return true
}

// headKey is a key before the fields, as the line before had it.
type headKey struct {
	name   string
	quoted []byte // `"name":`
	looked int    // its place in envelopeKeys, -1 where its value does not count
	value  []byte // of another its value, which is often the same
}

// head reads the members before the fields, and goes to the first field. Lines have the same keys as the line before,
// which has none twice.
func (s *stream) head() bool {
	r, same := &s.text, true
	if r.space() != '{' {
		return false
	}
	r.at++
	for n := 0; n < fewKeys; n++ {
		if n > 0 {
			if r.space() != ',' {
				return false
			}
			r.at++
		}
		if n < len(s.heads) && bytes.HasPrefix(r.data[r.at:], s.heads[n].quoted) {
			r.at += len(s.heads[n].quoted)
		} else {
			same = false
			if !s.headKey(n) {
				return false
			}
		}
		key := &s.heads[n]
		if key.name == "fields" {
			once := same && n+1 == len(s.heads) || s.distinct(n+1)
			if !once || r.space() != '{' {
				return false
			}
			r.at++
			return true
		}
		if !s.headValue(key) {
			return false
		}
	}
	return false
}

// headKey reads a key that is another than the line before had.
func (s *stream) headKey(n int) bool {
	r := &s.text
	if r.space() != '"' {
		return false
	}
	start := r.at
	text, err := r.string()
	if err != nil || r.space() != ':' {
		return false
	}
	r.at++
	key := headKey{name: r.m.names.of(text), quoted: bytes.Clone(r.data[start:r.at])}
	key.looked = slices.Index(envelopeKeys[:], key.name)
	s.heads = append(s.heads[:n], key)
	return true
}

// headValue reads a value.
func (s *stream) headValue(key *headKey) bool {
	r := &s.text
	if len(key.value) > 0 && bytes.HasPrefix(r.data[r.at:], key.value) && bytes.HasPrefix(r.data[r.at+len(key.value):], comma) {
		r.at += len(key.value)
		return true
	}
	c, start := r.space(), r.at
	switch {
	case c == 'n':
		return r.word("null") == nil
	case c == '[' || s.scalar() != nil:
		return false
	case key.looked >= 0:
		return r.m.envelope(key.looked, &s.value) == nil
	}
	if text := r.data[start:r.at]; len(text) <= longName {
		key.value = append(key.value[:0], text...)
	}
	return true
}

var comma = []byte{','}

// distinct keeps the first keys as those of the next lines; false where one comes twice.
func (s *stream) distinct(n int) bool {
	s.heads = s.heads[:n]
	for i := range s.heads {
		for k := range i {
			if s.heads[k].name == s.heads[i].name {
				s.heads = s.heads[:0]
				return false
			}
		}
	}
	return true
}

// sender says who sent the message, where only the ports tell it.
func (m *Message) sender() {
	if m.From == decode.FromUnknown && m.Src.IsValid() && m.Dst.IsValid() {
		m.From = decode.DirectionOf(m.plan.Schema, m.Src.Port(), m.Dst.Port())
	}
}

// known are the times and addresses of lines before: most lines have an address that another had, and the second of the
// line before.
type known struct {
	addresses [64]struct {
		text string
		is   netip.AddrPort
	}
	second string // `2006-01-02T15:04:05.`
	at     int64  // in ns since the Unix epoch
}

// address parses an address; false where it is none.
func (k *known) address(text []byte) (netip.AddrPort, bool) {
	if len(text) == 0 {
		return netip.AddrPort{}, false
	}
	at := &k.addresses[(len(text)+7*int(text[len(text)-1])+31*int(text[len(text)/2]))%len(k.addresses)]
	if at.text == string(text) {
		return at.is, true
	}
	addr, err := netip.ParseAddrPort(string(text))
	if err != nil || addr.Addr().Zone() != "" {
		return addr, false
	}
	if at.is = addr; len(text) <= longName {
		at.text = string(text)
	} else {
		at.text = ""
	}
	return addr, true
}

// time parses a time, in ns since the Unix epoch; false where it is none that a capture can hold.
func (k *known) time(text []byte) (int64, bool) {
	const whole, all = len("2006-01-02T15:04:05."), len("2006-01-02T15:04:05.000000000Z")
	nine := len(text) == all && text[all-1] == 'Z'
	if nine && string(text[:whole]) == k.second {
		ns, ok := k.at, int64(0)
		for _, c := range text[whole : all-1] {
			if c < '0' || c > '9' {
				return 0, false
			}
			ok = 10*ok + int64(c-'0')
		}
		return ns + ok, true
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || !inCapture(t) {
		return 0, false
	}
	if nine {
		k.second, k.at = string(text[:whole]), t.Unix()*int64(time.Second)
	}
	return t.UnixNano(), true
}
