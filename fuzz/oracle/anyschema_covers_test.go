package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// TestAnySchemaCovers: schemas that are drawn use the whole language, and packets climbed for them end in every way
// there is. What the language gets later has to be drawn, too, before this passes.
func TestAnySchemaCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws until everything was drawn")
	}
	want := map[string]bool{}
	need := func(format string, args ...any) { want[fmt.Sprintf(format, args...)] = true }
	for _, s := range []plan.Step{&plan.Run{}, &plan.Unit{}, &plan.Checksum{}, &plan.Align{}, &plan.Reserved{}, &plan.Number{}, &plan.Blob{}, &plan.Window{},
		&plan.List{}, &plan.Subset{}, &plan.If{}, &plan.Switch{}, &plan.Let{}, &plan.Require{}, &plan.Group{}, &plan.Open{}} {
		need("step %T", s)
	}
	for k := plan.LeafUint; k <= plan.LeafReserved; k++ {
		need("leaf kind %d", k)
	}
	for k := plan.NumberSized; k <= plan.NumberStep; k++ {
		need("number kind %d", k)
	}
	for k := range schema.TextWString + 1 { // 0: raw bytes
		need("text kind %d", k)
		need("text kind %d == ", k)
	}
	for k := schema.ArrayCount; k <= schema.ArrayUntil; k++ {
		need("array kind %d", k)
	}
	for k := schema.SubsetBitmap; k <= schema.SubsetRelative; k++ {
		need("subset %v", k)
	}
	for e := wire.EncodingUTF8; e <= wire.EncodingUTF16BE; e++ {
		need("encoding %d of bytes", e)
	}
	for op := schema.OpConst; op <= schema.OpTable; op++ {
		need("expression %d", op)
	}
	need("prev")
	for r := schema.RuleIn; r <= schema.RuleEncoding; r++ {
		need("rule %d", r)
	}
	for _, k := range reject.Kinds() {
		if k != reject.OverBudget && k != reject.Fragment { // the decoder of one packet gives neither
			need("reject %v", k)
		}
	}
	for _, k := range []reject.NoteKind{reject.TrailingBits, reject.IgnoredBits, reject.NonCanonicalRaw, reject.UnlistedValue, reject.WrongDirection} {
		need("note %v", k)
	}
	for _, order := range rows.Orders {
		need("order %v", order)
	}
	for _, what := range []string{"order of its own", "any", "swapped", "secret", "parameter", "open enum", "negative base",
		"two windows", "two loops", "accept", "crc-64 prefix", "crc without prefix", "a range of ports"} {
		need("%s", what)
	}
	for _, what := range formNames() {
		need("form: %s", what)
	}
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		need("%s", a.Name)
	}

	have := map[string]bool{}
	for seed := uint64(0); seed < 12000 && missing(want, have) != ""; seed++ {
		p := compileAny(anyschema.Source(anyschema.Seeded(seed), 3+int(seed%40)))
		if p == nil {
			continue
		}
		has := func(format string, args ...any) { have[fmt.Sprintf(format, args...)] = true }
		static(p, has)
		forms(p.Schema, func(format string, args ...any) { has("form: "+format, args...) })
		c := &climber{Rand: rand.New(rand.NewPCG(seed, 2)), d: decode.New(p), from: sides()[seed%3]}
		c.seen = func(_ []byte, t *decode.Trace) {
			if r := t.Reject(); r != nil {
				has("reject %v", r.Kind)
				return
			}
			has("accept")
			for i := range t.Notes {
				has("note %v", t.Notes[i].Kind)
			}
		}
		c.climb(80)
		c.score(make([]byte, p.Schema.MaxDatagram+1))
	}
	if left := missing(want, have); left != "" {
		t.Errorf("never drawn: %s", left)
	}
}

func missing(want, have map[string]bool) string {
	var left []string
	for what := range want {
		if !have[what] {
			left = append(left, what)
		}
	}
	return strings.Join(left, ", ")
}

// inWindow reports whether a step is a window in another.
func inWindow(p *plan.Plan, s plan.Step) bool {
	_, is := s.(*plan.Window)
	for up := s.At().Up; is && up != plan.NoStep; up = p.Steps[up].At().Up {
		if _, window := p.Steps[up].(*plan.Window); window {
			return true
		}
	}
	return false
}

// static says what is in a plan.
func static(p *plan.Plan, has func(string, ...any)) {
	has("order %v", p.Order)
	for _, s := range p.Steps {
		has("step %T", s)
		switch {
		case s.At().Order != p.Order:
			has("order of its own")
		case s.Keeps() > 0:
			has("any")
		case inWindow(p, s):
			has("two windows")
		}
	}
	if len(p.Schema.Ports) > 3 {
		has("a range of ports")
	}
	if p.Bound.MaxLoops > 1 {
		has("two loops")
	}
	for i := range p.Info {
		l := &p.Info[i]
		has("leaf kind %d", l.Kind)
		switch {
		case l.Swap:
			has("swapped")
		case l.Enum != nil && l.Enum.Open:
			has("open enum")
		case l.Negative:
			has("negative base")
		}
		rules(l.Rule, has)
	}
	for i := range p.Numbers {
		has("number kind %d", p.Numbers[i].Kind)
	}
	for i := range p.Blobs {
		b := p.Blobs[i]
		has("text kind %d", b.Text)
		if b.Rule != nil && b.Rule.Kind == schema.RuleEq {
			has("text kind %d == ", b.Text)
		}
		if rules(b.Rule, has); b.Text == 0 {
			has("encoding %d of bytes", b.Encoding)
		}
	}
	for _, c := range p.Checksums {
		for what, is := range map[string]bool{"crc-64 prefix": len(c.Prefix) > 0 && c.Prefix[0].Size == 8, "crc without prefix": len(c.Prefix) == 0, c.Algorithm.Name: true} {
			if is {
				has("%s", what)
			}
		}
	}
	for i := range p.Operands {
		expressions(p.Operands[i].Expr, has)
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Secret {
			has("secret")
		}
		if n.Struct != nil && len(n.Struct.Params) > 0 {
			has("parameter")
		}
		if n.Value == nil {
			continue
		}
		if array, ok := n.Value.Type.(*schema.ArrayType); ok {
			has("array kind %d", array.Kind)
		} else if subset, ok := n.Value.Type.(*schema.SubsetType); ok {
			has("subset %v", subset.Kind)
		}
	}
}

func rules(r *schema.Rule, has func(string, ...any)) {
	if r != nil {
		has("rule %d", r.Kind)
	}
}

func expressions(e *schema.TypedExpr, has func(string, ...any)) {
	if e != nil {
		has("expression %d", e.Op)
		if len(e.Path) > 0 && e.Path[0].Kind == schema.VarPrev {
			has("prev")
		}
		expressions(e.X, has)
		expressions(e.Y, has)
	}
}
