package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	}
	r := reader{m: m, data: line}
	err := r.value(m.arena.push(), 0)
	if err == nil && (r.space() != end || r.at < len(line)) {
		err = errSyntax
	}
	if errors.Is(err, errSyntax) {
		return syntaxError(line)
	}
	if err != nil {
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
		if key := slices.Index(envelopeKeys[:], root.Items[i].Name); key >= 0 {
			if err := m.envelope(key, &root.Items[i]); err != nil {
				return err
			}
		}
	}
	m.sender()
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

// envelopeKeys are the keys beside the fields whose values count.
var envelopeKeys = [...]string{
	atDirection: "direction", atCase: "case", atSrc: "src", atDst: "dst", atTime: "time", atVerdict: "verdict",
}

// The places of keys in envelopeKeys.
const (
	atDirection = iota
	atCase
	atSrc
	atDst
	atTime
	atVerdict
)

// envelope takes what has a key beside the fields, by its place in envelopeKeys.
func (m *Message) envelope(key int, v *Value) error {
	if v.Kind == Null {
		return nil
	}
	var want string
	ok := v.Kind == Text
	switch key {
	case atDirection:
		switch want = "client, server or unknown"; string(v.Data) {
		case "client":
			m.From = decode.Client
		case "server":
			m.From = decode.Server
		case "unknown":
		default:
			ok = false
		}
	case atCase:
		m.Case, ok, want = m.names.of(v.Data), ok || v.Kind == Number, "the name or the number of a case"
	case atSrc, atDst:
		addr, good := m.known.address(v.Data)
		ok, want = ok && good, "ip:port or [ip6]:port"
		if key == atSrc {
			m.Src = addr
		} else {
			m.Dst = addr
		}
	case atTime:
		at, good := m.known.time(v.Data)
		ok, want = ok && good, "a time as 2026-01-02T14:07:21.503Z"
		m.Time, m.Timed = at, good
	case atVerdict:
		want = "accept, reject or cut"
		switch m.Verdict = m.names.of(v.Data); m.Verdict {
		case "accept", "reject", "cut":
		default:
			ok = false
		}
	default:
		panic("pktscope: internal error: a key that nobody looks at")
	}
	if !ok {
		return &JSONError{v.Name, "want " + want + ", got " + show(v)}
	}
	return nil
}

// inCapture reports whether a capture file can hold a time: as ns since 1970 in 64 bits, which before it are odd.
func inCapture(t time.Time) bool {
	const last = 9223372036 // s: 2262
	return -last < t.Unix() && t.Unix() < last
}

// reader makes values of JSON in one pass, and finds what is none: of that it knows only errSyntax, whose words are
// encoding/json's.
type reader struct {
	m     *Message
	data  []byte
	at    int
	count int    // values
	wide  bool   // the string read last is not of ASCII alone
	trail []step // names and numbers on the way, for errors
}

var errSyntax = errors.New("not JSON")

func (r *reader) fail(text string) error {
	return &JSONError{string(appendTrail(nil, r.trail)), text}
}

// end is what peek gives at the end of the line: nothing in JSON begins with it.
const end = 0

// peek is the byte that comes next.
func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return end
}

// space skips to what comes next, and returns its first byte.
func (r *reader) space() byte {
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return end
}

// value reads a value into v, which lies on the arena's stack: v is not valid after a nested push.
func (r *reader) value(v *Value, depth int) (err error) {
	if r.count++; r.count > MaxValues {
		return r.fail(fmt.Sprintf("want at most %d values", MaxValues))
	}
	switch c := r.space(); c {
	case '{', '[':
		return r.container(len(r.m.arena.stack)-1, c, depth)
	case '"':
		v.Kind = Text
		v.Data, err = r.string()
		return err
	case 't':
		v.Kind, v.Code = Bool, 1
		return r.word("true")
	case 'f':
		v.Kind = Bool
		return r.word("false")
	case 'n':
		return r.word("null")
	}
	v.Kind = Number
	v.Data, err = r.number()
	return err
}

func (r *reader) word(w string) error {
	if len(r.data)-r.at < len(w) || string(r.data[r.at:r.at+len(w)]) != w {
		return errSyntax
	}
	r.at += len(w)
	return nil
}

// number reads a number: -1.5e+3.
func (r *reader) number() ([]byte, error) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else if !r.digits() {
		return nil, errSyntax
	}
	if r.peek() == '.' {
		if r.at++; !r.digits() {
			return nil, errSyntax
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c = r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if !r.digits() {
			return nil, errSyntax
		}
	}
	return r.data[start:r.at], nil
}

// digits skips digits; false when there are none.
func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.data) && '0' <= r.data[r.at] && r.data[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}

// container reads an object or a list into the value at self on the stack.
func (r *reader) container(self int, open byte, depth int) error {
	a := &r.m.arena
	if depth >= r.m.depth {
		return r.fail(fmt.Sprintf("want at most %d objects and lists in each other", r.m.depth))
	}
	kind, closing := Object, byte('}')
	if open == '[' {
		kind, closing = List, ']'
	}
	a.stack[self].Kind = kind
	r.at++
	r.trail = append(r.trail, step{})
	for n := 0; n > 0 || r.space() != closing; n++ {
		v := a.push()
		if kind == Object {
			if err := r.key(v); err != nil {
				return err
			}
		}
		r.trail[len(r.trail)-1] = step{v.Name, n}
		if err := r.value(v, depth+1); err != nil {
			return err
		}
		c := r.space()
		if c == closing {
			break
		}
		if c != ',' {
			return errSyntax
		}
		r.at++
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

// key reads the name of a member up to its value.
func (r *reader) key(v *Value) error {
	if r.space() != '"' {
		return errSyntax
	}
	name, err := r.string()
	if err != nil {
		return err
	}
	v.Name = r.m.names.of(name)
	if r.space() != ':' {
		return errSyntax
	}
	r.at++
	return nil
}

// names are the names of members, so that a name costs no allocation and seldom a hash: those of a plan's nodes, and
// some more that came.
type names struct {
	all    map[string]string
	recent [256]string // of all, each where its length and two of its bytes say
	room   int         // how many more are taken
}

// The bounds of names that a plan does not have.
const (
	moreNames = 64
	longName  = 32 // bytes
)

// of is a name as a string.
func (n *names) of(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	recent := &n.recent[byte(len(name)+5*int(name[0])+19*int(name[len(name)-1])+3*int(name[len(name)/2]))]
	if *recent == string(name) {
		return *recent
	}
	known, ok := n.all[string(name)]
	if !ok {
		known = string(name)
		if n.room == 0 || len(name) > longName {
			return known
		}
		n.room--
		n.all[known] = known
	}
	*recent = known
	return known
}
