package parquet

import (
	"math/bits"

	pq "github.com/parquet-go/parquet-go"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// columnType is the type of a leaf column.
type columnType struct {
	word   string // of a listing: UINT16
	node   pq.Node
	big    bool // an integer of 64 bits
	always bool // it is never NULL
}

var (
	boolType   = columnType{word: "BOOL", node: pq.Leaf(pq.BooleanType)}
	floatType  = columnType{word: "FLOAT", node: pq.Leaf(pq.FloatType)}
	doubleType = columnType{word: "DOUBLE", node: pq.Leaf(pq.DoubleType)}
	bytesType  = columnType{word: "BYTES", node: pq.Leaf(pq.ByteArrayType)}
	textType   = columnType{word: "STRING", node: pq.String()}
	wordType   = columnType{word: "STRING", node: pq.Encoded(pq.String(), &pq.RLEDictionary)} // of few words
)

// intType is an integer of 8, 16, 32 or 64 bits.
func intType(size int, signed bool) columnType {
	word := map[int]string{8: "INT8", 16: "INT16", 32: "INT32", 64: "INT64"}[size]
	if signed {
		return columnType{word: word, node: pq.Int(size), big: size == 64}
	}
	return columnType{word: "U" + word, node: pq.Uint(size), big: size == 64}
}

// valueKind is how a field's value becomes values of its columns.
type valueKind uint8

const (
	integers valueKind = iota
	bools
	floats // of 32 bits
	doubles
	texts
	blobs
	cases // the name, and the code
	flags // the names, and the code
)

// wideRange is the smallest integer that holds several ranges.
type wideRange struct {
	signed bool
	bits   int // of the largest value, without a sign
}

// add makes it hold all values of a leaf's type.
func (w *wideRange) add(l *plan.LeafInfo) {
	switch {
	case !l.IsSigned():
		top := l.Base + l.TypeSpan
		if top < l.Base { // beyond 64 bits nothing is
			top = ^uint64(0)
		}
		w.bits = max(w.bits, bits.Len64(top))
		return
	case l.Signed || l.ZigZag:
		w.bits = max(w.bits, bits.Len64(l.TypeSpan)-1)
	case l.TypeSpan == ^uint64(0): // of an expression
		w.bits = 63
	default:
		for _, v := range []int64{int64(l.Base), int64(l.Base + l.TypeSpan)} {
			w.bits = max(w.bits, bits.Len64(uint64(v^v>>63)))
		}
	}
	w.signed = true
}

func (w *wideRange) columnType() columnType {
	need := w.bits
	if w.signed {
		need++
	}
	for _, size := range []int{8, 16, 32} {
		if need <= size {
			return intType(size, w.signed)
		}
	}
	return intType(64, w.signed)
}

// leafOf finds the kind and the columns of a node that is a number, and what its leaves can hold.
func (l *Layout) leafOf(id plan.NodeID) (valueKind, []columnType) {
	p, node := l.plan, &l.plan.Nodes[id]
	if node.Kind == plan.NodeBlob {
		if node.Value.IsText() {
			return texts, []columnType{textType}
		}
		return blobs, []columnType{bytesType}
	}
	var r wideRange
	single := true // every float is one of 32 bits
	for _, i := range l.leaves[id] {
		r.add(&p.Info[i])
		single = single && p.Info[i].Kind == plan.LeafFloat && p.Leaves[i].Width == 32
	}
	switch form := p.Info[l.leaves[id][0]].Form(); form {
	case decode.FormBool:
		return bools, []columnType{boolType}
	case decode.FormFloat:
		if single && !p.Nodes[node.Parent].IsVector() {
			return floats, []columnType{floatType}
		}
		return doubles, []columnType{doubleType}
	case decode.FormCase:
		return cases, []columnType{wordType, r.columnType()}
	case decode.FormFlags:
		// Names of single bits are no more than bits; of others a byte can have 255, and a list so many times its size.
		if l.inList(id) && len(p.Info[l.leaves[id][0]].Cases.List) > int(p.Leaves[l.leaves[id][0]].Width) {
			return integers, []columnType{r.columnType()}
		}
		return flags, []columnType{wordType, r.columnType()}
	case decode.FormUint, decode.FormInt, decode.FormHex:
		return integers, []columnType{r.columnType()}
	case decode.FormText, decode.FormBytes:
		fallthrough
	default:
		panic("pktscope: internal error: parquet: a number that is " + form.String())
	}
}

// inList reports whether a node is in a list.
func (l *Layout) inList(id plan.NodeID) bool {
	for ; id != plan.NoNode; id = l.plan.Nodes[id].Parent {
		if l.plan.Nodes[id].Elem {
			return true
		}
	}
	return false
}
