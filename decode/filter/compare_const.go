package filter

import (
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// compareConst compiles the comparison of a value with a constant, for each type that the value can have and that the
// constant fits. It is an error where none fits.
func (c *compiler) compareConst(n ast.Node, op string, a, b term) int32 {
	refs := c.refs(a)
	if c.err != nil {
		return 0
	}
	if len(refs) == 0 {
		c.failAt(n, "", "cannot compare %s with %s", c.what(a), c.what(b))
		return 0
	}
	result, problem, fix := int32(-1), "", ""
	for _, r := range refs {
		one, p, f := c.compareOne(op, r, b.val)
		if p == "" {
			result = c.either(result, one)
		} else if problem == "" {
			problem, fix = p, f
		}
	}
	if result < 0 {
		c.failAt(b.at, fix, "%s is %s: %s", quote(c.textOf(a.at)), c.what(a), problem)
		return 0
	}
	return result
}

// compareOne compares one type with a constant; problem says why it cannot.
func (c *compiler) compareOne(op string, r ref, val constant) (result int32, problem, fix string) {
	equality := op == "==" || op == "!="
	switch {
	case val.kind == constNumber && r.typ.integer():
		return c.inRange(r, intRange(op, val.num, r.typ.signed)), "", ""
	case val.kind == constNumber && r.typ.kind == kindFloat:
		lo, hi, not := floatRange(op, val, r.typ.width)
		return c.add(node{op: opFloat, a: r.slot, lo: math.Float64bits(lo), hi: math.Float64bits(hi), not: not}), "", ""
	case val.kind == constNumber || val.kind == constBytes && r.typ.kind != kindBytes:
		return 0, "it does not compare with " + map[bool]string{true: "a number", false: "bytes"}[val.kind == constNumber], ""
	case r.typ.kind == kindTime:
		return c.compareTime(op, r, val)
	case r.typ.kind == kindInt && r.typ.display != nil && val.kind == constText:
		v, ok := r.typ.display.Number(val.text, r.typ.bits, r.typ.signed)
		if !ok {
			return 0, "@" + r.typ.display.Word + " never shows " + quote(val.text), ""
		}
		num := new(big.Int).SetUint64(v)
		if r.typ.signed {
			num.SetInt64(int64(v))
		}
		return c.inRange(r, intRange(op, new(big.Rat).SetInt(num), r.typ.signed)), "", ""
	case !equality:
		return 0, "text and names compare only by == and !=", ""
	case r.typ.kind == kindFloat:
		return c.compareNaN(op, r, val)
	case r.typ.kind == kindEnum:
		return c.compareCase(op, r, val)
	case r.typ.kind == kindWord:
		for i, w := range *r.typ.words {
			if w == val.text && w != "" {
				return c.inRange(r, keyRange{lo: uint64(i), hi: uint64(i), not: op == "!="}), "", ""
			}
		}
		return 0, "it is never " + quote(val.text), c.meantWord(val.text, slices.DeleteFunc(slices.Clone(*r.typ.words), func(w string) bool { return w == "" }))
	case r.typ.kind == kindText:
		return c.textNode(r, textConst{mode: textEqual, want: []byte(val.text)}, op == "!="), "", ""
	case r.typ.kind == kindBytes:
		want, problem := bytesOf(val)
		if d := r.typ.display; d != nil && val.kind == constText {
			if data, ok := d.Bytes(val.text); ok {
				want, problem = data, ""
			}
		}
		if problem != "" {
			return 0, problem, ""
		}
		return c.textNode(r, textConst{mode: textEqual, want: want}, op == "!="), "", ""
	case r.typ.kind == kindAddr:
		return c.compareAddress(op, r, val.text)
	case r.typ.kind == kindFlags:
		return 0, "it does not compare with text", fmt.Sprintf("write %q in …", val.text)
	case r.typ.tag:
		return c.compareTag(op, r, val)
	}
	return 0, "it does not compare with text", ""
}

// compareTag compares a case without a name, which the views show in decimal.
func (c *compiler) compareTag(op string, r ref, val constant) (int32, string, string) {
	n, ok := new(big.Int).SetString(val.text, 10)
	if !ok || len(val.text) > maxNumber {
		return 0, "its cases are numbers", ""
	}
	return c.inRange(r, intRange(op, new(big.Rat).SetInt(n), r.typ.signed)), "", ""
}

func (c *compiler) inRange(r ref, k keyRange) int32 {
	return c.add(node{op: opRange, a: r.slot, lo: k.lo, hi: k.hi, not: k.not})
}

// compareCase compares an enum with a case's name. A name that the enum does not have would never match.
func (c *compiler) compareCase(op string, r ref, val constant) (int32, string, string) {
	cs := caseOf(r.typ.enum, val.text)
	if cs == nil {
		return 0, "it has no case " + quote(val.text), c.meantWord(val.text, caseNames(r.typ.enum))
	}
	return c.inRange(r, intRange(op, new(big.Rat).SetInt(cs.Value), r.typ.signed)), "", ""
}

func (c *compiler) meantWord(word string, among []string) string {
	if best := syntax.Suggest(word, among); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(among) <= 8 {
		return "there are " + strings.Join(among, ", ")
	}
	return ""
}

// compareNaN compares a float with the words that JSON has for what is no number.
func (c *compiler) compareNaN(op string, r ref, val constant) (int32, string, string) {
	n := node{op: opFloat, a: r.slot, not: op == "!="}
	switch val.text {
	case "NaN":
		n.op = opNaN
	case "Infinity":
		n.lo, n.hi = math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1))
	case "-Infinity":
		n.lo, n.hi = math.Float64bits(math.Inf(-1)), math.Float64bits(math.Inf(-1))
	default:
		return 0, "it does not compare with text", "there are \"NaN\", \"Infinity\" and \"-Infinity\""
	}
	return c.add(n), "", ""
}

// compareTime compares a time with RFC 3339 text.
func (c *compiler) compareTime(op string, r ref, val constant) (int32, string, string) {
	at, err := time.Parse(time.RFC3339Nano, val.text)
	if err != nil {
		return 0, "want a time such as \"2026-01-31T20:15:00.5Z\", or ns since 1970", ""
	}
	ns := new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9))
	ns.Add(ns, big.NewInt(int64(at.Nanosecond())))
	return c.inRange(r, intRange(op, new(big.Rat).SetInt(ns), r.typ.signed)), "", ""
}

// compareAddress compares an address with one, with or without its port.
func (c *compiler) compareAddress(op string, r ref, s string) (int32, string, string) {
	if len(s) > 64 {
		return 0, "want an address", ""
	}
	if !r.typ.port {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Zone() != "" {
			return 0, "want an address such as \"10.0.0.1\" or \"::1\"", ""
		}
		addr = addr.Unmap()
		return c.prefix(r, netip.PrefixFrom(addr, addr.BitLen()), op == "!="), "", ""
	}
	addr, err := netip.ParseAddrPort(s)
	if err != nil || addr.Addr().Zone() != "" {
		return 0, "want an address with its port, such as \"10.0.0.1:4124\"", "compare pkt.src_ip, pkt.src_port, pkt.dst_ip or pkt.dst_port"
	}
	c.prog.ports = append(c.prog.ports, netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()))
	return c.add(node{op: opPort, a: r.slot, b: int32(len(c.prog.ports) - 1), not: op == "!="}), "", ""
}

func (c *compiler) prefix(r ref, p netip.Prefix, not bool) int32 {
	c.prog.addrs = append(c.prog.addrs, p)
	return c.add(node{op: opPrefix, a: r.slot, b: int32(len(c.prog.addrs) - 1), not: not})
}

// bytesOf is the bytes that a constant stands for: bytes as the views show them, in hexadecimal, or b"…" itself.
func bytesOf(val constant) ([]byte, string) {
	if val.kind == constBytes {
		return []byte(val.text), ""
	}
	b, ok := unhex(val.text)
	if !ok {
		return nil, "want hexadecimal such as \"00ff\", or b\"…\""
	}
	return b, ""
}
