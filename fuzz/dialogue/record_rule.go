package dialogue

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What holds for a field of what clients sent, over all its occurrences.

// occurrence is a field in a packet that a client sent, with what was before it.
type occurrence struct {
	flow  int
	tag   uint64
	at    int64
	index int // packets of clients before it, in the flow
	field heldField
	first map[string]heldField // of the server's packets by `CASE.path`
	last  map[string]heldField
}

// rule is what holds for a field.
type rule struct {
	text  string // the value; "" where nothing holds
	note  string // how often it held
	param string // a line that declares it
}

// occurrences are those of a field, of one case or (has false) of all.
func (r *Recorder) occurrences(path string, tag uint64, has bool) (all []occurrence) {
	for n, flow := range r.order {
		index := 0
		for i := range r.flows[flow] {
			p := &r.flows[flow][i]
			if !p.client {
				continue
			}
			for _, f := range p.fields {
				if f.path == path && (!has || p.tag == tag) {
					all = append(all, occurrence{n, p.tag, p.at, index, f, p.first, p.last})
				}
			}
			index++
		}
	}
	return all
}

// ruleOf finds what holds for a field in all its occurrences.
func (r *Recorder) ruleOf(path string, all []occurrence, counted bool) rule {
	same, perFlow, flows := true, true, map[int]string{}
	distinct, most, answered := map[string]int{}, "", 0
	for _, o := range all {
		if distinct[o.field.value]++; distinct[o.field.value] > distinct[most] {
			most = o.field.value
		}
		if len(o.last) > 0 {
			answered++
		}
		same = same && o.field.value == all[0].field.value
		if v, ok := flows[o.flow]; ok && v != o.field.value {
			perFlow = false
		}
		flows[o.flow] = o.field.value
	}
	first, held := &all[0].field, fmt.Sprintf("%d of %d", len(all), len(all))
	name := paramName(path)
	declared := fmt.Sprintf("param %s %s", name, typeOf(first))
	if first.secret {
		declared += " @secret"
	}
	switch {
	case first.secret && perFlow:
		return rule{name, "constant in each of " + strconv.Itoa(len(flows)) + " flows", declared}
	case first.secret:
		return rule{name, "? a secret that changes", declared}
	case same:
		return rule{first.value, "constant, " + held, ""}
	}
	if text := r.copied(all, len(distinct), len(flows)); text != "" {
		return rule{text, fmt.Sprintf("copied, %d of %d", answered, answered), ""}
	}
	if text := counter(all, counted); text != "" {
		return rule{text, "counts, " + held, ""}
	}
	if text := clock(all); text != "" {
		return rule{text, "the time, " + held, ""}
	}
	if perFlow && drawn(all, len(distinct), len(flows)) && r.everyCode(path, all[0].tag) {
		return rule{"fresh(" + typeOf(first) + ")", "another in each of " + strconv.Itoa(len(flows)) + " flows", ""}
	}
	return rule{most, "? " + strconv.Itoa(len(distinct)) + " values, this one most often", ""}
}

// drawn reports whether values that stay the same in a flow were drawn for it: they are long, or all of many differ and
// lie far apart. Numbers that people choose, and those that count, lie close together.
func drawn(all []occurrence, distinct, flows int) bool {
	f := &all[0].field
	switch {
	case f.octets:
		return flows > 1 && 8*f.size >= leastDrawn
	case !f.number || f.size > 64 || flows < 2:
		return false
	case f.size >= leastDrawn:
		return true
	}
	low, high := int64(math.MaxInt64), int64(0)
	for _, o := range all {
		n, err := strconv.ParseInt(o.field.value, 10, 64)
		if err != nil {
			return false
		}
		low, high = min(low, n), max(high, n)
	}
	return flows >= manyFlows && distinct == flows && f.size >= fewDrawn && high-low >= int64(1)<<(f.size-2)
}

// everyCode reports whether a field takes whatever is drawn for it.
func (r *Recorder) everyCode(path string, tag uint64) bool {
	var parts []syntax.Ident
	for part := range strings.SplitSeq(path, ".") {
		parts = append(parts, syntax.Ident{Text: part})
	}
	at, ok := r.tree.find(tag, true, parts)
	return ok && (at.class != number || at.mask != 0)
}

// typeOf is the type of a field's values.
func typeOf(f *heldField) string {
	switch {
	case f.octets:
		return fmt.Sprintf("bytes(%d)", max(f.size, 1))
	case !f.number:
		return fmt.Sprintf("string(%d)", max(f.size, 1))
	}
	for _, bits := range []int{8, 16, 32} {
		if f.size <= bits {
			return fmt.Sprintf("uint%d", bits)
		}
	}
	return "uint64"
}

// paramName is Token of body.token.
func paramName(path string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	return strings.ToUpper(name[:1]) + name[1:]
}

// copied is `last CASE.field + k`, where all occurrences after the first answer are that.
func (r *Recorder) copied(all []occurrence, distinct, flows int) string {
	if distinct < leastCopies || flows < 2 {
		return ""
	}
	keys := map[string]bool{}
	for _, o := range all {
		for k := range o.last {
			keys[k] = true
		}
	}
	sorted := make([]string, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	for _, word := range []string{"last", "first"} {
		for _, k := range sorted {
			shift, ok, seen := int64(0), true, 0
			for _, o := range all {
				of := o.last
				if word == "first" {
					of = o.first
				}
				f, has := of[k]
				if !has {
					ok = ok && len(o.last) == 0 // before the first answer nothing can be a copy
					continue
				}
				d, fits := difference(&o.field, &f)
				if seen == 0 {
					shift = d
				}
				seen++
				if ok = ok && fits && d == shift && !f.secret; !ok {
					break
				}
			}
			switch {
			case !ok || seen < leastCopies:
			case shift == 0:
				return word + " " + k
			case shift > 0:
				return fmt.Sprintf("%s %s + %d", word, k, shift)
			default:
				return fmt.Sprintf("%s %s - %d", word, k, -shift)
			}
		}
	}
	return ""
}

// difference is by how much a number is more than another; others are to be the same.
func difference(a, b *heldField) (int64, bool) {
	if !a.number || !b.number {
		return 0, a.number == b.number && a.value == b.value
	}
	x, xok := new(big.Int).SetString(a.value, 10)
	y, yok := new(big.Int).SetString(b.value, 10)
	if !xok || !yok {
		return 0, false
	}
	d := x.Sub(x, y)
	return d.Int64(), d.IsInt64() && d.CmpAbs(big.NewInt(maxShift)) <= 0
}

// counter is next(T), where each flow's values rise by one from packet to packet.
func counter(all []occurrence, counted bool) string {
	if !all[0].field.number || all[0].field.size > 64 {
		return ""
	}
	mod := new(big.Int).Lsh(big.NewInt(1), uint(max(all[0].field.size, 1)))
	rises := 0
	for i := 1; i < len(all); i++ {
		a, b := &all[i-1], &all[i]
		if a.flow != b.flow {
			continue
		}
		x, xok := new(big.Int).SetString(a.field.value, 10)
		y, yok := new(big.Int).SetString(b.field.value, 10)
		step := int64(1)
		if counted {
			step = int64(b.index - a.index)
		}
		if !xok || !yok || x.Sub(y, x).Mod(x, mod).Cmp(big.NewInt(step)) != 0 {
			return ""
		}
		rises++
	}
	if rises < leastCopies-1 {
		return ""
	}
	return "next(" + typeOf(&all[0].field) + ")"
}

// clock is now(unit), where each value is the time of its packet.
func clock(all []occurrence) string {
	for _, u := range []struct {
		word string
		unit time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", 1}} {
		ok := true
		for _, o := range all {
			n, err := strconv.ParseInt(o.field.value, 10, 64)
			if err != nil || n > int64(1)<<62/int64(u.unit) {
				ok = false
				break
			}
			d := time.Duration(o.at - n*int64(u.unit)).Abs()
			ok = ok && d <= max(clockSlack, u.unit)
		}
		if ok {
			return "now(" + u.word + ")"
		}
	}
	return ""
}
