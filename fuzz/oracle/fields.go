package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// The values that a reader found, as JSON: an object that nests as paths do, or has whole paths for keys, or both:
//
//	{"body":{"players":[{"health":7}]}}   {"body.players[0].health":7}
//
// Only what it gives is compared, with what pktscope shows (decode -V): fields_value.go says what is right for each
// type. {"raw":…}, with or without a value beside it, is what is on the wire: a code, or bytes in hexadecimal. The key
// @bits is how many bits the reader took.

// bitsKey is no field's name.
const bitsKey = "@bits"

// Bounds of what a reader may say.
const (
	maxFieldDepth = 64
	maxFields     = 1 << 16
)

// fieldValue is a value with its path.
type fieldValue struct {
	path  string
	value any
}

// said is what a reader gave. What its lists and objects mean, the field's type decides: leaves has what is in them by
// its own path, too.
type said struct {
	leaves []fieldValue // ordered by path
	whole  map[string]any
}

// parseFields takes an object apart.
func parseFields(line []byte) (*said, error) {
	object, err := parseObject(line)
	if err != nil {
		return nil, err
	}
	s := &said{whole: map[string]any{}}
	if err := s.add("", object, 0); err != nil {
		return nil, err
	}
	slices.SortFunc(s.leaves, func(a, b fieldValue) int { return strings.Compare(a.path, b.path) })
	return s, nil
}

// parseObject reads one JSON object. Its strings are the bytes that the reader had, as far as they can be known: see
// exactText.
func parseObject(line []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var object map[string]any
	var err error
	if plainText(line) {
		err = d.Decode(&object)
	} else {
		var raw map[string]json.RawMessage
		if err = d.Decode(&raw); err == nil {
			object = make(map[string]any, len(raw))
			for key, value := range raw {
				if object[key], err = exactValue(value, 1); err != nil {
					return nil, err
				}
			}
		}
	}
	if err != nil {
		return nil, &noObject{err}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than one JSON value in an answer")
	}
	return object, nil
}

func tooMuch() error {
	return fmt.Errorf("its values nest deeper than %d, or are more than %d", maxFieldDepth, maxFields)
}

func (s *said) add(path string, value any, depth int) error {
	if depth > maxFieldDepth || len(s.leaves) > maxFields {
		return tooMuch()
	}
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v["raw"]; ok {
			s.whole[path] = v
		}
		for key, inner := range v {
			at := key
			if path != "" {
				at = path + "." + key
			}
			if err := s.add(at, inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		s.whole[path] = v
		for i, inner := range v {
			if err := s.add(path+"["+strconv.Itoa(i)+"]", inner, depth+1); err != nil {
				return err
			}
		}
	case nil: // an optional that is not there
	default:
		s.leaves = append(s.leaves, fieldValue{path, value})
	}
	return nil
}

// FieldBits is how many bits a reader says that it took, -1 when it does not say. The error is that of an object that
// is none.
func FieldBits(line []byte) (int, error) {
	if !bytes.Contains(line, []byte(bitsKey)) {
		return -1, nil
	}
	var only struct {
		Bits *int `json:"@bits"`
	}
	if err := json.Unmarshal(line, &only); err != nil {
		return -1, fmt.Errorf("its values are no JSON object with a whole number %s: %v", bitsKey, err)
	}
	if only.Bits == nil {
		return -1, nil
	}
	return *only.Bits, nil
}

// CompareFields compares what a reader found in an accepted packet with its trace: a Mismatch for each value that is
// not the schema's, and for each that the packet has not. What it gives for a secret is not in them.
func CompareFields(t *decode.Trace, line []byte) []Mismatch {
	s, err := parseFields(line)
	if err != nil {
		if _, quotes := err.(*noObject); quotes && t.Plan.HasSecret() {
			err = errSecretFields
		}
		return []Mismatch{{Kind: FoundWrongValue, What: err.Error()}}
	}
	return s.compare(t)
}

// noObject is the error of what cannot be read; it can hold some of that.
type noObject struct{ err error }

func (n *noObject) Error() string { return fmt.Sprintf("its values are no JSON object: %v", n.err) }

// errSecretFields stands for what is wrong with values that may be secrets.
var errSecretFields = errors.New("its values are no JSON object that can be read (what it gives may be a secret, and is not shown)")

// at is what was given for a path.
func (s *said) at(path string) (any, bool) {
	if i, ok := slices.BinarySearchFunc(s.leaves, path, func(v fieldValue, path string) int { return strings.Compare(v.path, path) }); ok {
		return s.leaves[i].value, true
	}
	value, ok := s.whole[path]
	return value, ok
}

func (s *said) compare(t *decode.Trace) []Mismatch {
	c := comparison{trace: t, left: make(map[string]any, len(s.leaves)), whole: maps.Clone(s.whole)}
	for _, v := range s.leaves {
		if v.path != bitsKey {
			c.left[v.path] = v.value
		}
	}
	quaternions := newQuaternions(t.Plan)
	for ev := range t.Walk() {
		if len(c.left) == 0 && len(c.whole) == 0 {
			break
		}
		if ev.Kind == decode.Close || ev.Kind == decode.Item && !t.Plan.Nodes[ev.Node].Named {
			continue
		}
		c.path = t.AppendEventPath(c.path[:0], ev)
		if ev.Kind == decode.Open {
			c.open(ev)
		} else if value, ok := c.take(ev.Node); ok {
			c.field(ev, value)
		}
		if ev.Kind == decode.Leaf {
			c.quaternion(quaternions, ev)
		}
	}
	for _, v := range s.leaves {
		if _, left := c.left[v.path]; left {
			c.missing(v)
		}
	}
	return c.lost()
}

// comparison is one packet's.
type comparison struct {
	trace *decode.Trace
	left  map[string]any // what is not yet compared, by path
	whole map[string]any // the lists and the objects with a raw that it is in
	path  []byte         // of the field at hand
	wrong []Mismatch
	right map[string]bool // rules of fields that are right after the first that is wrong, and tell something: a zero may be chance
}

func (c *comparison) add(path, what string) {
	c.wrong = append(c.wrong, Mismatch{FoundWrongValue, path, what})
}

// take is what was given for the field at hand, which is compared with that and nothing else. An optional's flag has
// the path of what is after it. What is given there is the value of a number or a text; only beside a struct or a list
// it is about the flag.
func (c *comparison) take(node plan.NodeID) (value any, ok bool) {
	nodes := c.trace.Plan.Nodes
	behind := c.trace.Plan.Flagged(node)
	if behind != plan.NoNode && nodes[behind].Kind != plan.NodeStruct && nodes[behind].Kind != plan.NodeArray {
		return nil, false
	}
	if value, ok = c.left[string(c.path)]; ok {
		delete(c.left, string(c.path))
		return value, true
	}
	if value, ok = c.whole[string(c.path)]; !ok || behind != plan.NoNode {
		return nil, false
	}
	path := string(c.path)
	delete(c.whole, path)
	switch v := value.(type) {
	case []any:
		c.drop(path, v, 0)
	case map[string]any:
		delete(c.left, path+".raw")
		delete(c.left, path+".value")
		if list, ok := v["value"].([]any); ok {
			c.drop(path+".value", list, 0)
		}
	}
	return value, true
}

// drop takes a list's elements out, from one on, with all that is in them.
func (c *comparison) drop(path string, list []any, from int) {
	nested := false
	for i := from; i < len(list); i++ {
		delete(c.left, path+"["+strconv.Itoa(i)+"]")
		switch list[i].(type) {
		case map[string]any, []any:
			nested = true
		}
	}
	if !nested {
		return
	}
	inside := func(key string, _ any) bool {
		rest, ok := strings.CutPrefix(key, path+"[")
		digits, _, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(digits)
		return ok && err == nil && i >= from
	}
	maps.DeleteFunc(c.left, inside)
	maps.DeleteFunc(c.whole, inside)
}

// open compares the length of an array. An empty list says that there are no elements, or nothing.
func (c *comparison) open(ev *decode.Event) {
	list, ok := c.whole[string(c.path)].([]any)
	if !ok || len(list) <= ev.Count || c.trace.Plan.Nodes[ev.Node].Kind != plan.NodeArray {
		return
	}
	path := string(c.path)
	c.drop(path, list, ev.Count)
	if c.trace.Plan.Nodes[ev.Node].Secret {
		c.add(path, secretDiffers)
		return
	}
	c.add(path, fmt.Sprintf("%d elements where the schema says %d", len(list), ev.Count))
}

// field compares a value with a field's.
func (c *comparison) field(ev *decode.Event, value any) {
	want, ok := sameField(c.trace.Plan, ev, value)
	switch {
	case ok && len(c.wrong) > 0 && (ev.Raw != 0 || ev.Kind != decode.Leaf):
		if c.right == nil {
			c.right = map[string]bool{}
		}
		c.right[PathRule(string(c.path))] = true
	case ok:
	case c.trace.Plan.Nodes[ev.Node].Secret:
		c.add(string(c.path), secretDiffers)
	default:
		c.add(string(c.path), fmt.Sprintf("%s where the schema says %s", show(value), want))
	}
}

// leastLost is how many fields are wrong where a reader has lost its place.
const leastLost = 4

// lost is what is wrong, or the first of that where nearly all that follows is wrong, too: a reader that has lost its
// place has one mistake, and what it reads from there on is as it comes.
func (c *comparison) lost() []Mismatch {
	rules := map[string]bool{}
	for i := range c.wrong {
		rules[PathRule(c.wrong[i].Path)] = true
	}
	if len(rules) < leastLost || len(rules) < 4*len(c.right) {
		return c.wrong
	}
	first := c.wrong[0]
	after := fmt.Sprintf("%d of the", len(rules)-1)
	if c.trace.Plan.HasSecret() { // how many there are can tell a secret
		after = "most"
	}
	first.What += "; it has lost its place: so it is with " + after + " fields after it"
	return []Mismatch{first}
}

// secretDiffers is all that is said of what a reader gives for a secret.
const secretDiffers = "another value than the schema says, which is a secret"

// missing is about a value that the packet has no field for.
func (c *comparison) missing(v fieldValue) {
	shown := show(v.value)
	if c.trace.Plan.HidesPath(PathRule(v.path)) {
		shown = "a value, which may be a secret,"
	}
	c.add(v.path, shown+" where the packet has no such field")
}
