package infer

// block is a part of the packet, item by item.
type block struct {
	items []*item
	up    *block // of the body of a guard: where the guard is
}

// item is a part of a block: one of the kinds below.
type item struct {
	kind    itemKind
	name    string
	field          // of a number: where it is in its block
	value   uint64 // of a number that is always the same, and of a check
	plain   bool   // it was refused where it was said to be always the same
	kept    bool   // a person gave its name
	decides bool   // another item is of it
	role    string // what its name begins with, where it decides
	rows    int    // that it was priced in
	text    string // what is said of it: examples

	of   *item  // the tag, count, flag or length that decides
	arms []*arm // of a choice
	body *block // of a list, an option and a guard
	bias int    // of a blob: what its length counts besides it
	sum  *Checksum
	most int // of a list or blob: what its count can be
	cond string
	form form // of a rest, and of what a guard keeps out
	each bool // a rest that is bytes that are a field each, whatever they look like

	// Of what stays of a kept schema.
	given  string  // its text
	stays  *part   // what it is; nil of the mark of a hole
	pieces []piece // its text with what is between, instead of given
	loose  bool    // it gives way to packets that it refuses
	hole   *hole
}

// arm is what a value of a tag stands for.
type arm struct {
	values []uint64
	body   *block
	seen   int
}

type itemKind uint8

const (
	kindNumber itemKind = iota
	kindSum
	kindChoice
	kindList
	kindOption
	kindBlob
	kindRest
	kindAlign
	kindCheck
	kindBytes // a fixed number of bytes
	kindGuard // what is left has the size that the body takes, or is bytes
	kindKept  // what stays of a kept schema, and is no number
)

// each calls f for the items of a block and all in them, the outer ones first.
func (b *block) each(f func(*item)) {
	if b == nil {
		return
	}
	for _, it := range b.items {
		f(it)
		it.body.each(f)
		for _, p := range it.pieces {
			p.body.each(f)
		}
		for _, a := range it.arms {
			a.body.each(f)
		}
	}
}

// numbers makes items of the fields of a cut that begins at bit at.
func numbers(fields []field) *block {
	b := &block{}
	for _, f := range fields {
		b.items = append(b.items, &item{kind: kindNumber, field: f})
	}
	return b
}

// at is the number that begins at a bit of the block and has a width, nil if there is none.
func (b *block) at(bit, width int) *item {
	for _, it := range b.items {
		if it.kind == kindNumber && it.at == bit && it.width == width {
			return it
		}
	}
	return nil
}

var kindWords = [...]string{"number", "checksum", "choice", "list", "option", "bytes", "rest", "align", "check", "bytes", "guard", "kept"}

// String is the kind's word in the evidence.
func (k itemKind) String() string { return kindWords[k] }
