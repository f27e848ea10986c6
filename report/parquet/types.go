package parquet

import (
	"math/bits"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// columnType is the type of a leaf column.
type columnType struct {
	word   string // of a listing: UINT16
	form   form
	bits   int  // of an integer
	signed bool // an integer is
	always bool // it is never NULL
}

// form is how a column's values lie in a file.
type form uint8

const (
	formBool form = iota
	formInt32
	formInt64
	formFloat
	formDouble
	formBytes
	formText
	formWord // a text of few words: their numbers in a dictionary
)

// forms are what is known of each.
var forms = [...]struct {
	kind   format.Type
	size   int                                            // bytes of a number
	append func(b []byte, nums []uint64) []byte           // as they are
	second format.Encoding                                // in which numbers may take less; 0 for none
	spread func(b []byte, nums []uint64, p *press) []byte // in that encoding
}{
	formBool:   {kind: format.Boolean, append: appendBits},
	formInt32:  {format.Int32, 4, append32, format.DeltaBinaryPacked, packInt32},
	formInt64:  {format.Int64, 8, append64, format.DeltaBinaryPacked, packInt64},
	formFloat:  {format.Float, 4, append32, format.ByteStreamSplit, splitter(4)},
	formDouble: {format.Double, 8, append64, format.ByteStreamSplit, splitter(8)},
	formBytes:  {kind: format.ByteArray},
	formText:   {kind: format.ByteArray},
	formWord:   {kind: format.ByteArray},
}

var (
	boolType   = columnType{word: "BOOL", form: formBool}
	floatType  = columnType{word: "FLOAT", form: formFloat}
	doubleType = columnType{word: "DOUBLE", form: formDouble}
	bytesType  = columnType{word: "BYTES", form: formBytes}
	textType   = columnType{word: "STRING", form: formText}
	wordType   = columnType{word: "STRING", form: formWord}
	timeType   = columnType{word: "TIMESTAMP", form: formInt64, signed: true}
)

// intType is an integer of 8, 16, 32 or 64 bits.
func intType(size int, signed bool) columnType {
	t := columnType{word: "INT" + strconv.Itoa(size), form: formInt32, bits: size, signed: signed}
	if !signed {
		t.word = "U" + t.word
	}
	if size == 64 {
		t.form = formInt64
	}
	return t
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
