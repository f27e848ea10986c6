package diff

import (
	"cmp"
	"slices"
)

// A relay may end a transport and begin another: it seals anew, cuts messages into other pieces, gives packets other
// numbers. Then no datagram of one side is on the other, and what both sides have are the messages. They are matched by
// what they are: section, size and bytes, those that are equal by their order.

// MaxMessages is how many messages of one capture are matched: a Message takes about 40 bytes. Of a capture with more
// none is.
const MaxMessages = 1 << 21

// Message is what matching knows of a message that packets brought.
type Message struct {
	N       int64  // number of the packet that completed it
	Hash    uint64 // of its bytes
	Size    int32  // bytes
	Section int32  // of its protocol's
	// Again says of one that only one capture has that the other has its equal, fewer times.
	Again bool
	order int32
}

// OnlyMessage is a message that one capture has alone.
type OnlyMessage struct {
	Flow
	Message
}

// Messages is what Match found of messages. Those that one capture has alone are in its order.
type Messages struct {
	Of        [2]int // how many each capture has
	Same      int    // pairs
	Only      [2][]OnlyMessage
	Reordered int  // as Matching.Reordered
	TooMany   bool // one has more than MaxMessages: none was matched
	Unread    int  // messages of packets with more than are looked at
}

// AddMessage adds the next message of a flow, after the packet that completed it.
func (c *Capture) AddMessage(f Flow, m Message) {
	if c.messages == MaxMessages {
		c.tooMany = true
		return
	}
	m.order = int32(c.messages)
	c.messages++
	t := c.flows[f]
	t.messages = append(t.messages, m)
}

// messages matches the messages of one flow.
func (m *Matching) messages(f, g Flow, a, b *track) {
	if m.Messages.TooMany {
		return
	}
	partner := make([]int, len(a.messages))
	x, y := a.sorted(), b.sorted()
	again := func(before, rest []int32, list []Message) bool {
		return len(before) > 0 && list[before[0]].compare(&list[rest[0]]) == 0
	}
	var lastX, lastY []int32 // those that were matched last, of which there may be more
	for len(x) > 0 || len(y) > 0 {
		n := 0
		switch {
		case len(x) == 0:
			n = 1
		case len(y) == 0:
			n = -1
		default:
			n = a.messages[x[0]].compare(&b.messages[y[0]])
		}
		switch {
		case n < 0:
			one := a.messages[x[0]]
			one.Again = again(lastX, x, a.messages)
			m.Messages.Only[0] = append(m.Messages.Only[0], OnlyMessage{f, one})
			partner[x[0]] = -1
			x = x[1:]
		case n > 0:
			one := b.messages[y[0]]
			one.Again = again(lastY, y, b.messages)
			m.Messages.Only[1] = append(m.Messages.Only[1], OnlyMessage{g, one})
			y = y[1:]
		default:
			partner[x[0]] = int(y[0])
			m.Messages.Same++
			lastX, lastY, x, y = x, y, x[1:], y[1:]
		}
	}
	m.Messages.Reordered += moved(partner)
}

// compare orders messages by what they are.
func (m *Message) compare(o *Message) int {
	return cmp.Or(cmp.Compare(m.Hash, o.Hash), cmp.Compare(m.Size, o.Size), cmp.Compare(m.Section, o.Section))
}

// sorted are the numbers of a flow's messages, equal ones together and in their order.
func (t *track) sorted() []int32 {
	list := make([]int32, len(t.messages))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortStableFunc(list, func(i, j int32) int { return t.messages[i].compare(&t.messages[j]) })
	return list
}

// alone adds the messages of a flow that has no partner.
func (m *Matching) alone(side int, f Flow, t *track) {
	for _, one := range t.messages {
		if !m.Messages.TooMany {
			m.Messages.Only[side] = append(m.Messages.Only[side], OnlyMessage{f, one})
		}
	}
}

// brought appends the messages of a capture's conversations, as what these carry.
func (c *Capture) brought(to []carried, side int8, list []conversation) []carried {
	for i := range list {
		if list[i].taken {
			continue
		}
		for j, f := range list[i].flows(c) {
			for k := range c.flows[f].messages {
				m := &c.flows[f].messages[k]
				to = append(to, carried{m.Hash, m.Size, int32(f.Protocol) | (m.Section+1)<<8, int32(2*i + j), side})
			}
		}
	}
	return to
}

// byMessages finds the conversations that are one by the messages that they bring, among those of which datagrams do not
// tell it. What datagrams tell of the others stays.
func byMessages(a, b *Capture, as, bs []conversation) map[couple]evidence {
	if a.messages == 0 || b.messages == 0 || a.tooMany || b.tooMany {
		return nil
	}
	told := [2][]conversation{slices.Clone(as), slices.Clone(bs)}
	sides := [2][]conversation{as, bs}
	for _, list := range sides {
		for i := range list {
			list[i].contested = false
		}
	}
	found := couples(sides, b.brought(a.brought(nil, 0, as), 1, bs))
	for side, list := range sides {
		for i := range list {
			list[i].contested = list[i].contested || told[side][i].contested
			list[i].shared = max(list[i].shared, told[side][i].shared)
		}
	}
	return found
}
