package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Single is a process per packet: the packet is its stdin, exit status 0 accepts, the reject code refuses, anything
// else is a crash, and so is a sanitizer's report with whatever status.
type Single struct {
	ctx     context.Context
	command *command
	patient patience
	reject  int
	starts  int
	warm    []byte
	worked  bool // it ended by itself at least once
}

// NewSingle makes a target that runs a process per packet. When ctx ends, the process is killed and Send returns the
// context's error.
func NewSingle(ctx context.Context, o Options) (*Single, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	c, err := newCommand("target", &o)
	if err != nil {
		return nil, err
	}
	return &Single{ctx: ctx, command: c, patient: patience{least: o.Patience}, reject: o.RejectCode, warm: o.Warm}, nil
}

// Send runs the program.
func (s *Single) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	reply, ended, err := s.run(packet)
	if ended || err != nil {
		return reply, err
	}
	if !s.worked {
		if err := s.sound(); err != nil {
			return reply, err
		}
	}
	var within time.Duration
	confirmed := 0
	for ; confirmed < confirmations; confirmed++ {
		least := s.patient.answer()
		reply, ended, err = s.run(packet)
		if toldLate(s.ctx, confirmed) {
			break
		}
		if ended || err != nil {
			return reply, err
		}
		within = least
	}
	s.patient.hangs++
	return hung("end", within, confirmed), nil
}

// shortestPacket is what a target is asked last of all that has answered nothing: its reader may hang with every longer
// one.
var shortestPacket = []byte{}

// sound gives a program that has not ended on its first packet what is left of its tries, with a packet that any ends
// on.
func (s *Single) sound() error {
	over := false
	for s.patient.missed = 1; s.patient.missed < firstTries; s.patient.missed++ {
		packet := s.warm
		if s.patient.missed == firstTries-1 {
			packet = shortestPacket
		}
		_, ended, err := s.run(packet)
		if over = errors.Is(err, context.DeadlineExceeded); over {
			break // that it has missed deadlines says more
		}
		if ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("target %s: it does not end on its first packet, %s: exec: is for a program that reads one packet from stdin, "+
		"exec+persistent: for one that reads many. What takes longer to start wants --timeout", s.command.name(), s.patient.waited(over))
}

// UnsaidCode is the exit status of a process per packet that does not say whether it accepts it, unless it is the
// RejectCode. Test runners have it for what is neither passed nor failed; that of a panic in Go, or of an exception, is
// another.
const UnsaidCode = 77

// run runs the program once; ended is false when it had to be stopped.
func (s *Single) run(packet []byte) (reply oracle.Reply, ended bool, err error) {
	if err := s.ctx.Err(); err != nil {
		return reply, false, err
	}
	if s.starts++; s.starts%sweepEvery == 0 {
		killMarked(s.command.mark)
	}
	began := time.Now()
	c, err := s.command.start(false, false)
	if err != nil {
		return reply, false, err
	}
	release := context.AfterFunc(s.ctx, c.stop)
	defer release()
	c.trial = true
	most := s.patient.answer()
	if !s.worked {
		most = s.patient.first()
	}
	c.writeBy(began.Add(most))
	_, err = c.stdin.Write(packet) // who ends early has not read all
	late := errors.Is(err, os.ErrDeadlineExceeded)
	c.stdin.Close()
	ended = c.end(most) && !late // what it answers to a part of the packet is no answer
	if err := s.ctx.Err(); err != nil {
		return reply, false, err
	}
	reply = oracle.Reply{Outcome: oracle.Refused, Bits: -1}
	if c.exhausted.Load() {
		reply.Outcome = oracle.Exhausted
		reply.Report = fmt.Sprintf("it held %d MiB of the %d that it may", c.peak.Load()>>20, s.command.memory>>20)
		return reply, true, nil
	}
	if !ended {
		return reply, false, nil
	}
	s.worked = true
	if !c.graced {
		s.patient.answered(time.Since(began) - c.forgiven)
	}
	text, bad, leak := c.obituary()
	switch code := c.cmd.ProcessState.ExitCode(); {
	case leak:
		reply.Outcome, reply.Report = oracle.Exhausted, text
	case bad:
		reply.Outcome, reply.Report = oracle.Crashed, text
	case code == 0:
		reply.Outcome = oracle.Accepted
	case code == s.reject:
	case code == UnsaidCode:
		reply.Outcome = oracle.Survived
	default:
		reply.Outcome, reply.Report = oracle.Crashed, text
	}
	return reply, true, nil
}

// Forgets is true: each packet has a process of its own.
func (s *Single) Forgets() bool { return true }

// Close ends what the processes left behind.
func (s *Single) Close() error {
	if s.starts > 0 {
		killMarked(s.command.mark)
	}
	return nil
}
