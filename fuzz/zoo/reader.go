package zoo

import (
	"runtime"
	"slices"
)

// Reader is what a game has: bytes in, an answer out. It is for one goroutine; some keep something between packets.
type Reader interface {
	Read(payload []byte) Answer
}

// reader is a habitat's reader with one mistake, or none.
type reader struct {
	home  *habitat
	wire  wire
	loose bool
}

func newReader(home *habitat, m mistake) Reader {
	return &reader{home: home, wire: wire{order: home.order, mistake: m}}
}

// Read runs the reader in a cage: what hangs is stopped by the work it counts, what allocates before it does.
//
// It recovers, which nothing else in this project may: these readers are broken on purpose, a panic is one of their
// answers, and a tool that looks for it must survive it. Only what the language itself panics with is an answer.
func (r *reader) Read(payload []byte) (a Answer) {
	r.wire.begin(payload, r.loose)
	if r.loose {
		return r.read()
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case End:
			a = Answer{End: why, Bits: -1, Cost: r.wire.cost, Memory: r.wire.memory}
		case runtime.Error:
			a = Answer{End: Crashed, Bits: -1, Cost: r.wire.cost, Memory: r.wire.memory}
		default:
			panic(why)
		}
	}()
	return r.read()
}

func (r *reader) read() Answer {
	accepted := r.home.read(&r.wire)
	a := Answer{Accepted: accepted, Bits: -1, Cost: r.wire.cost, Memory: r.wire.memory}
	if accepted {
		a.Bits, a.Values = r.wire.pos, slices.Clone(r.wire.values)
	}
	return a
}

// Loose lets a reader of this package out of its cage: it panics, hangs and allocates as in the wild. For engines that
// watch a process from outside.
func Loose(r Reader) Reader {
	caged, ok := r.(*reader)
	if !ok {
		panic("pktscope: internal error: zoo: not one of its readers")
	}
	free := *caged
	free.loose = true
	return &free
}
