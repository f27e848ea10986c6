package dialogue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// interval is what a value can be. lo and hi are set iff class is number and they are known; both are included.
type interval struct {
	class  class
	secret bool
	lo, hi *big.Int
}

func (i interval) exact() bool { return i.lo != nil && i.lo.Cmp(i.hi) == 0 }

func (l *literal) bounds(*checker) interval {
	if l.n != nil {
		return interval{class: number, lo: l.n, hi: l.n}
	}
	return interval{}
}

func (l *literal) value(*Session) (message.Value, error) { return l.v, nil }

func (n *nameRef) bounds(c *checker) interval {
	slot, ok := c.slots[n.name]
	if !ok {
		var all []string
		for _, one := range c.names {
			all = append(all, one.text)
		}
		fix := "a name is bound by `-> " + n.name + "` in a line before"
		if near := syntax.Suggest(n.name, all); near != "" {
			fix = "did you mean `" + near + "`?"
		} else if n.name[0] >= 'A' && n.name[0] <= 'Z' {
			fix = "a case of an enum is in quotes, a param is declared: `param " + n.name + " uint16`"
		}
		c.complain(n.Span, fix, "no name %s is bound here", n.name)
		return interval{}
	}
	n.slot = slot
	info := &c.names[slot]
	return interval{info.class, info.secret, info.lo, info.hi}
}

func (n *nameRef) value(s *Session) (message.Value, error) {
	if v := &s.names[n.slot]; v.set {
		return v.v, nil
	}
	return message.Value{}, &unbound{n.name + " has no value yet"}
}

// unbound is the error of a value that the session does not have yet.
type unbound struct{ text string }

// Error says which.
func (u *unbound) Error() string { return u.text }

func (s *seen) bounds(c *checker) interval {
	tag, ok := c.caseOf(s.of, decode.Server)
	if !ok {
		return interval{}
	}
	at, ok := c.tree.find(tag, true, s.path)
	if !ok {
		c.complain(s.path[0].Span, "", "%s has no field %s", s.of.Text, pathText(texts(s.path)))
		return interval{}
	}
	if at.class == structure {
		c.complain(s.path[0].Span, "", "%s is a struct or a list: a value is one field", at.path)
		return interval{}
	}
	s.slot = len(c.seen)
	c.seen = append(c.seen, seenPlace{tag, s.first, at})
	return interval{at.class, at.secret, at.lo, at.hi}
}

func (s *seen) value(session *Session) (message.Value, error) {
	if v := &session.seen[s.slot]; v.set {
		return v.v, nil
	}
	return message.Value{}, &unbound{"no " + s.of.Text + " with " + pathText(texts(s.path)) + " has come yet"}
}

func (s *sum) bounds(c *checker) interval {
	x, y := s.x.bounds(c), s.y.bounds(c)
	out := interval{class: number, secret: x.secret || y.secret}
	for _, one := range []struct {
		i interval
		e Expr
	}{{x, s.x}, {y, s.y}} {
		if one.i.class != number && one.i.class != anything || isText(one.e) {
			c.complain(one.e.Place(), "", "want a whole number beside `%v`, got %v", s.op, one.i.class)
			return interval{}
		}
	}
	if x.lo == nil || y.lo == nil {
		return out
	}
	switch s.op {
	case syntax.Plus:
		out.lo, out.hi = new(big.Int).Add(x.lo, y.lo), new(big.Int).Add(x.hi, y.hi)
	case syntax.Minus:
		out.lo, out.hi = new(big.Int).Sub(x.lo, y.hi), new(big.Int).Sub(x.hi, y.lo)
	case syntax.Percent:
		if y.lo.Sign() <= 0 {
			c.complain(s.y.Place(), "", "want more than 0 behind `%%`")
			return interval{}
		}
		out.lo, out.hi = new(big.Int), new(big.Int).Sub(y.hi, big.NewInt(1))
	}
	return out
}

func isText(e Expr) bool {
	l, ok := e.(*literal)
	return ok && l.n == nil
}

func (s *sum) value(session *Session) (message.Value, error) {
	x, err := s.x.value(session)
	if err != nil {
		return x, err
	}
	y, err := s.y.value(session)
	if err != nil {
		return y, err
	}
	a, aok := new(big.Int).SetString(string(x.Data), 10)
	b, bok := new(big.Int).SetString(string(y.Data), 10)
	switch {
	case !aok || !bok || x.Kind != message.Number || y.Kind != message.Number:
		return x, fmt.Errorf("%v: want two whole numbers", s.op)
	case s.op == syntax.Plus:
		a.Add(a, b)
	case s.op == syntax.Minus:
		a.Sub(a, b)
	case b.Sign() <= 0:
		return x, fmt.Errorf("%%: want more than 0 behind it")
	default:
		a.Mod(a, b)
	}
	return numberOf(a), nil
}

func numberOf(n *big.Int) message.Value {
	return message.Value{Kind: message.Number, Data: n.Append(nil, 10)}
}

func (n *next) bounds(c *checker) interval {
	n.slot = c.counters
	c.counters++
	return interval{class: number, lo: new(big.Int), hi: ones(n.typ.Size)}
}

func (n *next) value(s *Session) (message.Value, error) {
	v := s.counters[n.slot]
	s.counters[n.slot]++
	if n.typ.Size < 64 {
		v %= 1 << n.typ.Size
	}
	return numberOf(new(big.Int).SetUint64(v)), nil
}

func (n *now) bounds(*checker) interval {
	return interval{class: number, lo: new(big.Int), hi: ones(64)}
}

func (n *now) value(*Session) (message.Value, error) {
	return numberOf(big.NewInt(time.Now().UnixNano() / int64(n.unit))), nil
}

func (t *target) bounds(*checker) interval {
	if t.part == "ipv4" {
		return interval{class: octets}
	}
	return interval{class: number, lo: new(big.Int), hi: ones(16)}
}

func (t *target) value(s *Session) (message.Value, error) {
	at := s.conn.Peer()
	switch {
	case t.part == "port":
		return numberOf(big.NewInt(int64(at.Port()))), nil
	case !at.Addr().Is4():
		return message.Value{}, errors.New("target(ipv4): the server has an address of IPv6")
	}
	return message.Value{Kind: message.Bytes, Data: at.Addr().AsSlice()}, nil
}

func (f *fresh) bounds(c *checker) interval {
	f.slot = len(c.fresh)
	c.fresh = append(c.fresh, f.typ)
	if f.typ.Kind == Uint {
		return interval{class: number, lo: new(big.Int), hi: ones(f.typ.Size)}
	}
	return interval{class: octets}
}

func (f *fresh) value(s *Session) (message.Value, error) { return s.fresh[f.slot], nil }

// draw is a value that no session had.
func (t Type) draw() message.Value {
	if t.Kind == Uint {
		return numberOf(new(big.Int).SetUint64(rand.Uint64() >> (64 - t.Size)))
	}
	data := make([]byte, (t.Size+7)/8*8)
	for i := 0; i < len(data); i += 8 {
		binary.LittleEndian.PutUint64(data[i:], rand.Uint64())
	}
	return message.Value{Kind: message.Bytes, Data: data[:t.Size]}
}

func (l *list) bounds(c *checker) interval {
	out := interval{}
	for _, e := range l.items {
		out.secret = out.secret || e.bounds(c).secret
	}
	return out
}

func (l *list) value(s *Session) (message.Value, error) {
	out := message.Value{Kind: message.List}
	for _, e := range l.items {
		v, err := e.value(s)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, v)
	}
	return out, nil
}

func (o *object) bounds(c *checker) interval {
	out := interval{}
	for _, f := range o.fields {
		if f.Into != nil || len(f.Path) > 1 {
			c.complain(f.Span, "", "want `field = value` in a value")
		}
		out.secret = out.secret || f.Value.bounds(c).secret
	}
	return out
}

func (o *object) value(s *Session) (message.Value, error) {
	out := message.Value{Kind: message.Object}
	for _, f := range o.fields {
		v, err := f.Value.value(s)
		if err != nil {
			return out, err
		}
		v.Name = f.Path[0].Text
		out.Items = append(out.Items, v)
	}
	return out, nil
}

// constant is the value of an expression that no session decides.
func constant(e Expr) (message.Value, bool) {
	var below []Expr
	switch e := e.(type) {
	case *literal:
	case *list:
		below = e.items
	case *object:
		for _, f := range e.fields {
			below = append(below, f.Value)
		}
	default:
		return message.Value{}, false
	}
	for _, one := range below {
		if _, ok := constant(one); !ok {
			return message.Value{}, false
		}
	}
	v, err := e.value(nil)
	return v, err == nil
}
