package gogen

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Fixed packages: each list, bytes and text is an array with as much room as any datagram can need, and a count. A
// Packet is then one piece of memory without a pointer in it, and nothing is allocated for what a datagram holds. What
// that takes is the product of the schema's maxima, which a stranger can make as large as numbers get, so it is counted
// with saturation and refused above maxFixed.

// maxFixed is how many bytes a Packet of arrays may take.
const maxFixed = 4 << 20

// maxSize is where sizes stop being counted.
const maxSize = int64(1) << 50

// times is a product of sizes.
func times(a, b int64) int64 {
	if b > 0 && a > maxSize/b {
		return maxSize
	}
	return a * b
}

// listRoom is how many elements of a list the longest datagram can begin: one that does not fit is begun, too.
func (g *gen) listRoom(id plan.NodeID) int64 {
	n := int64(g.sized[id].Most())
	if least := int64(g.elemBits(id)); least > 0 {
		n = min(n, 8*int64(g.p.Schema.MaxDatagram)/least+1)
	}
	return n
}

// blobRoom is how many bytes the longest datagram can hold of a blob, or UTF-8 can take of its units.
func (g *gen) blobRoom(b *plan.Blob) int64 {
	return int64(b.MostText(min(b.Max, 8*g.p.Schema.MaxDatagram/b.Unit())))
}

// ownBytes is what the schema's tag calls the bytes of a name.
const ownBytes = "#own"

// nameType is the type of a domain name.
func (g *gen) nameType() *goType {
	t := &goType{shape: shapeStruct, doc: "is a domain name."}
	t.fields = []goField{
		{"Text", g.roomType("Text", wire.MaxNameText), "*", "", "`www.example.com.`, with `\\.`, `\\\\` and `\\DDD`"},
		{"Own", g.roomType("Bytes", wire.MaxNameSize), ownBytes, "", "how it is in the packet, if that ends with a pointer: written where it reads as Text"},
	}
	return g.register(t, "Name")
}

// roomType is a type of at most n bytes.
func (g *gen) roomType(name string, n int64) *goType {
	if g.fixed {
		return g.fixedType(name, &goType{text: "byte", shape: shapeNumber, size: 1}, shapeBytes, n)
	}
	return &goType{text: "[]byte", shape: shapeBytes, n: uint64(n), pages: true, size: 24}
}

// bytesType is the type of bytes or of a text.
func (g *gen) bytesType(id plan.NodeID) *goType {
	if g.blob(id).Text == schema.TextName {
		return g.nameType()
	}
	if !g.fixed {
		return &goType{text: "[]byte", shape: shapeBytes, n: uint64(g.blobRoom(g.blob(id))), pages: true, size: 24}
	}
	b, one := g.blob(id), &goType{text: "byte", shape: shapeNumber, size: 1}
	room := g.blobRoom(b)
	if !b.IsText() && b.Size < 0 && !b.Rest && g.constantText(id) == "" { // there is but one count
		return &goType{text: fmt.Sprintf("[%d]byte", room), shape: shapeArray, elem: one, n: uint64(room), size: room}
	}
	name := "Text"
	if !b.IsText() {
		name = "Bytes"
	}
	return g.fixedType(name, one, shapeBytes, room)
}

// fixedType is the array of room elements with its count.
func (g *gen) fixedType(name string, elem *goType, as shape, room int64) *goType {
	name = fmt.Sprintf("%s%d", name, room)
	key := "fixed " + name + "\n" + elem.text
	if have := g.types[key]; have != nil {
		return have
	}
	t := &goType{shape: as, elem: elem, n: uint64(room), pages: true, fixed: true, size: 8 + times(room, elem.size)}
	t.text = g.top.pick(name, "list "+name)
	g.types[key] = t
	g.typeList = append(g.typeList, t)
	return t
}

// fixedDecl writes the type of a fixed list, bytes or text.
func fixedDecl(b *bytes.Buffer, t *goType) {
	what := "elements"
	if t.shape == shapeBytes {
		what = "bytes"
	}
	fmt.Fprintf(b, "\n// %s is at most %d %s: the first Len of At.\ntype %s struct {\n\tLen int\n\tAt [%d]%s `pks:\"[]\"`\n}\n", t.text, t.n, what, t.text, t.n, t.elem.text)
	fmt.Fprintf(b, "\n// Slice is the %s that count, where they lie; all of At where Len is none of 0..%d.\nfunc (l *%s) Slice() []%s { return l.At[:min(uint(l.Len), %d)] }\n", what, t.n, t.text, t.elem.text, t.n)
	if t.shape == shapeList {
		if t.n > 0 {
			fmt.Fprintf(b, "\n// Add puts one more after the others, and reports whether there was room.\nfunc (l *%s) Add(e %s) bool {\n\tif uint(l.Len) >= %d { return false }\n\tl.At[l.Len] = e\n\tl.Len++\n\treturn true\n}\n", t.text, t.elem.text, t.n)
		}
		return
	}
	fmt.Fprintf(b, "\n// Set copies the bytes that shall count, and reports whether there was room; nothing changes where there was none.\nfunc (l *%s) Set(b []byte) bool {\n\tif len(b) > len(l.At) { return false }\n\tl.Len = copy(l.At[:], b)\n\treturn true\n}\n", t.text)
	fmt.Fprintf(b, "\n// String is the bytes that count.\nfunc (l *%s) String() string { return string(l.Slice()) }\n", t.text)
}

// tooLarge is the error of a Packet that would be absurd, naming what makes it so; nil where it is not.
func (g *gen) tooLarge(root *goType) error {
	if root.size <= maxFixed {
		return nil
	}
	path, t := "", root
	for {
		switch {
		case t.shape == shapeStruct && len(t.fields) > 0:
			f := &t.fields[0]
			for i := range t.fields {
				if t.fields[i].typ.size > f.typ.size {
					f = &t.fields[i]
				}
			}
			if name := strings.TrimRight(f.pks, "?"); name != "" && !strings.Contains("-*?", name[:1]) {
				path = strings.TrimPrefix(path+"."+name, ".")
			}
			t = f.typ
			continue
		case (t.shape == shapeList || t.shape == shapeArray) && t.elem.size > maxFixed:
			path += "[]"
			t = t.elem
			continue
		}
		break
	}
	what := "its own size"
	if t.elem != nil {
		what = fmt.Sprintf("room for %d of %d bytes each", t.n, t.elem.size)
	}
	size := fmt.Sprint(root.size)
	if root.size >= maxSize {
		size = "more than any machine's"
	}
	return fmt.Errorf("%s: %s would make a Packet of fixed arrays %s bytes large, want at most %d: give it a smaller maximum, or let lists grow", path, what, size, maxFixed)
}

// The Go of lists, bytes and texts, which are slices or fixed arrays.

// empty is a place's memory as an empty slice.
func empty(place string, t *goType) string {
	if t.fixed {
		return place + ".At[:0]"
	}
	return place + "[:0]"
}

// assign is the statement that makes a slice of a place's own memory, from its start, what the place holds.
func assign(place, slice string, t *goType) string {
	switch {
	case t.fixed:
		return fmt.Sprintf("%s.Len = len(%s)", place, slice)
	case t.shape == shapeArray:
		return "_ = " + slice
	}
	return place + " = " + slice
}

// count is how many elements or bytes a place says that it holds, as an int that a caller may have set to anything.
func count(place string, t *goType) string {
	if t.fixed {
		return place + ".Len"
	}
	return "len(" + place + ")"
}

// given declares a slice of what a caller put into a place. A count outside its array is refused.
func (f *function) given(name, place string, t *goType, path string) {
	if !t.fixed {
		f.p("%s := %s", name, map[bool]string{false: place, true: place + "[:]"}[t.shape != shapeBytes])
		return
	}
	f.p("if uint(%s.Len) > %d { %s }", place, t.n, f.refuse("RejectOutOfRange", "bit", "0", path))
	f.p("%s := %s.At[:%s.Len]", name, place, place)
}
