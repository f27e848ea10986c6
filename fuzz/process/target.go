package process

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Options are how a target is run.
type Options struct {
	Args []string // the program and its arguments: see Split
	// RejectCode is the exit status of a process per packet that refuses it, 1..255; 0 is 1.
	RejectCode int
	// Patience is the least time that an answer may take; more for a target that is seen to be slow, and for the first
	// answer of a process. 0 is 250 ms.
	Patience time.Duration
	// Memory is how many bytes a process may hold; 0 is 1 GiB. It is looked at every 10 ms, where there is a /proc.
	Memory int64
	// Warm is a packet that any reader answers, such as a valid one: what has no answer may be the target's fault or
	// that of how it is run, and this packet tells. Without one it is the empty packet.
	Warm []byte
	// Preamble is packets that each new process of a persistent target has first, such as a handshake: what it answers is
	// not looked at, but it has to live through them.
	Preamble [][]byte
	// Secrets: what the program answers may hold a secret, and is in no error.
	Secrets bool
	// Strike puts masks into what the program printed, in the place of secrets; nil leaves it.
	Strike func(text string) string
}

const (
	usualMemory = 1 << 30
	usualReject = 1
)

func (o Options) complete() (Options, error) {
	if len(o.Args) == 0 {
		panic("pktscope: internal error: a target without a program")
	}
	if o.RejectCode == 0 {
		o.RejectCode = usualReject
	}
	if o.RejectCode < 1 || o.RejectCode > 255 || o.RejectCode == sanitizerExit {
		return o, fmt.Errorf("a target cannot refuse with exit status %d: want 1..255 and not %d, which is the sanitizers'", o.RejectCode, sanitizerExit)
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	if o.Memory <= 0 {
		o.Memory = usualMemory
	}
	return o, nil
}

// batchPackets are on the way at once, at most; fewer than a history has.
const batchPackets = 128

// Target is a persistent process: each packet comes on its stdin after its length, four bytes little-endian; it
// answers on stdout with a byte: A accepts, R refuses, N says neither. After an A or an N there may be a line with a
// JSON object, the values that it read; a target that gives one does so with every A and N from then on, {} for none.
// In the same way after an R there may be the reason: see oracle.ParseReason. Line ends between answers are nothing. A
// process that has died is started again.
type Target struct {
	ctx     context.Context
	command *command
	patient patience
	child   *child
	buf     []byte
	replies []oracle.Reply
	history fuzz.History // what the process had
	good    []byte       // a packet that was answered, or should be
	ever    bool         // anything was answered
	starts  int
	sites   map[string]*site // where it died: see siteOf
	opening [][]byte         // the preamble
	quick   bool             // the names of such a death are known: no process looks them up
}

// New makes a persistent target. When ctx ends, the process is killed and Send returns the context's error.
func New(ctx context.Context, o Options) (*Target, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	c, err := newCommand("target", &o)
	if err != nil {
		return nil, err
	}
	return &Target{ctx: ctx, command: c, patient: patience{least: o.Patience}, good: o.Warm, opening: o.Preamble}, nil
}

// Send sends one packet.
func (t *Target) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	if err := t.some([][]byte{packet}); err != nil {
		return oracle.Reply{}, err
	}
	return t.replies[0], nil
}

// SendBatch sends packets without waiting for each answer.
func (t *Target) SendBatch(packets [][]byte, _ []decode.Direction, each func(i int, r oracle.Reply) bool) error {
	for done := 0; done < len(packets); {
		n, size := 0, 0
		for done+n < len(packets) && n < batchPackets && (n == 0 || size+len(packets[done+n]) <= maxFlight) {
			size += len(packets[done+n])
			n++
		}
		err := t.some(packets[done : done+n])
		more := true
		for i, r := range t.replies {
			more = each(done+i, r) && more
		}
		if err != nil || !more {
			return err
		}
		done += len(t.replies)
	}
	return nil
}

// some sends packets and fills t.replies: one for each, or up to where there was trouble.
func (t *Target) some(packets [][]byte) error {
	t.replies = t.replies[:0]
	for len(t.replies) < len(packets) {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if t.child == nil {
			if err := t.restart(); err != nil {
				return err
			}
		}
		begun := len(t.replies)
		child, release := t.child, t.guard(t.child)
		replies, trouble, err := child.exchange(packets[begun:], t.replies, &t.patient, &t.buf)
		release()
		if trouble == none && err == nil && child.full(t.command.memory) {
			replies, trouble = replies[:len(replies)-1], died
		}
		t.replies = replies
		t.remember(packets[begun:len(replies)])
		if err != nil {
			t.drop()
			return t.failed(err)
		}
		if err := t.bits(begun); err != nil {
			return err
		}
		if trouble == none {
			continue
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := t.diagnose(packets, trouble); err != nil || len(t.replies) > 0 {
			return err
		}
	}
	return nil
}

// bits takes the number of bits from the values that came.
func (t *Target) bits(from int) error {
	for i := from; i < len(t.replies); i++ {
		if r := &t.replies[i]; r.Fields != nil {
			n, err := oracle.FieldBits(r.Fields)
			if err != nil {
				t.replies = t.replies[:i]
				if t.command.secrets {
					err = errValues
				}
				return t.failed(err)
			}
			r.Bits = n
		}
	}
	return nil
}

// guard stops a process when the context ends, until it is released.
func (t *Target) guard(c *child) (release func() bool) {
	return context.AfterFunc(t.ctx, c.stop)
}

// remember adds packets to the history.
func (t *Target) remember(packets [][]byte) {
	if len(packets) == 0 {
		return
	}
	t.good, t.ever = append([]byte(nil), packets[len(packets)-1]...), true
	for _, p := range packets {
		t.history.Add(p, decode.FromUnknown)
	}
}

// sweepEvery is after how many starts it is looked for what left its process group.
const sweepEvery = 256

func (t *Target) restart() error {
	if t.starts++; t.starts%sweepEvery == 0 {
		killMarked(t.command.mark)
	}
	c, err := t.start(true)
	if err != nil {
		return err
	}
	t.child = c
	t.history.Reset()
	return nil
}

// start starts a process, and gives it the preamble.
func (t *Target) start(quick bool) (*child, error) {
	c, err := t.command.start(true, quick)
	if err != nil || len(t.opening) == 0 {
		return c, err
	}
	release := t.guard(c)
	replies, trouble, err := c.exchange(t.opening, nil, &t.patient, &t.buf)
	release()
	if err == nil && trouble != none {
		c.end(settling)
		text, _, _ := c.obituary()
		first, _, _ := strings.Cut(text, "\n")
		err = fmt.Errorf("it does not live through packet %d of the preamble: %s", len(replies)+1, first)
	}
	if err == nil {
		return c, nil
	}
	c.close()
	if t.ctx.Err() != nil {
		return nil, t.ctx.Err()
	}
	return nil, t.failed(err)
}

// drop ends the process at hand.
func (t *Target) drop() {
	if t.child != nil {
		t.child.close()
		t.child = nil
	}
}

// failed says which target is of no use.
func (t *Target) failed(err error) error { return fmt.Errorf("target %s: %w", t.command.name(), err) }

// Close ends the process with all that it started.
func (t *Target) Close() error {
	t.drop()
	if t.starts > 0 {
		killMarked(t.command.mark)
	}
	return nil
}
