package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
)

// enetPacket is what the schema says that is in a packet.
type enetPacket struct {
	numbers  map[string]uint64
	commands []enetCommand
	// What became of it: it was ignored as a whole, or the kinds of its commands that the host took.
	ignored bool
	taken   []string
}

type enetCommand struct {
	kind    string
	numbers map[string]uint64
	data    []byte
}

func (p *enetPacket) address() [2]uint64 {
	return [2]uint64{p.numbers["peer"], p.numbers["session"]}
}

// fragments counts them; several tells that none is the only one of its message.
func (p *enetPacket) fragments() (n int, several bool) {
	several = true
	for _, c := range p.commands {
		if strings.HasSuffix(c.kind, "Fragment") {
			n++
			several = several && c.numbers["body.count"] > 1
		}
	}
	return n, several && n > 0
}

func readENet(trace *decode.Trace) enetPacket {
	p := enetPacket{numbers: map[string]uint64{}}
	for f := range trace.Fields() {
		path, numbers := f.Path(), p.numbers
		if rest, ok := strings.CutPrefix(path, "commands["); ok {
			number, name, _ := strings.Cut(rest, "].")
			n, err := strconv.Atoi(number)
			if err != nil {
				panic(path)
			}
			if n == len(p.commands) {
				p.commands = append(p.commands, enetCommand{numbers: map[string]uint64{}})
			}
			c := &p.commands[n]
			path, numbers = name, c.numbers
			if path == "command" {
				c.kind = f.Value().CaseName()
			}
			if path == "body.data" {
				c.data = f.Value().Bytes()
				continue
			}
		}
		if path != "data" {
			numbers[path] = f.Value().Uint()
		}
	}
	return p
}

// steer is a packet with other numbers, by path.
type steer struct {
	decode.Source
	codes map[string]uint64
}

func (s steer) Code(q *decode.Query) (uint64, error) {
	code, err := s.Source.Code(q)
	if other, ok := s.codes[q.Path()]; ok {
		code = other
	}
	return code, err
}

// enetNobody is the peer in the header of who is not connected.
const enetNobody = 4095

// greets reports whether a packet can be given to a host as one that asks for a connection. What acknowledges in the
// same packet is left out: whether that ends the reading depends on the time of day.
func (p *enetPacket) greets() bool {
	return len(p.commands) > 0 && p.commands[0].kind == "Connect" &&
		!slices.ContainsFunc(p.commands, func(c enetCommand) bool { return c.kind == "Acknowledge" })
}

// Channels from enetReliable on have a fragmented message each, so none waits for another's.
const (
	enetPlain      = 8
	enetReliable   = enetPlain
	enetUnreliable = enetReliable + 32
	enetChannels   = enetUnreliable + 32
)

// packet steers a packet to the peer of a host, most numbers to what the host takes next, some to what it has had, and
// some to another peer. Raw fragments keep their numbers but the first.
func (s steer) packet(p *enetPacket, m *enetModel, random *rand.Rand, raw bool) {
	m = m.clone()
	set := func(numbers map[string]uint64, path, name string, code uint64) {
		numbers[name], s.codes[path+name] = code, code
	}
	if p.greets() {
		set(p.numbers, "", "peer", enetNobody)
		set(p.commands[0].numbers, "commands[0].", "body.to.peer", 8+p.commands[0].numbers["body.to.peer"]%4000)
		return
	}
	fragments, _ := p.fragments()
	peer, session := m.to[0], m.to[1]
	if stray := random.IntN(24); fragments == 0 && stray == 0 && p.numbers["peer"] >= 8 && p.numbers["peer"] != enetNobody {
		peer = p.numbers["peer"]
	} else if fragments == 0 && stray == 1 {
		session ^= 1
	}
	set(p.numbers, "", "peer", peer)
	set(p.numbers, "", "session", session)
	for i := range p.commands {
		c := &p.commands[i]
		set := func(name string, code uint64) { set(c.numbers, fmt.Sprintf("commands[%d].", i), name, code) }
		n, stale, wrong, order := c.numbers, random.IntN(8) == 0, random.IntN(32) == 0, random.Uint64N(2)
		if n["channel"] < enetChannels || enetSends[c.kind] != nil && !wrong {
			set("channel", n["channel"]%enetPlain)
		}
		first := uint64(enetReliable)
		switch c.kind {
		case "UnreliableFragment":
			first = enetUnreliable
			fallthrough
		case "Fragment":
			set("channel", first+uint64(i))
			channel := &m.channels[first+uint64(i)]
			start := channel.reliable + 1
			if first == enetUnreliable {
				start = channel.unreliable + 1
				set("sequence", channel.reliable)
			}
			set("body.start", start)
			if !raw {
				if open := channel.open[start]; open != nil && open.got[order] {
					order = 1 - order
				}
				set("body.count", 2)
				set("body.number", order)
				set("body.total", 2*n["body.length"])
				set("body.offset", order*n["body.length"])
			}
			if first == enetReliable {
				set("sequence", start+n["body.number"]%1000)
			}
		default:
			if n["channel"] >= enetChannels {
				break
			}
			channel := &m.channels[n["channel"]]
			set("sequence", channel.reliable+1+n["sequence"]%1000) // it does not acknowledge what is far ahead
			switch next := channel.unreliable + 1 + n["body.unreliable"]%500; {
			case c.kind == "Unsequenced" && !stale:
				set("body.group", (m.group+1+n["body.group"]%300)&0xffff)
			case c.kind == "Unsequenced":
				set("body.group", m.group)
			case c.kind == "Unreliable":
				set("sequence", channel.reliable)
				if stale || next > 0xffff {
					next = channel.unreliable
				}
				set("body.unreliable", next)
			case c.kind == "Reliable" && stale:
				set("sequence", channel.reliable)
			case c.kind == "Reliable":
				set("sequence", channel.reliable+1)
			}
		}
		if !m.command(p, c) {
			return
		}
	}
}

// What a peer is to the host.
const (
	enetConnected = iota
	enetLeaving   // it said so and waits for an acknowledgement
	enetGone
)

// enetModel is what a host knows of a peer, as far as packets that are steered tell the difference.
type enetModel struct {
	to, back [2]uint64 // peer and session in the headers of the peer, and in the host's
	phase    int
	user     uint64 // what the peer said when it left
	channels [enetChannels]enetChannel
	group    uint64
	groups   map[uint64]bool
	waiting  uint64 // bytes of messages that it holds
	given    uint64 // how many of those it gives out, when it has read the datagram
	state    [5]uint64

	events, acks []string
}

type enetChannel struct {
	reliable, unreliable uint64
	open                 map[uint64]*enetMessage
}

type enetMessage struct {
	count uint64
	data  []byte
	got   map[uint64]bool
}

func (m *enetModel) clone() *enetModel {
	c := *m
	c.groups = maps.Clone(m.groups)
	for i := range c.channels {
		c.channels[i].open = maps.Clone(c.channels[i].open) // messages are replaced, not changed
	}
	return &c
}

// take takes a datagram and returns what the host does: what it gives out, acknowledges, and what it keeps.
func (m *enetModel) take(p *enetPacket) []string {
	m.events, m.acks = nil, nil
	if p.numbers["peer"] == enetNobody && p.greets() {
		return append(m.greet(p), m.keeps()...)
	}
	p.ignored = p.numbers["compressed"] == 1 || p.address() != m.to
	if !p.ignored {
		for i := range p.commands {
			if !m.command(p, &p.commands[i]) {
				break
			}
			p.taken = append(p.taken, p.commands[i].kind)
		}
	}
	m.waiting, m.given = m.waiting-m.given, 0
	if m.phase == enetGone || m.phase == enetLeaving && len(m.acks) > 0 {
		m.events = append(m.events, fmt.Sprintf("disconnect %d", m.user))
	}
	return slices.Concat(m.events, m.acks, m.keeps())
}

func (m *enetModel) keeps() []string {
	if m.phase != enetConnected {
		return nil
	}
	return []string{"state " + strings.Trim(fmt.Sprint(m.state), "[]")}
}

// greet takes a packet that asks for a connection: both sessions go on by one, and what the host has less of than the
// peer is what it grants.
func (m *enetModel) greet(p *enetPacket) []string {
	for i, c := range p.commands {
		if c.kind == "Disconnect" {
			return nil
		}
		if i > 0 && c.kind != "VerifyConnect" || c.numbers["acknowledge"] == 1 && p.numbers["has_time"] == 0 {
			break
		}
		p.taken = append(p.taken, c.kind)
	}
	n := maps.Clone(p.commands[0].numbers)
	verify := enetPacket{numbers: map[string]uint64{"peer": n["body.to.peer"]}, commands: []enetCommand{{numbers: n}}}
	stranger := "stranger" + numbersOf(n, "body.to.", "incoming_bandwidth", "outgoing_bandwidth", "interval", "acceleration", "deceleration") + numbersOf(n, "body.", "user")
	n["body.to.peer"] = m.to[0] + 1
	n["body.to.incoming_session"] = (n["body.to.incoming_session"] + 1) & 3
	n["body.to.outgoing_session"] = (n["body.to.outgoing_session"] + 1) & 3
	n["body.to.mtu"] = min(max(n["body.to.mtu"], 576), 4096)
	n["body.to.window"] = min(max(n["body.to.window"], 4096), 65536)
	n["body.to.channels"] = min(n["body.to.channels"], enetChannels)
	n["body.to.incoming_bandwidth"], n["body.to.outgoing_bandwidth"] = 0, 0
	verify.numbers["session"] = n["body.to.incoming_session"]
	return []string{verify.grants(), stranger}
}

// grants is a line of what a host says to who asked for a connection.
func (p *enetPacket) grants() string {
	return "grants" + numbersOf(p.numbers, "", "peer", "session") + numbersOf(p.commands[0].numbers, "body.to.", "peer", "incoming_session",
		"outgoing_session", "mtu", "window", "channels", "incoming_bandwidth", "outgoing_bandwidth", "interval", "acceleration", "deceleration", "connect_id")
}

func numbersOf(numbers map[string]uint64, path string, names ...string) (text string) {
	for _, name := range names {
		text += fmt.Sprintf(" %d", numbers[path+name])
	}
	return text
}

// command takes one command, and tells whether the host looks at the next one.
func (m *enetModel) command(p *enetPacket, c *enetCommand) bool {
	n := c.numbers
	switch c.kind {
	case "Connect": // it is connected
		return false
	case "Acknowledge", "VerifyConnect":
	case "Disconnect":
		if m.phase != enetConnected {
			break
		}
		m.events, m.acks, m.user, m.phase = nil, nil, n["body.user"], enetGone
		if n["acknowledge"] == 1 {
			m.phase = enetLeaving
		}
	default:
		if m.phase != enetConnected {
			return false
		}
		if send := enetSends[c.kind]; send != nil && (n["channel"] >= enetChannels || !send(m, &m.channels[n["channel"]], c)) {
			return false
		}
		if c.kind == "BandwidthLimit" {
			m.state[0], m.state[1] = n["body.incoming_bandwidth"], n["body.outgoing_bandwidth"]
		} else if c.kind == "ThrottleConfigure" {
			m.state[2], m.state[3], m.state[4] = n["body.interval"], n["body.acceleration"], n["body.deceleration"]
		}
	}
	if n["acknowledge"] == 1 {
		if p.numbers["has_time"] == 0 {
			return false
		}
		if m.phase == enetConnected || m.phase == enetLeaving && c.kind == "Disconnect" {
			m.acks = append(m.acks, fmt.Sprintf("ack %d %d %d %d", n["channel"], n["sequence"], n["sequence"], p.numbers["sent_time"]))
		}
	}
	return true
}

// enetSends are the commands that carry data. They tell whether the host takes them, even to throw them away.
var enetSends = map[string]func(*enetModel, *enetChannel, *enetCommand) bool{
	"Reliable": func(m *enetModel, ch *enetChannel, c *enetCommand) bool {
		if c.numbers["sequence"] == ch.reliable {
			return true
		}
		if !m.hold(uint64(len(c.data))) {
			return false
		}
		ch.reliable, ch.unreliable = c.numbers["sequence"], 0
		m.give(c, 1, c.data)
		return true
	},
	"Unreliable": func(m *enetModel, ch *enetChannel, c *enetCommand) bool {
		if c.numbers["body.unreliable"] <= ch.unreliable {
			return true
		}
		if !m.hold(uint64(len(c.data))) {
			return false
		}
		ch.unreliable = c.numbers["body.unreliable"]
		m.give(c, 0, c.data)
		return true
	},
	"Unsequenced": func(m *enetModel, _ *enetChannel, c *enetCommand) bool {
		group := c.numbers["body.group"]
		if m.groups[group] {
			return true
		}
		if !m.hold(uint64(len(c.data))) {
			return false
		}
		m.group, m.groups[group] = group, true
		m.give(c, 2, c.data)
		return true
	},
	"Fragment": func(m *enetModel, ch *enetChannel, c *enetCommand) bool {
		message := m.fragment(ch, c)
		if message != nil && uint64(len(message.got)) == message.count {
			ch.reliable, ch.unreliable = ch.reliable+message.count, 0
			m.give(c, 1, message.data)
		}
		return message != nil
	},
	"UnreliableFragment": func(m *enetModel, ch *enetChannel, c *enetCommand) bool {
		message := m.fragment(ch, c)
		if message != nil && uint64(len(message.got)) == message.count {
			ch.unreliable = c.numbers["body.start"]
			m.give(c, 8, message.data)
		}
		return message != nil
	},
}

// hold keeps a message until it is given out, unless too much waits already.
func (m *enetModel) hold(size uint64) bool {
	if m.waiting >= 32<<20 {
		return false
	}
	m.waiting += size
	return true
}

// give gives out a message that is held.
func (m *enetModel) give(c *enetCommand, flags int, data []byte) {
	m.given += uint64(len(data))
	m.events = append(m.events, fmt.Sprintf("receive %d %d %x", c.numbers["channel"], flags, data))
}

// fragment adds a fragment to its message, nil where the host refuses it.
func (m *enetModel) fragment(ch *enetChannel, c *enetCommand) *enetMessage {
	n := c.numbers
	message := enetMessage{count: n["body.count"], got: map[uint64]bool{}}
	if old := ch.open[n["body.start"]]; old != nil {
		if old.count != n["body.count"] || uint64(len(old.data)) != n["body.total"] {
			return nil
		}
		message.data, message.got = append(message.data, old.data...), maps.Clone(old.got)
	} else if !m.hold(n["body.total"]) {
		return nil
	} else {
		message.data = make([]byte, n["body.total"])
	}
	message.got[n["body.number"]] = true
	copy(message.data[n["body.offset"]:], c.data)
	if ch.open == nil {
		ch.open = map[uint64]*enetMessage{}
	}
	ch.open[n["body.start"]] = &message
	return &message
}
