package report

import (
	"math/big"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// sharedArms shows an arm of several labels (`Rrq, Wrq:`) by the one that was read: its first label, which names it in
// rules, may be another's.
type sharedArms struct {
	of   map[sharedArm]*sharedTag
	read map[int][]*sharedTag // tags by the leaves that hold them
}

// sharedArm is an arm, by its notes and the node that its switch is in: a struct can be used twice, with two tags.
type sharedArm struct {
	notes *schema.Annotations
	in    plan.NodeID
}

// sharedTag is the tag of a switch with such an arm, as it was read last.
type sharedTag struct {
	enum  *schema.Enum // nil where it is a plain number
	other bool         // the tag itself is of no enum: labels are Enum.Case
	value *big.Int     // nil before it is read
}

func newSharedArms(p *plan.Plan) *sharedArms {
	a := &sharedArms{map[sharedArm]*sharedTag{}, map[int][]*sharedTag{}}
	for _, s := range p.Switches {
		if s.TagRegister < 0 || s.Item.Tag.Bool {
			continue // its labels are true and false, or it is computed
		}
		tag := &sharedTag{enum: s.Item.Cases(), other: s.Item.Enum == nil}
		for _, arm := range s.Item.Arms {
			if !arm.Default && len(arm.Ranges) > 0 && (len(arm.Ranges) > 1 || arm.Ranges[0].Lo.Cmp(arm.Ranges[0].Hi) < 0 && tag.enum != nil) {
				a.of[sharedArm{&arm.Annotations, p.Nodes[s.Node].Parent}] = tag
			}
		}
		for _, leaf := range p.RegisterLeaves[s.TagRegister] {
			a.read[int(leaf)] = append(a.read[int(leaf)], tag)
		}
	}
	return a
}

// see keeps what a tag is.
func (s *sharedArms) see(p *plan.Plan, ev *decode.Event) {
	for _, tag := range s.read[ev.Leaf] {
		info := &p.Info[ev.Leaf]
		v := info.Value(ev.Raw, ev.CodeWidth)
		tag.value = new(big.Int).SetUint64(v)
		if info.IsSigned() {
			tag.value.SetInt64(int64(v))
		}
	}
}

// label is what an arm is shown by.
func (s *sharedArms) label(n *plan.Node) string {
	tag := s.of[sharedArm{n.Annotations, n.Parent}]
	if tag == nil || tag.value == nil {
		return n.Case
	}
	if tag.enum != nil {
		for i := range tag.enum.Cases {
			if k := &tag.enum.Cases[i]; k.Value.Cmp(tag.value) != 0 {
				continue
			} else if tag.other {
				return tag.enum.Name + "." + k.Name
			} else {
				return k.Name
			}
		}
	}
	if tag.value.IsInt64() {
		return strconv.FormatInt(tag.value.Int64(), 10)
	}
	return tag.value.String()
}
