package process

import (
	"context"
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// Single is a process per packet: the packet is its stdin, exit status 0 accepts, the reject code refuses, anything else is
// a crash, and so is a sanitizer's report with whatever status.
type Single struct {
	ctx     context.Context
	command *command
	patient patience
	reject  int
	starts  int
	worked  bool // it ended by itself at least once
}

// NewSingle makes a target that runs a process per packet. When ctx ends, the process is killed and Send returns the
// context's error.
func NewSingle(ctx context.Context, o Options) (*Single, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	c, err := newCommand(o.Args, o.Memory)
	if err != nil {
		return nil, err
	}
	return &Single{ctx: ctx, command: c, patient: patience{least: o.Patience}, reject: o.RejectCode}, nil
}

// Send runs the program.
func (s *Single) Send(packet []byte, _ decode.Direction) (fuzz.Reply, error) {
	for range 1 + confirmations {
		reply, ended, err := s.run(packet)
		if ended || err != nil {
			s.worked = s.worked || err == nil
			return reply, err
		}
	}
	if !s.worked {
		return fuzz.Reply{}, fmt.Errorf("target %s: it does not end on its first packet, within %v: exec: is for a program that reads one packet from stdin, exec+persistent: for one that reads many", s.command.args[0], s.patient.first())
	}
	within := s.patient.answer() // before it becomes that of a target that was caught
	s.patient.hangs++
	return fuzz.Reply{Outcome: fuzz.Hung, Bits: -1, Report: fmt.Sprintf("no end within %v, in %d processes", within, 1+confirmations)}, nil
}

// run runs the program once; ended is false when it had to be stopped.
func (s *Single) run(packet []byte) (reply fuzz.Reply, ended bool, err error) {
	if err := s.ctx.Err(); err != nil {
		return reply, false, err
	}
	if s.starts++; s.starts%sweepEvery == 0 {
		killMarked(s.command.mark)
	}
	began := time.Now()
	c, err := s.command.start(false)
	if err != nil {
		return reply, false, err
	}
	release := context.AfterFunc(s.ctx, c.kill)
	defer release()
	most := s.patient.answer()
	if !s.worked {
		most = s.patient.first()
	}
	_ = c.stdin.SetWriteDeadline(began.Add(most))
	_, _ = c.stdin.Write(packet) // who ends early has not read all
	c.stdin.Close()
	ended = c.end(most - time.Since(began))
	if err := s.ctx.Err(); err != nil {
		return reply, false, err
	}
	reply = fuzz.Reply{Outcome: fuzz.Refused, Bits: -1}
	if c.exhausted.Load() {
		reply.Outcome = fuzz.Exhausted
		reply.Report = fmt.Sprintf("it held %d MiB of the %d that it may", c.peak.Load()>>20, s.command.memory>>20)
		return reply, true, nil
	}
	if !ended {
		return reply, false, nil
	}
	if !c.graced {
		s.patient.answered(time.Since(began))
	}
	text, bad, leak := c.obituary()
	switch code := c.cmd.ProcessState.ExitCode(); {
	case leak:
		reply.Outcome, reply.Report = fuzz.Exhausted, text
	case bad:
		reply.Outcome, reply.Report = fuzz.Crashed, text
	case code == 0:
		reply.Outcome = fuzz.Accepted
	case code != s.reject:
		reply.Outcome, reply.Report = fuzz.Crashed, text
	}
	return reply, true, nil
}

// Close ends what the processes left behind.
func (s *Single) Close() error {
	if s.starts > 0 {
		killMarked(s.command.mark)
	}
	return nil
}
