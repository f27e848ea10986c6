package main

import (
	"math/rand/v2"
)

// A game of R-Type as its server's network card sees it: two to four clients that come and go, inputs at about 30 a
// second, snapshots at 20, what happens in between, heartbeats; a few packets lost, a few doubled, and a stranger.

// Times in µs.
const (
	tick         = 1_000
	inputEvery   = 33_333
	stateEvery   = 50_000
	beatEvery    = 1_000_000
	strangeEvery = 140_000
)

const (
	width  = 1920 // px
	height = 1080
)

// player is a client and what the server knows of it.
type player struct {
	end, server endpoint
	playerState
	in bool // joined

	joins     int
	acts      int64 // when it joins or leaves next
	quiet     int64 // until when it sends nothing, as if its link were down
	nextInput int64
	nextBeat  int64
	revives   int64
	keys      uint16
	seq       uint16 // of its packets
	inputSeq  uint16
	serverSeq uint16 // of the server's packets to it
}

// game is the whole session.
type game struct {
	rng      *rand.Rand
	out      *sink
	now      int64
	players  []player
	state    state
	stranger stranger
	nextID   uint16
	buf      []byte
}

func playRType(seed uint64, out *sink) {
	g := &game{rng: rand.New(rand.NewPCG(seed, 0x5254)), out: out}
	for i := range maxPlayers {
		p := player{
			end:    endpoint{[6]byte{2, 0, 0, 0, 7, byte(10 + i)}, []byte{10, 7, 0, byte(10 + i)}, uint16(50000 + g.rng.IntN(9000))},
			server: endpoint{[6]byte{2, 0, 0, 0, 7, 1}, []byte{10, 7, 0, 1}, 4124},
			acts:   int64(100_000 + 700_000*i),
		}
		if i == maxPlayers-1 { // one of them plays over IPv6
			p.end.addr, p.server.addr = ip6(byte(10+i)), ip6(1)
		}
		p.id, p.skin = uint8(i), uint8(1+i)
		g.players = append(g.players, p)
	}
	g.stranger = newStranger(g.players[0].server)
	for ; !out.done(); g.now += tick {
		for i := range g.players {
			g.client(&g.players[i])
		}
		if g.now%stateEvery == 0 {
			g.step()
			g.snapshots()
		}
		g.stranger.act(g)
	}
}

func ip6(host byte) []byte {
	return []byte{0xfd, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host}
}

// ms is the time as messages carry it.
func (g *game) ms() uint64 { return uint64(epoch*1000 + g.now/1000) }

// message begins a message in the game's buffer.
func (g *game) message(kind, seq uint16) []byte { return header(g.buf[:0], kind, seq, g.ms()) }

func (g *game) put(at int64, from, to *endpoint, payload []byte, want verdict) {
	g.buf = payload
	g.out.send(&packet{at: at, from: from, to: to, payload: payload, want: want})
}

// fromClient sends what p says. One packet in a hundred is lost before it arrives, one in 250 arrives twice.
func (g *game) fromClient(p *player, payload []byte) bool {
	p.seq++
	at := g.now + int64(g.rng.IntN(700))
	if g.rng.IntN(100) == 0 {
		g.buf = payload
		return false
	}
	g.put(at, &p.end, &p.server, payload, verdict{})
	if g.rng.IntN(250) == 0 {
		g.put(at+int64(60+g.rng.IntN(200)), &p.end, &p.server, payload, verdict{})
	}
	return true
}

func (g *game) fromServer(p *player, kind uint16, body func([]byte) []byte) {
	b := g.message(kind, p.serverSeq)
	if body != nil {
		b = body(b)
	}
	p.serverSeq++
	g.put(g.now+int64(200+g.rng.IntN(500)), &p.server, &p.end, b, verdict{})
}

// tell sends a message to all who have joined.
func (g *game) tell(kind uint16, body func([]byte) []byte) {
	for i := range g.players {
		if g.players[i].in {
			g.fromServer(&g.players[i], kind, body)
		}
	}
}

// client lets one client do what is due.
func (g *game) client(p *player) {
	if g.now >= p.acts {
		g.joinOrLeave(p)
	}
	if !p.in || g.now < p.quiet {
		return
	}
	if g.now >= p.nextInput {
		p.nextInput = g.now + inputEvery + int64(g.rng.IntN(4000)) - 2000
		g.input(p)
	}
	if g.now >= p.nextBeat {
		p.nextBeat = g.now + beatEvery
		if g.fromClient(p, g.message(heartBeat, p.seq)) {
			g.fromServer(p, heartBeatAck, nil)
		}
		if g.rng.IntN(60) == 0 {
			p.quiet = g.now + 2_600_000 // longer than the timeout
		}
	}
}

// reasons are why a client is refused. Text from the network is shown on terminals: one of these is out to own one.
var reasons = []string{"\x1b]0;owned\x07\x1b[2J\x1b[31mroom is closed\x1b[0m", "the room is full", "unknown token"}

func (g *game) joinOrLeave(p *player) {
	if p.in {
		p.in = false
		p.acts = g.now + 2_000_000 + g.rng.Int64N(4_000_000)
		g.tell(playerLeave, func(b []byte) []byte { return append(b, p.id) })
		return
	}
	var token [32]byte
	for i := range token {
		token[i] = byte(g.rng.Uint32())
	}
	room := [...]string{"R7KQ2A", "NOVA", "BYDO42"}[g.rng.IntN(3)]
	p.joins++
	if !g.fromClient(p, appendJoin(g.message(joinGame, p.seq), &token, p.skin, room)) {
		p.acts = g.now + 500_000
		return
	}
	if p.joins == 1 && p.id == 0 || g.rng.IntN(6) == 0 {
		reason := reasons[(p.joins-1)%len(reasons)]
		g.fromServer(p, joinGameNack, func(b []byte) []byte { return appendNack(b, reason) })
		p.acts = g.now + 400_000
		return
	}
	g.fromServer(p, joinGameAck, func(b []byte) []byte { return append(b, p.id) })
	p.in = true
	p.acts = g.now + 7_000_000 + g.rng.Int64N(40_000_000)
	p.nextInput, p.nextBeat = g.now+inputEvery, g.now+beatEvery
	g.revive(p)
	g.tell(playerJoin, func(b []byte) []byte { return append(b, p.id) })
}

func (g *game) revive(p *player) {
	p.health, p.alive = 100, 1
	p.x, p.y = uint16(100+g.rng.IntN(200)), uint16(200+200*int(p.id))
}

func (g *game) input(p *player) {
	if g.rng.IntN(8) == 0 {
		p.keys = 0
		for _, k := range [...]uint16{keyUp, keyDown, keyLeft, keyRight} {
			if g.rng.IntN(3) == 0 {
				p.keys |= k
			}
		}
	}
	keys := p.keys
	shoots := p.alive == 1 && g.rng.IntN(10) == 0
	if shoots {
		keys |= keyShoot
	}
	p.inputSeq++
	if g.fromClient(p, appendInput(g.message(playerInput, p.seq), keys, p.inputSeq)) {
		p.acked = p.inputSeq
		g.move(p, keys)
	}
	if shoots && g.fromClient(p, g.message(shootMissile, p.seq)) && len(g.state.missiles) < maxMissiles {
		m := missileState{g.id(), p.id, p.x + 40, p.y}
		g.state.missiles = append(g.state.missiles, m)
		g.tell(missileSpawned, m.append)
	}
}

func (g *game) move(p *player, keys uint16) {
	x, y := int(p.x), int(p.y)
	for key, by := range [...][2]int{{0, -6}, {0, 6}, {-6, 0}, {6, 0}} {
		if keys>>key&1 != 0 {
			x, y = x+by[0], y+by[1]
		}
	}
	p.x, p.y = uint16(min(max(x, 0), width-1)), uint16(min(max(y, 0), height-1))
}

func (g *game) id() uint16 {
	g.nextID++
	return g.nextID
}

// snapshots sends every player the whole state.
func (g *game) snapshots() {
	g.state.players = g.state.players[:0]
	for i := range g.players {
		if g.players[i].in {
			g.state.players = append(g.state.players, g.players[i].playerState)
		}
	}
	g.tell(snapshotType, g.state.append)
}
