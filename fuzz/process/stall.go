package process

import (
	"errors"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader may hang at a packet for what it keeps of others: a list that one packet made a ring has no end for the
// next. A new process that has only the last one answers, so the packets before it are tried as well.

// Bounds of what goes into a sequence of packets that hang a reader: each trial takes a deadline.
const (
	maxStalls   = 60
	maxStalling = 10 * time.Second
	stallBatch  = 16 // packets between two looks at the clock
)

// hangsBehind answers for a packet at which a process hung and a new one, which gave reply, does not. Three processes
// that hang with all that the first one had make it a hang, of the fewest packets that it takes.
func (t *Target) hangsBehind(suspect []byte, reply oracle.Reply) error {
	sequence := append(t.history.Packets(), suspect)
	end := time.Now().Add(maxStalling)
	for range confirmations {
		stalls, err := t.stalls(sequence, end)
		if err != nil && !errors.Is(err, fuzz.ErrLate) {
			return err
		}
		if !stalls {
			// Slow, or it hangs only now and then: this answer counts.
			t.replies = append(t.replies, reply)
			return nil
		}
	}
	within := t.patient.answer() // before it becomes that of a target that was caught
	t.patient.hangs++
	end = time.Now().Add(maxStalling)
	culprit, least, err := fuzz.ShortenSequence(sequence, maxStalls, func(try [][]byte) (bool, error) { return t.stalls(try, end) })
	if err != nil {
		return err
	}
	hang := hung("answer", within, confirmations)
	hang.Culprit, hang.Undone = culprit, oracle.Shortened(least)
	t.replies = append(t.replies, hang)
	return nil
}

// stalls reports whether packets hang a new process. One that answers none of them does not count: it is slow to begin.
// When the time is over the error is ErrLate.
func (t *Target) stalls(packets [][]byte, end time.Time) (bool, error) {
	c, err := t.trial()
	if err != nil {
		return false, err
	}
	release := t.guard(c)
	defer release()
	defer c.close()
	var replies []oracle.Reply
	for len(packets) > 0 && t.ctx.Err() == nil {
		if time.Now().After(end) {
			return false, fuzz.ErrLate
		}
		n := min(len(packets), stallBatch)
		var what trouble
		replies, what, err = c.exchange(packets[:n], replies[:0], &t.patient, &t.buf)
		if err != nil {
			return false, t.failed(err)
		}
		if what != none {
			return (what == stuck && c.answered > 0 || c.deaf) && t.ctx.Err() == nil, t.ctx.Err()
		}
		packets = packets[n:]
	}
	return false, t.ctx.Err()
}
