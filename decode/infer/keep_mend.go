package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// begin makes the draft one of a kept schema, and has its layout with holes.
func (d *draft) begin(k *Kept) *block {
	keep, layout := k.layout()
	d.keep, d.borne, d.tail = keep, map[failure]bool{}, keep.tail
	return layout
}

// limit is the line of a schema's head that says how long a datagram may be.
var limit = regexp.MustCompile(`(?m)^(\s*max\s+datagram\s+)(\d+)`)

// headOf is what stands before the packet, for datagrams of so many bytes: a limit that may have been drafted, 1200
// or more, rises where it has to.
func (s *keeper) headOf(most int) string {
	return limit.ReplaceAllStringFunc(s.head, func(line string) string {
		m := limit.FindStringSubmatch(line)
		if n, err := strconv.Atoi(m[2]); err == nil && n >= usualDatagram && n < most {
			return fmt.Sprint(m[1], most)
		}
		return line
	})
}

// sums reports whether the schema has a checksum.
func (k *Kept) sums() (found bool) {
	every(k.parts, func(p *part) { found = found || p.end && p.bits > 0 })
	return found
}

// isOpen reports whether a layout ends with what is drafted anew.
func (s *keeper) isOpen(layout *block) bool {
	n := len(layout.items)
	return n > 0 && layout.items[n-1].hole != nil && layout.items[n-1].hole.open
}

// takes reports whether there is room for a checksum that was found: at the end, or where a number was cut for it.
func (s *keeper) takes(root, layout *block, k *Checksum) bool {
	if k == nil || k.At < 0 {
		return k != nil && s.isOpen(layout)
	}
	it := root.at(8*k.At, k.Algorithm.Width)
	return it != nil && it.stays == nil && s.isOpen(layout) && len(layout.items) == 1
}

// has reports whether a name is that of a part or of something in it. A hole's mark has none.
func (p *part) has(name string) (found bool) {
	if p != nil {
		every([]*part{p}, func(q *part) { found = found || q.name == name })
	}
	return found
}

// lastKept is the index of the last item that stays, -1 without one.
func (b *block) lastKept() int {
	for i := len(b.items) - 1; i >= 0; i-- {
		if b.items[i].kept {
			return i
		}
	}
	return -1
}

// mendKept is mend of what is refused at something that stays; ok is false where nothing there does.
func (d *draft) mendKept(f failure, it *item) (done, ok bool) {
	switch {
	case it == nil:
		return false, true
	case it.loose:
		return d.loosen(it), true
	case it.stays == nil:
		return false, false
	case f.kind == reject.TrailingBytes:
		if b, _ := d.holder(d.root, spot{}, it); b != nil && b.lastKept() < len(b.items)-1 {
			return d.guard(b, spot{lost: true}, nil), true
		}
	}
	return false, true
}

// loosen makes a number without a rule of one that was drafted, and bytes of all else.
func (d *draft) loosen(it *item) bool {
	b, _ := d.holder(d.root, spot{}, it)
	if b == nil {
		return false
	}
	i := slices.Index(b.items, it)
	if it.width > 0 && it.width <= maxWidth {
		b.items[i] = &item{kind: kindNumber, name: it.name, field: field{width: it.width}, plain: true}
	} else if i <= b.lastKept() {
		return false
	} else {
		b.items = append(b.items[:i], &item{kind: kindRest})
	}
	d.names()
	return true
}

// tidy is a schema in the one style of the language.
func tidy(source []byte) []byte {
	if out, diags := syntax.Format("inferred.pks", source); !syntax.HasErrors(diags) {
		return out
	}
	return source
}
