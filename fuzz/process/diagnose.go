package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a process died of, hangs at or fills its memory with is not always the packet that it had last: heaps are
// corrupted long before they are looked at. Whatever is suspected is tried again with a new process.

// confirmations is how often a packet must hang a new process to be a hang.
const confirmations = 3

// settling is how long a process may take to end when its input has.
const settling = 500 * time.Millisecond

// diagnose answers the first packet without a reply, in whose place came trouble, and leaves no process after. What it
// finds out about the packet before may change that one's reply.
func (t *Target) diagnose(packets [][]byte, what trouble) error {
	i := len(t.replies)
	suspect := packets[i]
	c := t.child
	t.child = nil
	alone := t.history.Len() == 0
	// Who has closed its pipes is about to end; who does not answer is not.
	release := t.guard(c)
	self := c.end(map[trouble]time.Duration{died: c.dying()}[what])
	release()
	if err := t.ctx.Err(); err != nil {
		return err // it was killed, which says nothing about it
	}
	text, bad, _ := c.obituary()
	if what == stuck && self && !c.exhausted.Load() {
		what = died // between the deadline and now
	}
	switch {
	case c.forked.Load() > 0:
		// Of which packet nobody can say: it was looked at once a second.
		killMarked(t.command.mark)
		return t.failed(fmt.Errorf("it has %d processes, and may have %d: its reader starts what does not end", c.forked.Load(), maxProcesses))
	case c.exhausted.Load():
		return t.fattened(suspect, c.peak.Load(), alone)
	case what == stuck:
		return t.hangs(suspect)
	case !self:
		text, bad = "it closed its stdin or stdout and did not end", false
	}
	if !t.ever && !bad && t.sound() != nil {
		if !self {
			return t.failed(errors.New("it closed its stdin or stdout before its first answer"))
		}
		return t.endedFirst(text)
	}
	err := t.dead(packets, text, alone)
	if err != nil && t.ctx.Err() != nil {
		// The time ended while it was looked for what the death takes. It is told all the same.
		t.replies, err = append(t.replies, t.lastDeath(suspect, text, alone)), nil
	}
	return err
}

// dead finds what a process died of whose report is text. alone says that it had one packet.
func (t *Target) dead(packets [][]byte, text string, alone bool) error {
	named := t.toBeNamed(text)
	defer func() { t.quick = false }()
	if !alone {
		return t.culprit(packets, text)
	}
	report := text
	if named {
		_, again, err := t.replay([][]byte{packets[len(t.replies)]}, false)
		if err != nil {
			return err
		}
		if again != "" {
			report = again
		}
	}
	t.replies = append(t.replies, oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Report: t.named(text, report)})
	return nil
}

// lastLook is how long a death may still be looked at when the time has ended.
const lastLook = 2 * time.Second

// lastDeath is the reply for a death that was looked at when the time ended. A crash is known by its function, so what
// the process had is tried once more, which gives the names: the last packet alone, or all of it, which is told then.
func (t *Target) lastDeath(suspect []byte, text string, alone bool) oracle.Reply {
	over, dead := t.ctx, ""
	ctx, end := context.WithTimeout(context.WithoutCancel(over), lastLook)
	defer end()
	t.ctx = ctx
	t.toBeNamed(text)
	defer func() { t.ctx, t.quick = over, false }()
	crash := oracle.Reply{Outcome: oracle.Crashed, Bits: -1}
	if _, dead, _ = t.replay([][]byte{suspect}, false); dead == "" && !alone { // an error is that it is not known
		crash.Culprit, crash.Undone = append(t.history.Packets(), suspect), oracle.NotTried
		_, dead, _ = t.replay(crash.Culprit, false)
	}
	crash.Report = t.named(text, cmp.Or(dead, text))
	return crash
}

// culprit finds what a process died of that had had other packets before.
func (t *Target) culprit(packets [][]byte, text string) error {
	i := len(t.replies)
	history := t.history.Packets()
	before, suspect := history[len(history)-1], packets[i]
	reply, dead, err := t.replay([][]byte{suspect}, false)
	if err != nil {
		return err
	}
	if dead != "" {
		t.replies = append(t.replies, oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Report: t.named(text, dead)})
		return nil
	}
	// Not of this one. Of the one before, which shows when the process ends, or takes the next packet?
	sequence, least := [][]byte{before}, true
	_, dead, err = t.replay(sequence, true)
	if err == nil && dead == "" {
		if _, dead, err = t.replay([][]byte{before, suspect}, false); err == nil && dead != "" {
			// Any next packet, or this one?
			if _, other, err2 := t.replay([][]byte{before, t.harmless(before)}, false); err2 == nil && other == "" {
				sequence = [][]byte{before, suspect}
			}
		}
	}
	if err == nil && dead == "" {
		sequence, least, dead, err = t.shortest(append(history, suspect))
	}
	if err != nil {
		return err
	}
	crash := oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Report: t.named(text, dead)}
	switch {
	case dead == "":
		crash.Report = fmt.Sprintf("it did not happen again with the last %d packets\n%s", len(history)+1, t.named(text, text))
		t.replies = append(t.replies, crash)
	case len(sequence) == 1 && i > 0:
		// It is in this batch, so both get what is theirs.
		t.replies[i-1] = crash
		t.replies = append(t.replies, reply)
	default:
		crash.Culprit, crash.Undone = sequence, oracle.Shortened(least)
		t.replies = append(t.replies, crash)
	}
	return nil
}

// endedFirst is the error of a target that ends before its first answer; text is how.
func (t *Target) endedFirst(text string) error {
	if t.command.secrets { // what it printed may be the packet
		text, _, _ = strings.Cut(text, "\n")
	}
	return t.failed(fmt.Errorf("it ended before its first answer, %s: exec+persistent: is for a program that answers packet after packet, exec: for one that is run for each", oneLine(text)))
}

// sound says what is wrong with a target that does not answer at all, nil when it does. It is asked when the first
// packet of all has no answer, and gives it what is left of its tries. What another process does tells more than that
// one missed its deadline, which on a busy machine any may.
func (t *Target) sound() error {
	for {
		packet, last := t.good, t.patient.missed == firstTries-1
		if last {
			packet = shortestPacket
		}
		reply, what, err := t.warmed(packet, packet)
		over := errors.Is(t.ctx.Err(), context.DeadlineExceeded)
		switch {
		case over && t.patient.missed > 0: // that it has missed deadlines says more
		case err != nil:
			return cmp.Or(t.ctx.Err(), t.failed(err))
		case what == died && !last:
			return t.endedFirst(reply.Report)
		case what == none && reply.Outcome <= oracle.Survived:
			return nil
		case what == stuck:
			if t.patient.missed++; t.patient.missed < firstTries {
				continue
			}
		}
		return t.failed(fmt.Errorf("no answer to its first packet %s: does it read packet after packet, each behind its length? "+
			"What takes longer to start wants --timeout", t.patient.waited(over)))
	}
}

// harmless is a packet that the process has answered, and not the one given if there is another.
func (t *Target) harmless(not []byte) []byte {
	for _, p := range t.history.Packets() {
		if string(p) != string(not) {
			return p
		}
	}
	return not
}

// maxShortening is how many processes may go into shortening a sequence.
const maxShortening = 200

// shortest leaves packets out of a sequence as long as it still ends the process; least says that no more can be. dead
// is "" when it does not end it.
func (t *Target) shortest(sequence [][]byte) (shorter [][]byte, least bool, dead string, err error) {
	_, dead, err = t.replay(sequence, true)
	if dead == "" || err != nil {
		return sequence, false, dead, err
	}
	shorter, least, err = fuzz.ShortenSequence(sequence, maxShortening, func(try [][]byte) (bool, error) {
		_, again, err := t.replay(try, true)
		if again != "" {
			dead = again
		}
		return again != "", err
	})
	return shorter, least, dead, err
}

// trial starts a process that is there for one question.
func (t *Target) trial() (*child, error) {
	if t.starts++; t.starts%sweepEvery == 0 {
		killMarked(t.command.mark)
	}
	c, err := t.start(t.quick)
	if err == nil {
		c.trial = true
	}
	return c, err
}

// replay gives packets to a new process, one by one, and says what it died of, "" when it did not. settle waits for
// what shows only when the process ends. The reply is the last packet's.
func (t *Target) replay(packets [][]byte, settle bool) (reply oracle.Reply, dead string, err error) {
	if err := t.ctx.Err(); err != nil {
		return reply, "", err
	}
	c, err := t.trial()
	if err != nil {
		return reply, "", err
	}
	release := t.guard(c)
	defer release()
	var replies []oracle.Reply
	for i := range packets {
		replies, what, err := c.exchange(packets[i:i+1], replies[:0], &t.patient, &t.buf)
		switch {
		case err != nil:
			c.close()
			return reply, "", t.failed(err)
		case what == died:
			if !c.end(c.dying()) && t.ctx.Err() == nil {
				return reply, "it closed its stdin or stdout and did not end", nil
			}
			text, _, _ := c.obituary()
			return reply, text, t.ctx.Err()
		case what == stuck:
			c.close()
			return reply, "", t.ctx.Err()
		}
		reply = replies[0]
	}
	if settle {
		c.stdin.Close()
		if c.end(settling) && t.ctx.Err() == nil {
			if text, bad, leak := c.obituary(); bad && !leak {
				return reply, text, nil
			}
		}
		return reply, "", t.ctx.Err()
	}
	c.close()
	return reply, "", t.ctx.Err()
}

// hangs confirms that a packet hangs the target: three new processes, each warmed with a packet that was answered
// before, get many times as long as that took. They are warmed with two packets in turn, as one may have a part in it.
func (t *Target) hangs(suspect []byte) error {
	if !t.ever {
		t.patient.missed = 1
		if err := t.sound(); err != nil {
			return err
		}
	}
	var within time.Duration
	confirmed := 0
	for ; confirmed < confirmations; confirmed++ {
		warm := t.good
		if confirmed > 0 && t.ever {
			warm = t.harmless(warm)
		}
		reply, what, err := t.warmed(warm, suspect)
		if toldLate(t.ctx, confirmed) {
			break
		}
		if err != nil {
			return err
		}
		if what != stuck {
			return t.hangsBehind(suspect, reply)
		}
		within = t.patient.answer() // before it becomes that of a target that was caught
	}
	t.patient.hangs++
	t.replies = append(t.replies, hung("answer", within, confirmed))
	return nil
}

// toldLate reports whether the time has ended while a hang was being confirmed that some processes have shown already:
// it is told all the same.
func toldLate(ctx context.Context, confirmed int) bool {
	return confirmed > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// hung is the reply for a packet that so many new processes have not given what they should.
func hung(want string, within time.Duration, confirmed int) oracle.Reply {
	in := "1 new process"
	if confirmed != 1 {
		in = fmt.Sprintf("%d new processes", confirmed)
	}
	return oracle.Reply{Outcome: oracle.Hung, Bits: -1, Report: fmt.Sprintf("no %s within %v, in %s", want, within, in)}
}

// warmed gives a packet to a new process that has answered another, warm.
func (t *Target) warmed(warm, suspect []byte) (reply oracle.Reply, what trouble, err error) {
	const tries = 3 // a process may also be slow to begin
	for range tries {
		var cold bool
		reply, what, cold, err = t.warmedOnce(warm, suspect)
		if !cold || err != nil {
			break
		}
	}
	return reply, what, err
}

// warmedOnce is warmed with one process. cold: it did not come to the suspect.
func (t *Target) warmedOnce(warm, suspect []byte) (reply oracle.Reply, what trouble, cold bool, err error) {
	c, err := t.trial()
	if err != nil {
		return reply, none, false, err
	}
	release := t.guard(c)
	defer release()
	defer c.close()
	var replies []oracle.Reply
	if warm != nil && t.ever {
		if replies, what, err = c.exchange([][]byte{warm}, replies, &t.patient, &t.buf); err != nil || what != none {
			return t.lasts(c, what), what, true, errors.Join(err, t.ctx.Err())
		}
	}
	replies, what, err = c.exchange([][]byte{suspect}, replies[:0], &t.patient, &t.buf)
	if err != nil || t.ctx.Err() != nil {
		return reply, what, false, errors.Join(err, t.ctx.Err())
	}
	if what != none {
		if reply = t.lasts(c, what); reply.Outcome == oracle.Exhausted {
			what = none
		}
		return reply, what, false, nil
	}
	if c.full(t.command.memory) {
		return t.fat(c.peak.Load()), none, false, nil
	}
	if !t.ever {
		t.good, t.ever = append([]byte(nil), suspect...), true
	}
	return replies[0], none, false, nil
}

// lasts is the reply for a packet of which a process died, or that filled its memory.
func (t *Target) lasts(c *child, what trouble) oracle.Reply {
	if c.exhausted.Load() {
		return t.fat(c.peak.Load())
	}
	reply := oracle.Reply{Outcome: oracle.Crashed, Bits: -1}
	if what == died {
		c.end(settling)
		reply.Report, _, _ = c.obituary()
	}
	return reply
}

// Bounds of what goes into a sequence of packets that fill the memory: each trial fills it.
const (
	maxFillings = 30
	maxFilling  = 10 * time.Second
)

// fattened answers for a process that held too much memory.
func (t *Target) fattened(suspect []byte, peak int64, alone bool) error {
	if alone {
		t.replies = append(t.replies, t.fat(peak))
		return nil
	}
	had, sequence := t.history.Len()+t.history.Lost()+1, append(t.history.Packets(), suspect)
	reply, what, err := t.warmed(t.good, suspect)
	if err != nil {
		return err
	}
	if what == stuck || what == none && reply.Outcome != oracle.Exhausted {
		reply = t.fat(peak)
		reply.Report += fmt.Sprintf(", with %d packets", had)
		end := time.Now().Add(maxFilling)
		fills, err := t.fills(sequence)
		if err == nil && fills {
			var least bool
			reply.Culprit, least, err = fuzz.ShortenSequence(sequence, maxFillings, func(try [][]byte) (bool, error) {
				if time.Now().After(end) {
					return false, fuzz.ErrLate
				}
				return t.fills(try)
			})
			reply.Undone = oracle.Shortened(least)
		} else if err == nil {
			reply.Report += fmt.Sprintf("; the last %d of them alone do not do it again", len(sequence))
		}
		if err != nil {
			return err
		}
	}
	t.replies = append(t.replies, reply)
	return nil
}

// fills reports whether packets fill the memory of a new process.
func (t *Target) fills(packets [][]byte) (bool, error) {
	c, err := t.trial()
	if err != nil {
		return false, err
	}
	release := t.guard(c)
	defer release()
	defer c.close()
	var replies []oracle.Reply
	for len(packets) > 0 && t.ctx.Err() == nil {
		n := min(len(packets), batchPackets)
		var what trouble
		replies, what, err = c.exchange(packets[:n], replies[:0], &t.patient, &t.buf)
		if err != nil {
			return false, t.failed(err)
		}
		if c.full(t.command.memory) || what != none {
			break
		}
		packets = packets[n:]
	}
	return c.exhausted.Load(), t.ctx.Err()
}

func (t *Target) fat(peak int64) oracle.Reply {
	return oracle.Reply{Outcome: oracle.Exhausted, Bits: -1, Report: fmt.Sprintf("it held %d MiB of the %d that it may", peak>>20, t.command.memory>>20)}
}

// oneLine is the first line of a text.
func oneLine(text string) string {
	for i := range len(text) {
		if text[i] == '\n' {
			return text[:i]
		}
	}
	return text
}
