package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The limits of a JSON object, which anybody may have written.
const (
	// MaxJSON is how many bytes it may have: as much as -T json makes of the packet that is largest as JSON.
	MaxJSON = 128 << 20
	// MaxValues is how many values it may have, objects and lists included.
	MaxValues = 1<<20 + 1<<16
	// minDepth is how deep it may nest; deeper where a packet of the protocol does.
	minDepth = 64
)

// JSONError is what is wrong with a JSON object before it is known what its values are for.
type JSONError struct {
	Path    string // of the value in the object: `fields.body.players[2]`; "" for the object as a whole
	Problem string // in one line
}

// Error is "path: problem".
func (j *JSONError) Error() string {
	if j.Path == "" {
		return j.Problem
	}
	return j.Path + ": " + j.Problem
}

// FromJSON fills the message with an object in the shape of -T json: `fields`, and, where they are there, `direction`,
// `case`, `src`, `dst`, `time`, `verdict` and `message` or `messages` (Opened). Without a direction the sender
// follows from the ports of src and dst. Other keys are not looked at, but no key may come twice. Nothing is known
// yet of the values but that they are JSON: whether they fit is said by Encode. The message refers to line, so it is
// valid as long as that is. Errors are *JSONError, and leave the message empty.
func (m *Message) FromJSON(line []byte) error {
	m.Reset()
	if err := m.fromJSON(line); err != nil {
		m.Reset()
		return err
	}
	return nil
}

func (m *Message) fromJSON(line []byte) error {
	switch {
	case len(line) > MaxJSON:
		return &JSONError{Problem: fmt.Sprintf("want at most %d bytes, got %d", MaxJSON, len(line))}
	case !utf8.Valid(line):
		return &JSONError{Problem: "not UTF-8"}
	case !json.Valid(line):
		return syntaxError(line)
	}
	r := reader{m: m, data: line}
	if err := r.value(m.arena.push(), 0); err != nil {
		return err
	}
	root := m.arena.stack[0]
	if root.Kind != Object {
		return &JSONError{Problem: "want an object, got " + root.Kind.String()}
	}
	fields := root.Member("fields")
	if fields == nil {
		problem := "want `fields`, which is not there"
		var names []string
		for i := range root.Items {
			names = append(names, root.Items[i].Name)
		}
		if name := syntax.Suggest("fields", names); name != "" {
			problem += "; is it " + string(appendMember(nil, name)) + "?"
		}
		return &JSONError{Problem: problem}
	}
	if fields.Kind != Object {
		return &JSONError{"fields", "want an object, got " + fields.Kind.String()}
	}
	m.Root, m.Opened = *fields, openedOf(&root)
	for i := range root.Items {
		if err := m.envelope(&root.Items[i]); err != nil {
			return err
		}
	}
	if m.From == decode.FromUnknown && m.Src.IsValid() && m.Dst.IsValid() {
		m.From = decode.DirectionOf(m.plan.Schema, m.Src.Port(), m.Dst.Port())
	}
	return nil
}

// syntaxError is the error of what is no JSON.
func syntaxError(line []byte) error {
	var into json.RawMessage
	err := json.Unmarshal(line, &into)
	var at *json.SyntaxError
	if len(bytes.TrimSpace(line)) == 0 {
		return &JSONError{Problem: "not JSON: nothing is there"}
	}
	if errors.As(err, &at) {
		return &JSONError{Problem: fmt.Sprintf("not JSON: byte %d: %v", at.Offset, err)}
	}
	return &JSONError{Problem: "not JSON"}
}

// envelope takes what stands beside the fields.
func (m *Message) envelope(v *Value) error {
	var want string
	ok := true
	switch text := string(v.Data); {
	case v.Kind == Null:
	case v.Name == "direction":
		switch {
		case v.Kind == Text && text == decode.Client.String():
			m.From = decode.Client
		case v.Kind == Text && text == decode.Server.String():
			m.From = decode.Server
		default:
			ok, want = v.Kind == Text && text == decode.FromUnknown.String(), "client, server or unknown"
		}
	case v.Name == "case":
		m.Case, ok, want = text, v.Kind == Text || v.Kind == Number, "the name or the number of a case"
	case v.Name == "src", v.Name == "dst":
		addr, err := netip.ParseAddrPort(text)
		ok, want = v.Kind == Text && err == nil && addr.Addr().Zone() == "", "ip:port or [ip6]:port"
		if v.Name == "src" {
			m.Src = addr
		} else {
			m.Dst = addr
		}
	case v.Name == "time":
		t, err := time.Parse(time.RFC3339Nano, text)
		ok, want = v.Kind == Text && err == nil && inCapture(t), "a time as 2026-01-02T14:07:21.503Z"
		m.Time = t.UnixNano()
	case v.Name == "verdict":
		m.Verdict, want = text, "accept, reject or cut"
		ok = v.Kind == Text && (text == "accept" || text == "reject" || text == "cut")
	}
	if !ok {
		return &JSONError{v.Name, "want " + want + ", got " + show(v)}
	}
	return nil
}

// inCapture reports whether a capture file can hold a time: from 1970 on, as ns in 63 bits.
func inCapture(t time.Time) bool {
	const last = 9223372036 // s: 2262
	return t.Unix() >= 0 && t.Unix() < last
}

// reader makes values of what has been found to be JSON.
type reader struct {
	m     *Message
	data  []byte
	at    int
	count int    // values
	trail []step // names and numbers on the way, for errors
}

func (r *reader) fail(text string) error {
	return &JSONError{string(appendTrail(nil, r.trail)), text}
}

// space skips to what comes next, and returns its first byte.
func (r *reader) space() byte {
	for {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return c
		}
	}
}

// value reads a value into v, which lies on the arena's stack: v is not valid after a nested push.
func (r *reader) value(v *Value, depth int) error {
	if r.count++; r.count > MaxValues {
		return r.fail(fmt.Sprintf("want at most %d values", MaxValues))
	}
	switch c := r.space(); c {
	case '{', '[':
		return r.container(len(r.m.arena.stack)-1, c, depth)
	case '"':
		text, err := r.text()
		v.Kind, v.Data = Text, text
		return err
	case 't':
		v.Kind, v.Code = Bool, 1
		r.at += len("true")
	case 'f':
		v.Kind = Bool
		r.at += len("false")
	case 'n':
		r.at += len("null")
	default:
		start := r.at
		for r.at < len(r.data) && (r.data[r.at] >= '0' && r.data[r.at] <= '9' || bytes.IndexByte([]byte("+-.eE"), r.data[r.at]) >= 0) {
			r.at++
		}
		v.Kind, v.Data = Number, r.data[start:r.at]
	}
	return nil
}

// container reads an object or a list into the value at self on the stack.
func (r *reader) container(self int, open byte, depth int) error {
	a := &r.m.arena
	if depth >= r.m.depth {
		return r.fail(fmt.Sprintf("want at most %d objects and lists in each other", r.m.depth))
	}
	kind, end := Object, byte('}')
	if open == '[' {
		kind, end = List, ']'
	}
	a.stack[self].Kind = kind
	r.at++
	r.trail = append(r.trail, step{})
	for n := 0; r.space() != end; n++ {
		if n > 0 {
			r.at++ // the comma
			r.space()
		}
		v := a.push()
		if kind == Object {
			name, err := r.text()
			if err != nil {
				return err
			}
			if v.Name = r.m.names[string(name)]; v.Name == "" {
				v.Name = string(name)
			}
			r.space()
			r.at++ // the colon
		}
		r.trail[len(r.trail)-1] = step{v.Name, n}
		if err := r.value(v, depth+1); err != nil {
			return err
		}
	}
	r.at++
	r.trail = r.trail[:len(r.trail)-1]
	if name, twice := r.m.repeated(a.stack[self+1:], kind); twice {
		r.trail = append(r.trail, step{name: name})
		return r.fail("this key comes twice")
	}
	items := a.take(self + 1)
	a.stack[self].Items = items
	return nil
}
