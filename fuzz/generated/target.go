package generated

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// Target is a process of the generated reader, which reads one packet after the other into the same Packet. Beside its
// replies it checks every value, and what is written of it; see Check.
type Target struct {
	// Sparing asks for values with one packet of a batch in valuesOf, and with each that is sent alone: listing them
	// takes twenty times as long as reading. Which packets those are follows from what is in them. All else is checked
	// of each, also that what was read is written back as it came.
	Sparing bool

	process *process.Target
	values  values
	buf     []byte
	batch   [][]byte
	said    []byte // with the last packet, if it was accepted
	brief   bool   // its values were not asked for
}

const (
	valuesOf = 16
	brief    = 0x80 // the program's word for it, beside who sent the packet
)

// NewTarget makes a target; it starts no process yet. Of the options Args is not used. When ctx ends, the process is
// killed and Send returns the context's error.
func (p *Program) NewTarget(ctx context.Context, o process.Options) (*Target, error) {
	o.Args = []string{p.bin}
	o.Warm = append([]byte{byte(decode.FromUnknown)}, o.Warm...)
	inner, err := process.New(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Target{process: inner, values: values{plan: p.plan}}, nil
}

// Send sends one packet.
func (t *Target) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	t.buf = append(append(t.buf[:0], byte(from)), packet...)
	r, err := t.process.Send(t.buf, from)
	return t.reply(t.buf, r), err
}

// SendBatch sends packets without waiting for each answer.
func (t *Target) SendBatch(packets [][]byte, from []decode.Direction, each func(i int, r oracle.Reply) bool) error {
	size := len(packets)
	for _, p := range packets {
		size += len(p)
	}
	if cap(t.buf) < size {
		t.buf = make([]byte, 0, size)
	}
	b := t.buf[:0]
	t.batch = t.batch[:0]
	for i, p := range packets {
		at := len(b)
		sender := byte(from[i])
		if t.Sparing && !chosen(p) {
			sender |= brief
		}
		b = append(append(b, sender), p...)
		t.batch = append(t.batch, b[at:len(b):len(b)])
	}
	return t.process.SendBatch(t.batch, from, func(i int, r oracle.Reply) bool { return each(i, t.reply(t.batch[i], r)) })
}

// chosen reports whether a packet is one of those whose values are looked at. It is no checksum that a packet could
// have within itself, which would choose all of its kind or none.
func chosen(packet []byte) bool {
	h := fnv.New64a()
	_, _ = h.Write(packet)
	const golden = 0x9e3779b97f4a7c15 // the upper bits of FNV do not know of the last bytes
	return h.Sum64()*golden>>32%valuesOf == 0
}

// reply takes out of a reply to what was sent what is between this target and its program.
func (t *Target) reply(sent []byte, r oracle.Reply) oracle.Reply {
	t.said, t.brief, r.Fields = r.Fields, sent[0]&brief != 0, nil
	for i, p := range r.Culprit {
		if len(p) > 0 {
			r.Culprit[i] = p[1:]
		}
	}
	return r
}

// Check compares every value that was asked for of an accepted packet with its trace, and what Append made of them with
// the packet.
func (t *Target) Check(trace *decode.Trace) []oracle.Mismatch {
	if t.said == nil || trace.Rejected() || t.brief && !bytes.Contains(t.said, []byte("written")) {
		return nil
	}
	var said struct {
		Values, Written, Unwritten string
	}
	if err := json.Unmarshal(t.said, &said); err != nil {
		return []oracle.Mismatch{{Kind: oracle.FoundWrongValue, What: fmt.Sprintf("its values are none: %v", err)}}
	}
	var wrong []oracle.Mismatch
	if !t.brief {
		wrong = t.values.compare(trace, said.Values)
	}
	if said.Unwritten != "" {
		return append(wrong, oracle.Mismatch{Kind: oracle.FoundNotCanonical, What: "Append refuses what was accepted: " + said.Unwritten})
	}
	if said.Written == "" {
		return wrong
	}
	out, err := hex.DecodeString(said.Written)
	if err == nil {
		err = oracle.Rewritten(trace, out)
	}
	if err != nil {
		wrong = append(wrong, oracle.Mismatch{Kind: oracle.FoundNotCanonical, What: err.Error()})
	}
	return wrong
}

// Close ends the process.
func (t *Target) Close() error { return t.process.Close() }
