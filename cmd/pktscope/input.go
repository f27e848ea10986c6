package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/saved"
)

// captureInput is a file or stdin as the commands read it: counted, and at an end with the first signal, so that what
// was counted until then is shown. The second signal ends the program.
type captureInput struct {
	pcap.Interruptible
	total   int64        // bytes of the file; -1 where nobody knows
	packets func() int64 // how many came of it; nil where it is no capture
}

func (c *captureInput) Read(b []byte) (int, error) {
	n, err := c.Interruptible.Read(b)
	if err == pcap.ErrInterrupted {
		err = c.interrupted()
	}
	return n, err
}

func (c *captureInput) interrupted() error {
	e := &interrupted{read: c.Bytes, total: c.total, packets: -1}
	if c.packets != nil {
		e.packets = c.packets()
	}
	return e
}

// interrupted is the error of an input that a signal ended.
type interrupted struct {
	read, total int64 // bytes; total is -1 where nobody knows
	packets     int64 // -1 where it is no capture
}

func (i *interrupted) Error() string {
	text := "interrupted after " + syntax.Count(i.read, "byte")
	if i.total > 0 {
		text = fmt.Sprintf("interrupted after %d of %s (%d%%)", i.read, syntax.Count(i.total, "byte"), 100*min(i.read, i.total)/i.total)
	}
	if i.packets >= 0 {
		text += ", " + syntax.Count(i.packets, "packet")
	}
	return text
}

// errNotRead is the error of an input that is not begun after a signal.
var errNotRead = errors.New("not read: interrupted")

func isInterrupted(err error) bool {
	return errors.As(err, new(*interrupted)) || errors.Is(err, errNotRead)
}

// interrupts is closed by the first signal that asks the program to end. From then on a signal has its usual effect,
// for whom the end waits in vain: stdout can be a pipe that nobody reads.
func (p *program) interrupts() <-chan struct{} {
	if p.interrupted == nil {
		signals, stopped := make(chan os.Signal, 1), make(chan struct{})
		signal.Notify(signals, saved.EndingSignals()...)
		go func() {
			<-signals
			signal.Stop(signals)
			close(stopped)
		}()
		p.interrupted = stopped
	}
	return p.interrupted
}

// stopped reports whether such a signal came.
func (p *program) stopped() bool {
	select {
	case <-p.interrupts():
		return true
	default:
		return false
	}
}

// openCapture opens a capture file, or stdin, whose lines are shown while it is silent.
func (p *program) openCapture(name string) (*captureInput, func(), error) {
	in := &captureInput{total: -1}
	in.Stop = p.interrupts()
	if name == "-" {
		in.R, in.Waits = p.stdin, true
		p.hash(in)
		return in, p.out.flushEvery(flushInterval), nil
	}
	f, err := p.openUnlessInterrupted(name, p.openFile)
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		in.total = info.Size()
	} else {
		in.Waits = true
	}
	stop := func() {}
	if p.shard == nil {
		in.R, stop = p.withProgress(f)
	} else if in.R, err = p.shard.Open(f); err != nil {
		f.Close()
		return nil, nil, inputError(name, err)
	} else {
		in.total = p.shard.To - p.shard.Warm
	}
	p.hash(in)
	return in, func() { stop(); _ = f.Close() }, nil // only read
}

// hash has what is read of in go through the digest, if there is one.
func (p *program) hash(in *captureInput) {
	if p.digest != nil {
		in.R = io.TeeReader(in.R, p.digest)
	}
}

// openUnlessInterrupted opens a file. To open a named pipe waits for whoever has its other end.
func (p *program) openUnlessInterrupted(name string, open func(name string) (*os.File, error)) (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	got := make(chan result, 1)
	if !p.stopped() {
		go func() {
			f, err := open(name)
			got <- result{f, err}
		}()
	}
	select {
	case r := <-got:
		return r.f, r.err
	case <-p.interrupts():
		return nil, fmt.Errorf("%s: %w", name, errNotRead)
	}
}

// readCapture makes reader read the capture that in holds, within --max-expansion; nil makes a new one. in may be
// after a buffer of src.
func (p *program) readCapture(reader *pcap.Reader, src, in io.Reader) *pcap.Reader {
	if reader == nil {
		reader = pcap.NewReader(nil)
	}
	reader.MaxExpansion(int64(p.maxExpansion))
	reader.Reset(src)
	if p.shard != nil {
		reader.ResetPart(src, p.shard.Part())
	}
	if in, ok := in.(*captureInput); ok {
		in.packets = reader.Packets
	}
	return reader
}

// eachCapture hands captures to take, one after the other, up to one that says done, to a *writeError, which it
// returns, or to a signal. Of one that could not be read to its end it says why, and trouble has what it says.
func (p *program) eachCapture(files []string, take takeCapture) (trouble []string, err error) {
	return eachCapture(p, files, take, func(err error) { p.complain("%s", err) })
}

// eachCaptureAgain is eachCapture for files of which it was said what is wrong.
func (p *program) eachCaptureAgain(files []string, take takeCapture) (trouble []string, err error) {
	return eachCapture(p, files, take, func(error) {})
}

type takeCapture func(reader *pcap.Reader, name string) (done bool, err error)

func eachCapture(p *program, files []string, take takeCapture, say func(error)) (trouble []string, err error) {
	tell := func(err error) {
		trouble = append(trouble, err.Error())
		say(err)
	}
	var reader *pcap.Reader
	for i, name := range files {
		done := false
		in, closer, err := p.openCapture(name)
		if err == nil {
			reader = p.readCapture(reader, in, in)
			done, err = take(reader, name)
			p.counted.Add(name, max(in.total, in.Bytes), in.Head)
			closer()
			var write *writeError
			if errors.As(err, &write) {
				return trouble, write.error
			}
			if err != nil {
				err = inputError(name, err)
			}
		}
		if err != nil {
			tell(err)
		}
		if left := len(files) - i - 1; isInterrupted(err) && left > 0 {
			tell(fmt.Errorf("%s more not read", syntax.Count(left, "file")))
			return trouble, nil
		}
		if done {
			break
		}
	}
	return trouble, nil
}

// inputError is an error of reading a file, which it names.
func inputError(name string, err error) error { return &namedError{name, err} }

type namedError struct {
	name string
	err  error
}

func (n *namedError) Error() string { return n.name + ": " + reason(n.err) }
func (n *namedError) Unwrap() error { return n.err }
