package wire

// Domain names as RFC 1035 has them (3.1, 4.1.4): labels, each after its length, up to the empty one of the root, or
// up to a pointer at labels that stand earlier in the datagram. A pointer is the attacker's: followed as it comes it
// loops. Here each leads to a place below the labels that it ends, and what it leads to ends before the name, so a
// name depends on nothing after its own bytes.

// The limits of a name.
const (
	MaxName         = 255       // bytes of its labels, with their lengths and the root's
	MaxNameSize     = 256       // bytes of its own: all labels, and a pointer at the root
	MaxNameText     = 4*250 + 4 // bytes of it as text: four labels, all of whose bytes are escaped
	MaxNamePointers = 64        // that are followed
	MaxNameSteps    = MaxNamePointers + (MaxName-1)/2
	maxLabel        = 63
)

// Name is what a name turned out to be.
type Name struct {
	Size     int       // bytes of its own; of a bad one those that were looked at
	Labels   int       // the root's left out
	Pointers int       // that were followed
	Cut      bool      // not all of Size are there
	Fault    TextFault // At counts from the first byte of the datagram
}

// ReadName reads the name at a byte of a datagram, of which its own bytes may go up to end, and appends it to text as
// zone files have it: `www.example.com.`, with `\.`, `\\` and `\DDD`. What it has appended of a bad name has no
// meaning.
func ReadName(text, data []byte, at, end int) ([]byte, Name) {
	var n Name
	from, size := len(text), 1
	for run, next := at, at; ; {
		if next >= end {
			return text, n.cut(next, 0, next+1-at)
		}
		c, more := int(data[next]), 1 // a pointer has two bytes
		if c <= maxLabel {
			more = c
		}
		switch {
		case c > maxLabel && c < 0xc0:
			return text, n.bad(TextNameLabel, next, c, next+1-at)
		case 0 < c && c <= maxLabel && size+1+c > MaxName:
			return text, n.bad(TextNameSize, next, c, next+1-at)
		case more >= end-next:
			return text, n.cut(next, c, next+1+more-at)
		}
		if n.Pointers == 0 {
			n.Size = next + 1 + more - at
		}
		if c <= maxLabel {
			if c == 0 {
				if len(text) == from {
					text = append(text, '.')
				}
				return text, n
			}
			text = appendLabel(text, data[next+1:next+1+c])
			size, next = size+1+c, next+1+c
			n.Labels++
			continue
		}
		to := (c&maxLabel)<<8 | int(data[next+1])
		if to >= run {
			return text, n.bad(TextNamePointer, next, c, n.Size)
		}
		if n.Pointers == MaxNamePointers {
			return text, n.bad(TextNameHops, next, c, n.Size)
		}
		run, next, end = to, to, at
		n.Pointers++
	}
}

// NamePointed reports whether the bytes that a good name has of its own end with a pointer.
func NamePointed(own []byte) bool {
	for at := 0; at < len(own); at += 1 + int(own[at]) {
		if own[at] > maxLabel {
			return true
		}
	}
	return false
}

// bad is a name that breaks a rule at a byte, which is c, after size bytes of its own.
func (n Name) bad(rule TextRule, at, c, size int) Name {
	if n.Pointers == 0 {
		n.Size = size
	}
	n.Fault = TextFault{rule, at, uint64(c)}
	return n
}

// cut is a name that does not end where it must.
func (n Name) cut(at, c, size int) Name {
	if n.Pointers > 0 {
		return n.bad(TextNameEnd, at, c, size)
	}
	n.Size, n.Cut = size, true
	return n
}

func appendLabel(text, label []byte) []byte {
	for _, c := range label {
		switch {
		case c == '.' || c == '\\':
			text = append(text, '\\', c)
		case c <= ' ' || c >= 0x7f:
			text = append(text, '\\', '0'+c/100, '0'+c/10%10, '0'+c%10)
		default:
			text = append(text, c)
		}
	}
	return append(text, '.')
}

// AppendName appends the labels of a name in text, without pointers; the last point may be missing. wrong is what is
// wrong with the text, "" for nothing, at is the byte of it.
func AppendName(b, text []byte) (out []byte, wrong string, at int) {
	from := len(b)
	if string(text) == "." {
		return append(b, 0), "", 0
	}
	length, begin := len(b), 0
	b = append(b, 0)
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == '.' {
			n := len(b) - length - 1
			switch {
			case n == 0:
				return b, "an empty label", begin
			case n > maxLabel:
				return b, "a label of more than 63 bytes", begin
			case len(b)+1-from > MaxName:
				return b, "a name of more than 255 bytes", begin
			}
			b[length] = byte(n)
			if i+1 >= len(text) {
				return append(b, 0), "", 0
			}
			length, begin = len(b), i+1
			b = append(b, 0)
			continue
		}
		c := text[i]
		if c == '\\' {
			size := 0
			if c, size = unescaped(text[i+1:]); size == 0 {
				return b, "a \\ that begins no escape", i
			}
			i += size
		}
		b = append(b, c)
	}
	panic("pktscope: internal error: a name without an end")
}

// unescaped is the byte that an escape means, and the escape's size without its \; 0 for none.
func unescaped(text []byte) (c byte, size int) {
	if len(text) == 0 {
		return 0, 0
	}
	if text[0] < '0' || text[0] > '9' {
		return text[0], 1
	}
	n := 0
	for i := range 3 {
		if i == len(text) || text[i] < '0' || text[i] > '9' {
			return 0, 0
		}
		n = 10*n + int(text[i]-'0')
	}
	if n > 255 {
		return 0, 0
	}
	return byte(n), 3
}
