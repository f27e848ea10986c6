package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

// Reason is why a reader says that it refused a packet, as far as it says: the zero Kind, a negative Bit and a negative
// Width are not said. What is said is compared with what the packet deserves.
type Reason struct {
	Kind   reject.Kind
	Path   string // of the refused field, "" for the packet
	NoPath bool   // the path is not said
	Bit    int
	Width  int
}

// Is reports whether an answer is what a reader says, as far as it says.
func (r *Reason) Is(a Answer) bool {
	return (r.Kind == reject.None || r.Kind == a.Kind) && (r.NoPath || r.Path == a.Path) && (r.Bit < 0 || r.Bit == a.Bit) && (r.Width < 0 || r.Width == a.Width)
}

// Agrees reports whether two readers say the same, in what both say.
func (r *Reason) Agrees(other *Reason) bool {
	return (r.Kind == reject.None || other.Kind == reject.None || r.Kind == other.Kind) && (r.NoPath || other.NoPath || r.Path == other.Path) &&
		(r.Bit < 0 || other.Bit < 0 || r.Bit == other.Bit) && (r.Width < 0 || other.Width < 0 || r.Width == other.Width)
}

// Shown returns what findings may say of a reason: without the bit and the width of a reject that tell a secret.
func (r *Reason) Shown(t *decode.Trace) *Reason {
	rejected := t.Reject()
	if r == nil || rejected == nil || !rejected.HidesWidth() && !rejected.HidesBit() {
		return r
	}
	less := *r
	if rejected.HidesWidth() {
		less.Width = -1
	}
	if rejected.HidesBit() {
		less.Bit = -1
	}
	return &less
}

// String is the reason in one line, as Answer's.
func (r *Reason) String() string {
	var said []string
	if r.Kind != reject.None {
		said = append(said, r.Kind.String())
	}
	if !r.NoPath {
		said = append(said, fmt.Sprintf("at %q", r.Path))
	}
	text := strings.Join(said, " ")
	for _, n := range []struct {
		format string
		value  int
	}{{"bit %d", r.Bit}, {"%d bits", r.Width}} {
		if n.value >= 0 {
			text += fmt.Sprintf(", "+n.format, n.value)
		}
	}
	return "reject: " + strings.TrimPrefix(text, ", ")
}

// ParseReason reads the reason that a target gives with a refusal, a JSON object:
//
//	{"kind":"out-of-range","path":"body.players[0].health","bit":301,"width":7}
//
// Every key may be missing; nil is a reason that says nothing. The kinds are those of wire.md. An error is an object
// that is none, or that says what no reason says.
func ParseReason(line []byte) (*Reason, error) {
	var said struct {
		Kind       *string
		Path       *string
		Bit, Width *int
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		return nil, fmt.Errorf("its reason is no JSON object with kind, path, bit and width: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more than one JSON value behind an R")
	}
	if said.Kind == nil && said.Path == nil && said.Bit == nil && said.Width == nil {
		return nil, nil
	}
	r := &Reason{NoPath: said.Path == nil, Bit: -1, Width: -1}
	if said.Kind != nil {
		for _, k := range reject.Kinds() {
			if k.String() == *said.Kind && k != reject.OverBudget {
				r.Kind = k
			}
		}
		if r.Kind == reject.None {
			return nil, fmt.Errorf("its reason is of the kind %q, which is none: see pktscope help wire", clipText(*said.Kind))
		}
	}
	if said.Path != nil {
		r.Path = *said.Path
	}
	for _, n := range []struct {
		to   *int
		said *int
	}{{&r.Bit, said.Bit}, {&r.Width, said.Width}} {
		if n.said != nil && *n.said < 0 {
			return nil, fmt.Errorf("its reason has %d for a bit or a width", *n.said)
		}
		if n.said != nil {
			*n.to = *n.said
		}
	}
	return r, nil
}
