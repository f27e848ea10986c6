package diff

import (
	"cmp"
	"slices"
)

// A relay may end a transport and begin another: it seals anew, cuts messages into other pieces, gives packets other
// numbers. Then no datagram of one side is on the other, and what both sides have are the messages. They are matched by
// what they are: section, size and bytes, those that are equal by their order.

// MaxMessages is how many messages of one capture are matched: a Message takes 36 bytes. Of a capture with more
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
	flow  uint32
}

// OnlyMessage is a message that one capture has alone.
type OnlyMessage struct {
	Flow
	Message
}

// Messages is what Match found of messages. Those that one capture has alone are in its order.
type Messages struct {
	Of        [2]int      // how many each capture has
	Same      int         // pairs
	Only      [2][]uint32 // numbers, for OnlyMessage
	Reordered int         // as Matching.Reordered
	TooMany   bool        // one has more than MaxMessages: none was matched
	Unread    int         // messages of packets with more than are looked at
}

// OnlyMessage is the i-th of the messages that one capture has alone.
func (m *Matching) OnlyMessage(side, i int) OnlyMessage {
	one := m.brought[side].at(m.Messages.Only[side][i])
	return OnlyMessage{m.Flow(one.flow), *one}
}

// AddMessage adds the next message of a flow, after the packet that completed it.
func (c *Capture) AddMessage(f Flow, m Message) {
	if c.messages.n == MaxMessages {
		c.tooMany = true
		return
	}
	m.flow = c.ends.number(f)
	c.messages.add(m)
}

// messages matches the messages of one flow.
func (m *Matching) messages(a, b *Capture, f, g uint32) {
	if m.Messages.TooMany {
		return
	}
	listA, listB := a.brought.of(f), b.brought.of(g)
	partner := make([]int32, len(listA))
	x, y := a.alike(listA), b.alike(listB)
	at := func(c *Capture, list []uint32, i int32) *Message { return c.messages.at(list[i]) }
	// only adds the first of what one side has, after those that were matched last, of which it may be one more.
	only := func(side int, c *Capture, list []uint32, last, rest []int32) {
		one := at(c, list, rest[0])
		one.Again = len(last) > 0 && at(c, list, last[0]).compare(one) == 0
		m.Messages.Only[side] = append(m.Messages.Only[side], list[rest[0]])
	}
	var lastX, lastY []int32
	for len(x) > 0 || len(y) > 0 {
		n := 0
		switch {
		case len(x) == 0:
			n = 1
		case len(y) == 0:
			n = -1
		default:
			n = at(a, listA, x[0]).compare(at(b, listB, y[0]))
		}
		switch {
		case n < 0:
			only(0, a, listA, lastX, x)
			partner[x[0]] = -1
			x = x[1:]
		case n > 0:
			only(1, b, listB, lastY, y)
			y = y[1:]
		default:
			partner[x[0]] = y[0]
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

// alike sorts the messages of one flow, equal ones together and in their order, and has where in the list each is.
func (c *Capture) alike(list []uint32) []int32 {
	places := make([]int32, len(list))
	for i := range places {
		places[i] = int32(i)
	}
	slices.SortStableFunc(places, func(i, j int32) int { return c.messages.at(list[i]).compare(c.messages.at(list[j])) })
	return places
}

// byMessages finds the conversations that are one by the messages that they bring, among those of which datagrams do not
// tell it. What datagrams tell of the others stays.
func byMessages(a, b *Capture, sides [2][]conversation) []couple {
	if a.messages.n == 0 || b.messages.n == 0 || a.tooMany || b.tooMany {
		return nil
	}
	told := [2][]conversation{slices.Clone(sides[0]), slices.Clone(sides[1])}
	for _, list := range sides {
		for i := range list {
			list[i].contested = false
		}
	}
	found := couples(a, b, sides, func(c *Capture, flow uint32, take func(carried)) {
		for _, i := range c.brought.of(flow) {
			m := c.messages.at(i)
			take(carried{hash: m.Hash, size: m.Size, protocol: (m.Section + 1) << 8})
		}
	})
	for side, list := range sides {
		for i := range list {
			list[i].contested = list[i].contested || told[side][i].contested
			list[i].shared = max(list[i].shared, told[side][i].shared)
		}
	}
	return found
}
