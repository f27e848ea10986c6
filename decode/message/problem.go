package message

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The words of what is wrong with the values of a packet.

const outOfRange = reject.OutOfRange

// fail is an error about what is asked for.
func (s *source) fail(a *decode.Query, text string) *decode.EncodeError {
	return &decode.EncodeError{Path: a.Path(), Bit: a.Bit, Problem: text}
}

// problem is an error about a node in a context.
func (s *source) problem(a *decode.Query, node plan.NodeID, parent int32, index uint32, text string) *decode.EncodeError {
	at := *a
	at.Node, at.Parent, at.Index = node, parent, index
	return s.fail(&at, text)
}

// unlike is the error of a value that the field cannot have.
func (s *source) unlike(a *decode.Query, v *Value, want string, meant ...string) error {
	return s.fail(a, s.unfit(a.Node, v, want, meant...))
}

func (s *source) unfit(node plan.NodeID, v *Value, want string, meant ...string) string {
	if s.masked(node, v) {
		return maskedProblem
	}
	text := fmt.Sprintf("want %s, got %s", want, s.show(node, v))
	if len(meant) > 0 && meant[0] != "" && !s.p.Nodes[node].Secret {
		text += "; did you mean " + meant[0] + "?"
	}
	return text
}

// maskedProblem is the error of a mask in the place of a value.
const maskedProblem = "masked: JSON does not hold what is @secret; put the value here, or take the packet from a capture (decode -w)"

// sizeText is a size in an error, or a mask where the size of a node is a secret.
func (s *source) sizeText(node plan.NodeID, n int, what string) string {
	if s.p.Nodes[node].Unsized {
		return hidden + " " + what + "s"
	}
	return syntax.Count(n, what)
}

// wantText is the size that a node has to have.
func (s *source) wantText(node plan.NodeID, n uint64) string {
	if s.p.Nodes[node].Unsized {
		return hidden
	}
	return strconv.FormatUint(n, 10)
}

// maxShown is how much of a value an error shows, in bytes.
const maxShown = 40

// show is show for the value of a field, which can be a secret: errors end up in logs.
func (s *source) show(node plan.NodeID, v *Value) string {
	if s.p.Nodes[node].Secret && v.Kind != Null && v.Kind != Object && v.Kind != List {
		return hidden
	}
	return show(v)
}

// hidden stands for a secret in an error, as in a reject.
const hidden = "‹secret›"

// show writes a value that came from outside, so that a terminal obeys none of it.
func show(v *Value) string {
	data, more := v.Data, ""
	if len(data) > maxShown {
		data, more = data[:maxShown], "…"
	}
	switch v.Kind {
	case Number:
		return string(data) + more
	case Text:
		return strconv.QuoteToASCII(string(data)) + more
	case Code:
		return strconv.FormatUint(v.Code, 10)
	case Bool:
		return strconv.FormatBool(v.Code != 0)
	}
	return v.Kind.String()
}

// missing is the error of a value that is not there. The reason can be a member above it that has another name than it
// should, or a list that ends too early.
func (s *source) missing(a *decode.Query) error {
	at := *a
	child := a.Node
	for {
		n := &s.p.Nodes[child]
		if n.Parent == plan.NoNode {
			break
		}
		at.Node = n.Parent
		if n.Elem {
			outer := &a.Trace.Records[at.Parent]
			index := at.Index
			at.Parent, at.Index = outer.Parent, outer.Index
			list := s.container(a, at.Node, at.Parent, at.Index)
			if list != nil && uint64(index) >= uint64(len(list.Items)) {
				return s.fail(&at, s.sizeText(at.Node, len(list.Items), "element")+" given, but the list goes on")
			}
			if list != nil {
				break
			}
		} else if object := s.container(a, at.Node, at.Parent, at.Index); object != nil {
			if name := syntax.Suggest(n.Name, s.strangers(object, at.Node)); name != "" {
				return s.problemAt(&at, name, "no such field; did you mean "+n.Name+"?")
			}
			break
		}
		child = n.Parent
	}
	return s.fail(a, "missing: it follows from nothing else in the packet")
}

// problemAt is an error about a member that no node stands for.
func (s *source) problemAt(a *decode.Query, name, text string) error {
	err := s.fail(a, text)
	err.Path = string(appendMember([]byte(err.Path), name))
	return err
}

// strangers are the members of an object that no field of its node has the name of.
func (s *source) strangers(object *Value, node plan.NodeID) []string {
	known := s.m.namesOf(s.m.under(map[plan.NodeID]bool{node: true}))
	var names []string
	for i := range object.Items {
		if name := object.Items[i].Name; !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	return names
}
