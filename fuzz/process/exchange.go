package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Bounds of what is on the way at once.
const (
	maxFlight   = 1 << 20 // bytes of packets
	inlineWrite = 4 << 10 // fits into any pipe that is empty
	maxLine     = 1 << 20 // bytes of an answer's values
	maxBlank    = 1 << 10 // line ends between two answers
)

// trouble is what comes instead of an answer.
type trouble uint8

const (
	none  trouble = iota
	died          // or closed its ends
	stuck         // no answer in time
)

// errNonsense is an answer that is none.
type errNonsense struct{ what string }

func (e *errNonsense) Error() string { return e.what }

// exchange sends packets to a persistent process and reads the answers, which it appends to replies. When there are
// fewer, trouble says why; the error is an answer that is none.
func (p *child) exchange(packets [][]byte, replies []oracle.Reply, patient *patience, buf *[]byte) ([]oracle.Reply, trouble, error) {
	p.idle.Store(false)
	defer p.idle.Store(true)
	b := (*buf)[:0]
	for _, packet := range packets {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(packet)))
		b = append(b, packet...)
	}
	*buf = b
	// A target that does not read must not stop us, nor one that does not read before its answer is read.
	var written chan struct{}
	var unread error
	if len(b) <= inlineWrite {
		p.writeBy(time.Now().Add(patient.first()))
		_, unread = p.stdin.Write(b) // what else is wrong with it shows in the answers
	} else {
		written = make(chan struct{})
		p.writeBy(time.Time{})
		go func() {
			defer close(written)
			_, unread = p.stdin.Write(b)
		}()
	}
	trouble, err := none, error(nil)
	var r oracle.Reply
	for range packets {
		if r, trouble, err = p.answer(patient); trouble != none || err != nil {
			break
		}
		replies = append(replies, r)
	}
	if trouble == none && err == nil && p.skipLineEnds() > 0 {
		err = &errNonsense{fmt.Sprintf("it answers more often than it is asked: %s is left behind the last answer", p.quoted())}
	}
	if written != nil {
		if trouble != none || err != nil {
			p.writeBy(past)
		}
		<-written
	}
	if trouble == stuck && p.answered > 0 && errors.Is(unread, syscall.EPIPE) {
		p.deaf, trouble = true, died
	}
	return replies, trouble, err
}

// skipLineEnds leaves out the line ends that the input begins with, which whoever prints a line puts after an answer,
// and gives how many bytes are left.
func (p *child) skipLineEnds() int {
	p.in = bytes.TrimLeft(p.in, "\r\n")
	return len(p.in)
}

// answer reads one answer.
func (p *child) answer(patient *patience) (oracle.Reply, trouble, error) {
	for blank := 0; ; {
		blank += len(p.in)
		if p.skipLineEnds() == 0 {
			if blank > maxBlank {
				return oracle.Reply{}, none, &errNonsense{fmt.Sprintf("it prints %d line ends and no answer: want A or R", blank)}
			}
			if t := p.fill(patient); t != none {
				return oracle.Reply{}, t, nil
			}
			continue
		}
		switch c := p.in[0]; {
		case c == 'R' || c == 'A' || c == 'N':
			return p.verdict(c, patient)
		case c == '{' && p.answered > 0 && !p.gives[p.before]:
			// What belongs to the answer before, and came apart from it. From now on it is waited for.
			if _, t, err := p.line(p.before, patient); t != none || err != nil {
				return oracle.Reply{}, t, err
			}
			p.gives[p.before] = true
		default:
			return oracle.Reply{}, none, &errNonsense{fmt.Sprintf("it answers %s: want A, R or N; does the reader print to stdout? (gen harness moves stdout away)", p.quoted())}
		}
	}
}

// verdict reads an A, an R or an N, with what is after it where the target gives that.
func (p *child) verdict(c byte, patient *patience) (oracle.Reply, trouble, error) {
	r := oracle.Reply{Outcome: oracle.Accepted, Bits: -1}
	p.before = values
	switch c {
	case 'R':
		r.Outcome, p.before = oracle.Refused, reasons
	case 'N':
		r.Outcome = oracle.Survived
	}
	p.in = p.in[1:]
	if p.skipLineEnds() > 0 && p.in[0] == '{' {
		p.gives[p.before] = true
	}
	if p.gives[p.before] {
		line, t, err := p.line(p.before, patient)
		if t != none || err != nil {
			return r, t, err
		}
		if p.before == values {
			r.Fields = bytes.Clone(line)
		} else if r.Why, err = oracle.ParseReason(line); err != nil {
			if p.secrets {
				err = errReason
			}
			return r, none, &errNonsense{err.Error()}
		}
	}
	p.answered++
	return r, none, nil
}

// behind is what a target may give with an answer.
type behind uint8

const (
	values  behind = iota // that it read, after an A or an N
	reasons               // to refuse, after an R
)

var behindWords = [...]string{values: "an A or an N: want its values", reasons: "an R: want its reason"}

// line reads a line, which begins where the input does and belongs to an answer.
func (p *child) line(of behind, patient *patience) ([]byte, trouble, error) {
	for from := 0; ; {
		if from == 0 {
			p.skipLineEnds()
		}
		if len(p.in) > 0 && p.in[0] != '{' {
			return nil, none, &errNonsense{fmt.Sprintf("it answers %s behind %s as a JSON object on one line, as with the packets before, {} for none", p.quoted(), behindWords[of])}
		}
		if i := bytes.IndexByte(p.in[from:], '\n'); i >= 0 {
			line := p.in[:from+i]
			p.in = p.in[from+i+1:]
			return line, none, nil
		}
		if from = len(p.in); from > maxLine {
			return nil, none, &errNonsense{fmt.Sprintf("what it gives with an answer has no end of line after %d bytes", from)}
		}
		if t := p.fill(patient); t != none {
			return nil, t, nil
		}
	}
}

// fill reads what there is of stdout, at least one byte.
func (p *child) fill(patient *patience) trouble {
	const some = 16 << 10
	if cap(p.in)-len(p.in) < some/2 {
		p.in = append(make([]byte, 0, max(some, 2*len(p.in))), p.in...)
	}
	most := patient.answer()
	if p.answered == 0 {
		most = patient.first()
	}
	began := time.Now()
	p.readBy(began.Add(most))
	n, err := p.stdout.Read(p.in[len(p.in):cap(p.in)])
	for n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		more := p.more(most)
		if more == 0 {
			break
		}
		p.readBy(time.Now().Add(more))
		n, err = p.stdout.Read(p.in[len(p.in):cap(p.in)])
	}
	p.in = p.in[:len(p.in)+n]
	switch {
	case n > 0:
		p.missed = 0
		if took := time.Since(began); p.answered > 0 {
			patient.answered(took)
		} else {
			patient.begun(took)
		}
		return none
	case errors.Is(err, os.ErrDeadlineExceeded):
		return stuck
	case errors.Is(err, io.EOF), err != nil:
		return died
	}
	return none
}

// errReason stands for what is wrong with a reason that may hold a secret.
var errReason = errors.New("its reason is no JSON object with kind, path, bit and width (what it says may be a secret, and is not shown)")

// errValues stands for what is wrong with values that may be secrets.
var errValues = errors.New("its values are no JSON object with a whole number @bits (what it gives may be a secret, and is not shown)")

// quoted is the beginning of what was answered, for an error.
func (p *child) quoted() string {
	if p.secrets {
		return "what may be a secret, and is not shown,"
	}
	return strconv.Quote(string(p.in[:min(len(p.in), 24)]))
}
