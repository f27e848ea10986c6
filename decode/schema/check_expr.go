package schema

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Expressions: typed, folded, and with the interval of every part proved to fit 64 bits.

// exprs checks one expression.
type exprs struct {
	*checker
	f        *frame // nil: constants only
	bare     *Enum  // its cases may be without its name
	konst    string // "a port": where only constants may be, what it is
	rest     bool   // a look was taken at bits that have not been read
	narrowed int    // how often a name was read of which more is known than its declaration says
	read     []*binding
	roots    map[*binding]bool // when set: the first names of all paths read
	last     *binding          // of the path resolved last, for whoever needs its declaration
	early    map[*Var]bool     // when set: the parameters read
	element  string            // of `until`: the list's name
	never    listing           // why the last comparison that is never true is not
}

// expr checks e in frame f and keeps its source text on the root. nil: complained about.
func (c *checker) expr(f *frame, e syntax.Expr) *TypedExpr {
	x := &exprs{checker: c, f: f}
	return x.root(e)
}

func (x *exprs) root(e syntax.Expr) *TypedExpr {
	since := x.settable
	t := x.expr(e)
	x.spoil(since)
	if t != nil {
		t.Text = x.text(e.Place())
	}
	return t
}

// integer checks e, which must be a number; what says where it is: "a count".
func (c *checker) integer(f *frame, e syntax.Expr, what string) *TypedExpr {
	return (&exprs{checker: c, f: f}).number(e, what)
}

func (x *exprs) number(e syntax.Expr, what string) *TypedExpr {
	t := x.root(e)
	if t != nil && t.Bool {
		x.errorf(e.Place(), "", "%s is a number, but `%s` is a bool", what, t.Text)
		return nil
	}
	return t
}

// condition checks e, which must be a bool.
func (x *exprs) condition(e syntax.Expr, what string) *TypedExpr {
	t := x.root(e)
	if t != nil && !t.Bool {
		x.errorf(e.Place(), notZero(t, t.Text), "%s is a bool, but `%s` is a number", what, t.Text)
		return nil
	}
	return t
}

// notZero is the help where a number stands for a bool. To compare a flag's own constant with 0 asks nothing of the
// packet.
func notZero(t *TypedExpr, text string) string {
	if _, flag, ok := strings.Cut(text, "."); ok && t.IsConst() {
		return fmt.Sprintf("`%s` is a constant: write a field of that type before the dot, as in `field.%s`", text, flag)
	}
	return fmt.Sprintf("write `%s != 0`", text)
}

func mustBeConst(at Span, v *big.Int) *TypedExpr {
	return &TypedExpr{Op: OpConst, Pos: at.Pos, Val: v, Lo: v, Hi: v}
}

func konstBool(at Span, b bool) *TypedExpr {
	e := mustBeConst(at, bigZero)
	if b {
		e = mustBeConst(at, bigOne)
	}
	e.Bool = true
	return e
}

func (x *exprs) expr(e syntax.Expr) *TypedExpr {
	switch e := e.(type) {
	case *syntax.IntLit:
		if e.Value.Cmp(maxUint64) > 0 {
			x.errorf(e.Span, "", "this number needs more than 64 bits")
			return nil
		}
		return mustBeConst(e.Span, e.Value)
	case *syntax.BoolLit:
		return konstBool(e.Span, e.Value)
	case *syntax.ParenExpr:
		return x.expr(e.X)
	case *syntax.RestExpr:
		if !x.ahead(e.Span, "rest") {
			return nil
		}
		if x.roomSet {
			x.settable++
		}
		return &TypedExpr{Op: OpRest, Pos: e.Pos, Lo: bigZero, Hi: big.NewInt(int64(x.room))}
	case *syntax.PathExpr:
		return x.path(e)
	case *syntax.HasExpr:
		return x.has(e)
	case *syntax.CallExpr:
		return x.call(e)
	case *syntax.UnaryExpr:
		return x.unary(e)
	case *syntax.BinaryExpr:
		return x.binary(e)
	case *syntax.InExpr:
		return x.in(e)
	case *syntax.FloatLit:
		x.errorf(e.Span, "", "`%s` is no integer: expressions are over integers and bools", x.text(e.Span))
	case *syntax.StringLit:
		if e.Refused {
			x.trouble++
			return nil
		}
		x.errorf(e.Span, "", "a string can be only after `==` or `!=` in a rule, in a `check` and in an annotation")
	case *syntax.DurationLit:
		x.errorf(e.Span, "", "a duration can be only in an annotation and in `expect`")
	default:
		x.trouble++ // a BadExpr
	}
	return nil
}

func (x *exprs) call(e *syntax.CallExpr) *TypedExpr {
	if isUpper(e.Name.Text) {
		return x.lookup(e)
	}
	switch e.Name.Text {
	case "peek":
		return x.look(e, OpPeek)
	case "tail":
		return x.look(e, OpTail)
	case "prev":
		return x.prev(e)
	case "from":
	default:
		x.errorf(e.Name.Span, "there are `from(client)`, `from(server)`, `peek(n)`, `tail(n)` and `prev(name, e)`", "there is no function `%s`", e.Name.Text)
		return nil
	}
	if x.konst != "" {
		x.errorf(e.Span, "", "%s is constant; the direction is known only of a packet", x.konst)
		return nil
	}
	if !x.oneArgument(e) {
		return nil
	}
	side := x.side(e.Args[0])
	if side == FromUnknown {
		return nil
	}
	return &TypedExpr{Op: OpFrom, Pos: e.Pos, Side: side, Lo: bigZero, Hi: bigOne, Bool: true}
}

// side reads `client` or `server`.
func (c *checker) side(e syntax.Expr) Direction {
	switch p, ok := e.(*syntax.PathExpr); {
	case ok && len(p.Parts) == 1 && p.Parts[0].Text == "client":
		return Client
	case ok && len(p.Parts) == 1 && p.Parts[0].Text == "server":
		return Server
	case !isBad(e):
		c.errorf(e.Place(), "", "want `client` or `server`, got `%s`", c.text(e.Place()))
	}
	return FromUnknown
}

// isBad says that the parser has complained about e, or that there is none.
func isBad(e syntax.Expr) bool {
	_, bad := e.(*syntax.BadExpr)
	return e == nil || bad
}

func isText(e syntax.Expr) bool {
	_, text := e.(*syntax.StringLit)
	return text
}

func (x *exprs) unary(e *syntax.UnaryExpr) *TypedExpr {
	v := x.expr(e.X)
	if v == nil {
		return nil
	}
	if e.Op == syntax.Not {
		if !v.Bool {
			x.errorf(e.Span, fmt.Sprintf("write `%s == 0`", x.text(e.X.Place())), "`!` needs a bool, but `%s` is a number", x.text(e.X.Place()))
			return nil
		}
		if v.IsConst() {
			return konstBool(e.Span, v.Val.Sign() == 0)
		}
		return &TypedExpr{Op: OpNot, Pos: e.Pos, X: v, Lo: bigZero, Hi: bigOne, Bool: true}
	}
	if v.Bool {
		x.errorf(e.Span, "", "`-` needs a number, but `%s` is a bool", x.text(e.X.Place()))
		return nil
	}
	r := &TypedExpr{Op: OpNeg, Pos: e.Pos, X: v}
	return x.result(e.Span, r, v.interval().neg())
}

// result gives r its interval, or refuses one that no register holds. Constants fold.
func (x *exprs) result(at Span, r *TypedExpr, in interval) *TypedExpr {
	if !in.fits() {
		what := x.text(at)
		if len(x.read) == 0 && x.rest {
			x.errorf(at, "look at fewer bits", "`%s` can be %s, which fits neither int64 nor uint64", what, in)
			return nil
		}
		if len(x.read) == 0 {
			x.errorf(at, "", "`%s` is %s, which needs more than 64 bits", what, shortInt(in.lo))
			return nil
		}
		name, fix := x.widest()
		x.errorf(at, fix, "`%s` can be %s, which fits neither int64 nor uint64: constrain `%s` first", what, in, name)
		return nil
	}
	r.Lo, r.Hi = in.lo, in.hi
	if r.X.IsConst() && (r.Y == nil || r.Y.IsConst()) {
		return mustBeConst(at, in.lo)
	}
	return r
}

// widest names what was read with the largest interval: a range for that one helps most.
func (x *exprs) widest() (name, fix string) {
	var best *binding
	var width *big.Int
	for _, b := range x.read {
		if w := new(big.Int).Sub(b.in.hi, b.in.lo); best == nil || w.Cmp(width) > 0 {
			best, width = b, w
		}
	}
	return best.v.Name, fmt.Sprintf("give it a range, as `%s … in 0..100`, or compare it in an `if` or a `require`", best.v.Name)
}

type operator struct {
	op    ExprOp
	apply func(a, b interval) interval
}

var arithmetic = map[syntax.Token]operator{
	syntax.Plus: {OpAdd, interval.add}, syntax.Minus: {OpSub, interval.sub}, syntax.Star: {OpMul, interval.mul},
	syntax.Slash: {OpDiv, interval.div}, syntax.Percent: {OpMod, interval.mod}, syntax.Amp: {OpAnd, interval.and}, syntax.Pipe: {OpOr, interval.or},
	syntax.Caret: {OpXor, interval.xor}, syntax.Shl: {OpShl, interval.shl}, syntax.Shr: {OpShr, interval.shr},
}

var comparisons = map[syntax.Token]ExprOp{
	syntax.EqEq: OpEq, syntax.NotEq: OpNe, syntax.Less: OpLt, syntax.LessEq: OpLe, syntax.Greater: OpGt, syntax.GreaterEq: OpGe,
}

func (x *exprs) binary(e *syntax.BinaryExpr) *TypedExpr {
	if e.Op == syntax.AndAnd || e.Op == syntax.OrOr {
		return x.logic(e)
	}
	if isText(e.X) || isText(e.Y) { // the parser has said how a text is compared
		x.trouble++
		return nil
	}
	since := x.settable
	left, right := x.operand(e.X), x.operand(e.Y)
	a, b := left.t, right.t
	if a == nil || b == nil {
		return nil
	}
	if op, ok := comparisons[e.Op]; ok {
		return x.compare(e, op, left, right, since)
	}
	op, ok := arithmetic[e.Op]
	if !ok {
		return nil
	}
	for i, t := range []*TypedExpr{a, b} {
		if t.Bool {
			at := []syntax.Expr{e.X, e.Y}[i].Place()
			x.errorf(at, "", "`%s` needs numbers, but `%s` is a bool", e.Op, x.text(at))
			return nil
		}
	}
	switch y := b.interval(); e.Op {
	case syntax.Slash, syntax.Percent:
		if y.contains(bigZero) {
			x.errorf(e.Y.Place(), "give it a range without 0, or put it inside an `if … != 0`",
				"the divisor `%s` may be 0 (it is %s)", x.text(e.Y.Place()), y)
			return nil
		}
	case syntax.Shl, syntax.Shr:
		if !y.within(span64(0, 63)) {
			x.errorf(e.Y.Place(), "give it a range within 0..63", "a shift is 0..63, but `%s` is %s", x.text(e.Y.Place()), y)
			return nil
		}
	}
	r := &TypedExpr{Op: op.op, Pos: e.Pos, X: a, Y: b}
	in := op.apply(a.interval(), b.interval())
	if a.IsConst() && b.IsConst() {
		in = foldBits(e.Op, a.Val, b.Val, in)
	}
	return x.result(e.Span, r, in)
}

// foldBits computes what interval arithmetic over single values leaves open: the bit operators.
func foldBits(op syntax.Token, a, b *big.Int, in interval) interval {
	switch op {
	case syntax.Amp:
		return single(new(big.Int).And(a, b))
	case syntax.Pipe:
		return single(new(big.Int).Or(a, b))
	case syntax.Caret:
		return single(new(big.Int).Xor(a, b))
	case syntax.Percent:
		return single(new(big.Int).Rem(a, b))
	}
	return in
}

// logic is && and ||: what the left side says is known while the right one is checked. A chain `a && b && c` is a list
// here, so that each part is learnt once.
func (x *exprs) logic(e *syntax.BinaryExpr) *TypedExpr {
	chain := []*syntax.BinaryExpr{e}
	for {
		left, ok := chain[len(chain)-1].X.(*syntax.BinaryExpr)
		if !ok || left.Op != e.Op {
			break
		}
		chain = append(chain, left)
	}
	mark, since := x.facts.mark(), x.settable
	r := x.boolean(chain[len(chain)-1].X, e.Op)
	last := r
	bad := r == nil
	for i := len(chain) - 1; i >= 0; i-- {
		x.spoil(since)
		x.facts.learn(factsOf(last, e.Op == syntax.AndAnd))
		last = x.boolean(chain[i].Y, e.Op)
		if bad = bad || last == nil; !bad {
			r = both(chain[i], r, last)
		}
	}
	x.facts.leave(mark)
	if bad {
		return nil
	}
	return r
}

// both is a && b or a || b.
func both(e *syntax.BinaryExpr, a, b *TypedExpr) *TypedExpr {
	if a.IsConst() && b.IsConst() {
		p, q := a.Val.Sign() != 0, b.Val.Sign() != 0
		if e.Op == syntax.AndAnd {
			return konstBool(e.Span, p && q)
		}
		return konstBool(e.Span, p || q)
	}
	r := &TypedExpr{Op: OpLAnd, Pos: e.Pos, X: a, Y: b, Lo: bigZero, Hi: bigOne, Bool: true}
	if e.Op == syntax.OrOr {
		r.Op = OpLOr
	}
	return r
}

func (x *exprs) boolean(e syntax.Expr, op syntax.Token) *TypedExpr {
	t := x.expr(e)
	if t != nil && !t.Bool {
		text := x.text(e.Place())
		x.errorf(e.Place(), notZero(t, text), "`%s` needs bools, but `%s` is a number", op, text)
		return nil
	}
	return t
}

func (x *exprs) compare(e *syntax.BinaryExpr, op ExprOp, left, right operand, since int) *TypedExpr {
	a, b := left.t, right.t
	if a.Bool != b.Bool {
		flag, num := e.X, e.Y
		if b.Bool {
			flag, num = num, flag
		}
		text := x.text(flag.Place())
		x.errorf(e.Span, fmt.Sprintf("write `%s` or `!%s`", text, text),
			"`%s` is a bool and `%s` a number: they do not compare", text, x.text(num.Place()))
		return nil
	}
	if a.Bool && op != OpEq && op != OpNe {
		x.errorf(e.Span, "", "`%s` needs numbers, but `%s` is a bool", e.Op, x.text(e.X.Place()))
		return nil
	}
	if a.IsConst() && b.IsConst() {
		return konstBool(e.Span, holds(op, a.Val.Cmp(b.Val)))
	}
	x.decided(e, since, op, left, right)
	return &TypedExpr{Op: op, Pos: e.Pos, X: a, Y: b, Lo: bigZero, Hi: bigOne, Bool: true}
}

func holds(op ExprOp, cmp int) bool {
	switch op {
	case OpEq:
		return cmp == 0
	case OpNe:
		return cmp != 0
	case OpLt:
		return cmp < 0
	case OpLe:
		return cmp <= 0
	case OpGt:
		return cmp > 0
	}
	return cmp >= 0
}

func (x *exprs) in(e *syntax.InExpr) *TypedExpr {
	since := x.settable
	left := x.operand(e.X)
	v := left.t
	var set []Range
	var spans []label
	ok := true
	settable := x.settable
	for _, r := range e.Set {
		if v == nil {
			break // it has been complained about, and what it is compared with is as wrong
		}
		in, fine := x.constRange(r, "a set", nil)
		ok = ok && fine
		if fine {
			set = append(set, Range{in.lo, in.hi})
			spans = append(spans, label{r.Span, in})
		}
	}
	x.repeated(spans, settable)
	if v == nil || !ok || len(set) == 0 {
		return nil
	}
	if v.Bool {
		x.errorf(e.Span, "", "`in` needs a number, but `%s` is a bool", x.text(e.X.Place()))
		return nil
	}
	set = normalize(set)
	if v.IsConst() {
		return konstBool(e.Span, inSet(set, v.Val))
	}
	x.decidedIn(e, since, left, set)
	return &TypedExpr{Op: OpIn, Pos: e.Pos, X: v, Set: set, Lo: bigZero, Hi: bigOne, Bool: true}
}
