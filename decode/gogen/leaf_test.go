package gogen

import (
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
)

// Every kind of leaf has its row: a field of a type, with the way there and back, or a code that a run has of itself.
func TestLeafRows(t *testing.T) {
	for kind := range leafRows {
		row, kind := &leafRows[kind], plan.LeafKind(kind)
		field := row.typ != nil && row.read != nil && row.code != nil
		if kind != plan.LeafChecksum && field == (row.sent != nil) {
			t.Errorf("%s (%d): want a field, with its type, read and code, or what is sent", kind.Row().Word, kind)
		}
		if row.typ == nil && (row.code != nil || row.span != nil || row.sizes) {
			t.Errorf("%s (%d): it has no field, but something is said of it", kind.Row().Word, kind)
		}
	}
}
