package fuzz

import (
	"context"
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
	case r.Outcome == oracle.Crashed, r.Outcome == oracle.Hung, r.Outcome == oracle.Exhausted:
		l.sent.Reset()
	default:
		l.sent.Add(packet, from)
	}
}

// send sends a batch, in its order. It calls each for every answer; before is what the target had before.
func (l *lane) send(ctx context.Context, b *auditBatch, each func(i int, r oracle.Reply, before []decode.Packet)) error {
	if l.batcher == nil {
		for i := range b.attacks {
			if err := ctx.Err(); err != nil { // a batch of large packets can take a minute
				return err
			}
			r, err := l.target.Send(b.attacks[i].Data, b.attacks[i].from)
			if err != nil {
				return err
			}
			each(i, r, l.had())
			l.note(b.attacks[i].Data, b.attacks[i].from, r)
		}
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.packets, b.from = b.packets[:0], b.from[:0]
	for i := range b.attacks {
		b.packets, b.from = append(b.packets, b.attacks[i].Data), append(b.from, b.attacks[i].from)
	}
	return l.batcher.SendBatch(b.packets, b.from, func(i int, r oracle.Reply) {
		each(i, r, l.had())
		l.note(b.packets[i], b.from[i], r)
	})
}

// answer is a reply that is judged later.
type answer struct {
	reply  oracle.Reply
	before []decode.Packet
}

// work sends a batch of an audit when it is its turn, and judges the answers: beside the next batch, where the target
// is not asked about them. A target of no use is the last verdict.
func (l *lane) work(ctx context.Context, b *auditBatch, j *Judge) {
	judge := func(i int, r oracle.Reply, before []decode.Packet) {
		b.tallies = append(b.tallies, j.tally(&b.attacks[i], l.target, r, before))
	}
	b.answers = b.answers[:0]
	each := judge
	if l.turn != nil && !l.asked {
		each = func(_ int, r oracle.Reply, before []decode.Packet) {
			if r.Why != nil {
				why := *r.Why // the target's own
				r.Why = &why
			}
			b.answers = append(b.answers, answer{r, before})
		}
	}
	l.turn.await(b.number)
	if l.failed == nil {
		l.failed = l.send(ctx, b, each)
	}
	failed := l.failed
	l.turn.pass()
	for i, a := range b.answers {
		judge(i, a.reply, a.before)
	}
	if failed != nil {
		b.tallies = append(b.tallies, tally{failed: failed})
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
