package process

import (
	"errors"
	"fmt"
	"time"

	"github.com/pktscope/pktscope/fuzz"
)

// What a process died of, hangs at or fills its memory with is not always the packet that it had last: heaps are corrupted
// long before they are looked at. Whatever is suspected is tried again with a new process.

// confirmations is how often a packet must hang a new process to be a hang.
const confirmations = 3

// settling is how long a process may take to end when its input has.
const settling = 500 * time.Millisecond

// diagnose answers the first packet without a reply, in whose place came trouble, and leaves no process behind. What it
// finds out about the packet before may change that one's reply.
func (t *Target) diagnose(packets [][]byte, what trouble) error {
	i := len(t.replies)
	suspect := packets[i]
	c := t.child
	t.child = nil
	alone := len(t.history) == 0
	// Who has closed its pipes is about to end; who does not answer is not.
	self := c.end(map[trouble]time.Duration{died: 2 * settling}[what])
	text, bad, _ := c.obituary()
	if what == stuck && self && !c.exhausted.Load() {
		what = died // between the deadline and now
	}
	switch {
	case c.exhausted.Load():
		return t.fattened(suspect, c.peak.Load(), alone)
	case what == stuck:
		return t.hangs(suspect)
	case !self:
		text, bad = "it closed its stdin or stdout and did not end", false
	}
	if !t.ever && !bad && !t.sound() {
		if !self {
			return t.failed(errors.New("it closed its stdin or stdout before its first answer"))
		}
		return t.failed(fmt.Errorf("it ended before its first answer, %s: exec+persistent: is for a program that answers packet after packet, exec: for one that is run for each", oneLine(text)))
	}
	if alone {
		t.replies = append(t.replies, fuzz.Reply{Outcome: fuzz.Crashed, Bits: -1, Report: text})
		return nil
	}
	return t.culprit(packets, text)
}

// culprit finds what a process died of that had had other packets before.
func (t *Target) culprit(packets [][]byte, text string) error {
	i := len(t.replies)
	history := append([][]byte(nil), t.history...)
	before, suspect := history[len(history)-1], packets[i]
	reply, dead, err := t.replay([][]byte{suspect}, false)
	if err != nil {
		return err
	}
	if dead != "" {
		t.replies = append(t.replies, fuzz.Reply{Outcome: fuzz.Crashed, Bits: -1, Report: dead})
		return nil
	}
	// Not of this one. Of the one before, which shows when the process ends, or takes the next packet?
	sequence := [][]byte{before}
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
		sequence, dead, err = t.shortest(append(history, suspect))
	}
	if err != nil {
		return err
	}
	crash := fuzz.Reply{Outcome: fuzz.Crashed, Bits: -1, Report: dead}
	switch {
	case dead == "":
		crash.Report = fmt.Sprintf("it did not happen again with the last %d packets\n%s", len(history)+1, text)
		t.replies = append(t.replies, crash)
	case len(sequence) == 1 && i > 0:
		// It is in this batch, so both get what is theirs.
		t.replies[i-1] = crash
		t.replies = append(t.replies, reply)
	default:
		crash.Culprit = sequence
		t.replies = append(t.replies, crash)
	}
	return nil
}

// sound reports whether the target answers at all. It is asked when the first packet of all has no answer.
func (t *Target) sound() bool {
	reply, what, err := t.warmed(t.good)
	return err == nil && what == none && reply.Outcome <= fuzz.Refused
}

// harmless is a packet that the process has answered, and not the one given if there is another.
func (t *Target) harmless(not []byte) []byte {
	for _, p := range t.history {
		if string(p) != string(not) {
			return p
		}
	}
	return not
}

// maxShortening is how many processes may go into shortening a sequence.
const maxShortening = 200

// shortest leaves packets out of a sequence as long as it still ends the process. dead is "" when it does not.
func (t *Target) shortest(sequence [][]byte) (_ [][]byte, dead string, err error) {
	_, dead, err = t.replay(sequence, true)
	if dead == "" || err != nil {
		return sequence, dead, err
	}
	shorter, err := fuzz.ShortenSequence(sequence, maxShortening, func(try [][]byte) (bool, error) {
		_, again, err := t.replay(try, true)
		if again != "" {
			dead = again
		}
		return again != "", err
	})
	return shorter, dead, err
}

// replay gives packets to a new process, one by one, and says what it died of, "" when it did not. settle waits for what
// shows only when the process ends. The reply is the last packet's.
func (t *Target) replay(packets [][]byte, settle bool) (reply fuzz.Reply, dead string, err error) {
	if err := t.ctx.Err(); err != nil {
		return reply, "", err
	}
	t.starts++
	c, err := t.command.start(true)
	if err != nil {
		return reply, "", err
	}
	release := t.guard(c)
	defer release()
	var replies []fuzz.Reply
	for i := range packets {
		replies, what, err := c.exchange(packets[i:i+1], replies[:0], &t.patient, &t.buf)
		switch {
		case err != nil:
			c.close()
			return reply, "", t.failed(err)
		case what == died:
			if !c.end(2*settling) && t.ctx.Err() == nil {
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

// hangs confirms that a packet hangs the target: three new processes, each warmed with a packet that was answered before,
// get many times as long as that took.
func (t *Target) hangs(suspect []byte) error {
	if !t.ever && !t.sound() {
		return t.failed(fmt.Errorf("no answer to its first packet within %v: does it read packet after packet, each behind its length?", t.patient.first()))
	}
	for range confirmations {
		reply, what, err := t.warmed(suspect)
		if err != nil {
			return err
		}
		if what != stuck {
			// Slow, or it hangs only now and then: this answer counts.
			t.replies = append(t.replies, reply)
			return nil
		}
	}
	within := t.patient.answer() // before it becomes that of a target that was caught
	t.patient.hangs++
	t.replies = append(t.replies, fuzz.Reply{Outcome: fuzz.Hung, Bits: -1, Report: fmt.Sprintf("no answer within %v, in %d new processes", within, confirmations)})
	return nil
}

// warmed gives a packet to a new process that has answered another.
func (t *Target) warmed(suspect []byte) (reply fuzz.Reply, what trouble, err error) {
	if err := t.restart(); err != nil {
		return reply, none, err
	}
	release := t.guard(t.child)
	defer release()
	defer t.drop()
	var replies []fuzz.Reply
	if t.good != nil && t.ever {
		if replies, what, err = t.child.exchange([][]byte{t.good}, replies, &t.patient, &t.buf); err != nil || what != none {
			return reply, what, errors.Join(err, t.ctx.Err())
		}
	}
	replies, what, err = t.child.exchange([][]byte{suspect}, replies[:0], &t.patient, &t.buf)
	if err != nil || t.ctx.Err() != nil {
		return reply, what, errors.Join(err, t.ctx.Err())
	}
	switch {
	case what == none:
		reply = replies[0]
		if !t.ever {
			t.good, t.ever = append([]byte(nil), suspect...), true
		}
	case t.child.exhausted.Load():
		reply, what = t.fat(t.child.peak.Load()), none
	case what == died:
		c := t.child
		c.end(settling)
		text, _, _ := c.obituary()
		reply = fuzz.Reply{Outcome: fuzz.Crashed, Bits: -1, Report: text}
	}
	return reply, what, nil
}

// fattened answers for a process that held too much memory.
func (t *Target) fattened(suspect []byte, peak int64, alone bool) error {
	if alone {
		t.replies = append(t.replies, t.fat(peak))
		return nil
	}
	had := len(t.history) + 1
	reply, what, err := t.warmed(suspect)
	if err != nil {
		return err
	}
	if what == none && reply.Outcome != fuzz.Exhausted {
		reply = t.fat(peak)
		reply.Report += fmt.Sprintf(", with %d packets or more; this one alone does not do it", had)
	} else if what == stuck {
		reply = t.fat(peak)
	}
	t.replies = append(t.replies, reply)
	return nil
}

func (t *Target) fat(peak int64) fuzz.Reply {
	return fuzz.Reply{Outcome: fuzz.Exhausted, Bits: -1, Report: fmt.Sprintf("it held %d MiB of the %d that it may", peak>>20, t.command.memory>>20)}
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
