package fuzz

import (
	"context"
	"slices"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader may keep something from packet to packet, and its mistake may take two of them. So which packets a target
// has, and in which order, follows from the packets' numbers and never from how many work or who is faster: an audit
// has one target for all packets, unless it is Forgetful; a campaign has one for each of a round's tasks. What is
// shared among workers is the making of packets and the judging of answers.

// Forgetful is a Target that says whether each packet meets a reader that has had no other. Who does not say it may
// remember.
type Forgetful interface {
	oracle.Target
	Forgets() bool
}

// forgets reports whether a target keeps nothing.
func forgets(t oracle.Target) bool {
	f, ok := t.(Forgetful)
	return ok && f.Forgets()
}

// lane is a target with what it has had.
type lane struct {
	target  oracle.Target
	batcher oracle.Batcher // the target, where it takes batches; else nil
	asked   bool           // the target is a Checker: answers are judged before it has the next packet
	own     bool           // the target is the decoder that judges
	sent    *History       // for findings that take more than one packet; nil where none can
	failed  error          // the target is of no use any more
	turn    *turn          // whose it is to send; nil where there is one who sends
	gives   *givingUp      // of an audit; else nil
}

// newLane makes a lane. own says that the target is this project's own code.
func newLane(ctx context.Context, make func(context.Context) (oracle.Target, error), d *decode.Decoder, own bool) (*lane, error) {
	t, err := make(ctx)
	if err != nil {
		return nil, err
	}
	l := &lane{target: t}
	l.batcher, _ = t.(oracle.Batcher)
	_, l.asked = t.(oracle.Checker)
	b, ok := t.(*oracle.Builtin)
	l.own = ok && b.Decoder() == d
	if !own {
		l.sent = newShortHistory()
	}
	return l, nil
}

// had is what the target had before the packet at hand.
func (l *lane) had() []decode.Packet {
	if l.sent == nil {
		return nil
	}
	return l.sent.Sent()
}

// note notes a packet that was answered. What a target died of, hung at or was stopped for begins it anew.
func (l *lane) note(packet []byte, from decode.Direction, r oracle.Reply) {
	switch {
	case l.sent == nil:
	case !r.Outcome.Answered():
		l.sent.Reset()
	default:
		l.sent.Add(packet, from)
	}
}

// send sends a batch, in its order, without what an audit holds back. It calls each for every answer; before is what the
// target had before.
func (l *lane) send(ctx context.Context, b *auditBatch, each func(i int, r oracle.Reply, before []decode.Packet)) error {
	answer := func(i int, r oracle.Reply) {
		a := &b.attacks[i]
		each(i, r, l.had())
		l.gives.answered(a, r.Outcome, l.had())
		l.note(a.Data, a.from, r)
	}
	for at := 0; at < len(b.attacks); {
		if err := ctx.Err(); err != nil { // a batch of large packets can take a minute
			return err
		}
		if l.batcher == nil {
			if a := &b.attacks[at]; !l.holds(b, at) {
				r, err := l.target.Send(a.Data, a.from)
				if err != nil {
					return err
				}
				answer(at, r)
			}
			at++
			continue
		}
		b.packets, b.from, b.index = b.packets[:0], b.from[:0], b.index[:0]
		for i := at; i < len(b.attacks); i++ {
			if a := &b.attacks[i]; !l.holds(b, i) {
				b.packets, b.from, b.index = append(b.packets, a.Data), append(b.from, a.from), append(b.index, i)
			}
		}
		if at = len(b.attacks); len(b.packets) == 0 {
			break
		}
		more := true
		err := l.batcher.SendBatch(b.packets, b.from, func(i int, r oracle.Reply) bool {
			answer(b.index[i], r)
			if more = more && (l.gives == nil || !isLoss(r.Outcome)); !more {
				at = b.index[i] + 1 // what is after it is looked at anew
			}
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a packet of an audit's batch is not sent, and notes it.
func (l *lane) holds(b *auditBatch, i int) bool {
	if l.gives == nil {
		return false
	}
	b.tallies[i].held = l.gives.against(&b.attacks[i])
	return b.tallies[i].held > 0
}

// answer is a reply that is judged later.
type answer struct {
	attack int // its number in the batch
	reply  oracle.Reply
	before []decode.Packet
}

// work sends a batch of an audit when it is its turn, and judges the answers: beside the next batch, where the target
// is not asked about them. Of a target of no use the first packet without an answer has the error.
func (l *lane) work(ctx context.Context, b *auditBatch, j *Judge) {
	b.tallies = slices.Grow(b.tallies[:0], len(b.attacks))[:len(b.attacks)]
	clear(b.tallies)
	judge := func(i int, r oracle.Reply, before []decode.Packet) {
		b.tallies[i] = j.tally(&b.attacks[i], l.target, r, before)
		b.tallies[i].done = true
	}
	b.answers = b.answers[:0]
	each := judge
	if l.turn != nil && !l.asked {
		each = func(i int, r oracle.Reply, before []decode.Packet) {
			if r.Why != nil {
				why := *r.Why // the target's own
				r.Why = &why
			}
			b.answers = append(b.answers, answer{i, r, before})
		}
	}
	l.turn.await(b.number)
	if l.failed == nil {
		l.failed = l.send(ctx, b, each)
	}
	failed := l.failed
	l.turn.pass()
	for _, a := range b.answers {
		judge(a.attack, a.reply, a.before)
	}
	for i := range b.tallies {
		if v := &b.tallies[i]; failed != nil && !v.done && v.held == 0 {
			v.failed = failed
			break
		}
	}
}

// turn lets one after the other do something, by their numbers. Of nil it is everybody's turn.
type turn struct {
	mu    sync.Mutex
	moved *sync.Cond
	next  int
}

func newTurn() *turn {
	t := &turn{}
	t.moved = sync.NewCond(&t.mu)
	return t
}

// await waits until all before n have passed.
func (t *turn) await(n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != n {
		t.moved.Wait()
	}
}

// pass lets the next one do it.
func (t *turn) pass() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.next++
	t.mu.Unlock()
	t.moved.Broadcast()
}
