package report

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// Most of a line of JSON is numbers with their names, of which packets have the same again and again. A renderer keeps
// what it made of them.

// leafTexts are what a renderer keeps of the leaves of a plan. Each text ends with the comma before what comes next.
type leafTexts struct {
	numbers []keptText // of each leaf whose text is its code in decimal: `"name":`, of wide ones `"name":"`; else none
	members [][]uint16 // of each leaf, by its code below keptCodes: which of kept is its member; 0 is none
	kept    []keptText // `"health":77,`
}

// keptText is a text that is copied in one piece, however long it is; without bytes where there is none.
type keptText struct {
	n      uint8
	quoted bool // the number after it ends with a quote
	text   [keptBytes]byte
}

// The bounds of what is kept: a hostile schema has many leaves, and long names.
const (
	keptBytes  = 46
	keptCodes  = 128
	maxMembers = 1 << 14
)

func (l *leafTexts) prepare(p *plan.Plan, keys [][]byte) {
	l.numbers, l.members = make([]keptText, len(p.Info)), make([][]uint16, len(p.Info))
	l.kept = make([]keptText, 1, keptCodes)
	for i := range p.Info {
		key, n := keys[p.Info[i].Node][1:], &l.numbers[i]
		if n.quoted = p.Info[i].Wide(); !p.IsPlainNumber(i) || len(key) >= keptBytes {
			continue
		}
		if n.set(key); n.quoted {
			n.add('"')
		}
	}
}

func (k *keptText) set(text []byte) { k.n = uint8(copy(k.text[:], text)) }

func (k *keptText) add(c byte) {
	k.text[k.n] = c
	k.n++
}

// keep keeps the text of a member, which has no comma.
func (l *leafTexts) keep(leaf int, code uint64, text []byte) {
	if code >= keptCodes || len(l.kept) > maxMembers || len(text) >= keptBytes {
		return
	}
	if l.members[leaf] == nil {
		l.members[leaf] = make([]uint16, keptCodes)
	}
	l.members[leaf][code] = uint16(len(l.kept))
	l.kept = append(l.kept, keptText{})
	k := &l.kept[len(l.kept)-1]
	k.set(text)
	k.add(',')
}

// longestMember is how many bytes a kept text and what is after it take up at most.
const longestMember = keptBytes + len(`18446744073709551615",`)

// leaves appends the members of objects, n of each.
func (j *JSON) leaves(first, n int, codes []uint64, next bool) {
	b, l := j.out, &j.leaf
	numbers, members := l.numbers[first:][:n], l.members[first:][:n]
	for ; len(codes) > 0; codes = codes[n:] {
		if next {
			b = append(b, "},{"...)
		}
		next = true
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		for i, code := range codes[:n] {
			number, text := false, &l.kept[0]
			if of := members[i]; code < uint64(len(of)) {
				text = &l.kept[of[code]]
			} else if code >= keptCodes {
				number, text = true, &numbers[i]
			}
			if text.n == 0 {
				b = j.member(b, first+i, code)
				continue
			}
			if cap(b)-len(b) < longestMember {
				b = j.room(b)
			}
			at := len(b)
			b = b[:at+keptBytes]
			*(*[keptBytes]byte)(b[at:]) = text.text
			b = b[:at+int(text.n)]
			if number {
				if b = plan.AppendUint(b, code); text.quoted {
					b = append(b, '"')
				}
				b = append(b, ',')
			}
		}
		if last := len(b) - 1; b[last] == ',' {
			b = b[:last]
		}
	}
	j.out = b
}

// room makes room for a member, by writing what there is once it is much.
func (j *JSON) room(b []byte) []byte {
	return slices.Grow(j.spill.over(b), longestMember)
}

// member appends a leaf with its key and a comma, unless it has no name, and keeps the text for the next packet that
// has the same.
func (j *JSON) member(b []byte, leaf int, code uint64) []byte {
	id := j.plan.Info[leaf].Node
	if j.plan.Nodes[id].Kind == plan.NodeItem {
		return b
	}
	if len(b) >= spillSize {
		b = j.spill.over(b)
	}
	start := len(b)
	b = j.trace.AppendLeafJSON(append(b, j.keys[id][1:]...), leaf, code)
	j.leaf.keep(leaf, code, b[start:])
	return append(b, ',')
}
