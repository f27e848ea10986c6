package main

import "slices"

// What flies about in the game: missiles, enemies and what happens when they meet.

// step moves the world by one state's time.
func (g *game) step() {
	g.fly()
	g.spawn()
	g.hits()
	g.hurt()
	for i := range g.players {
		if p := &g.players[i]; p.in && p.alive == 0 && g.now >= p.revives {
			g.revive(p)
		}
	}
}

// fly moves everything and drops what leaves the screen.
func (g *game) fly() {
	s := &g.state
	for i := range s.missiles {
		s.missiles[i].x += 48
	}
	for i := range s.enemies {
		e := &s.enemies[i]
		e.x -= min(e.x, 14)
		e.y = uint16(min(max(int(e.y)+g.rng.IntN(13)-6, 0), height-1))
	}
	for i := range s.enemyMissiles {
		s.enemyMissiles[i].x -= min(s.enemyMissiles[i].x, 36)
	}
	s.missiles = slices.DeleteFunc(s.missiles, func(m missileState) bool {
		gone := m.x >= width
		if gone {
			g.destroyed(missileDestroyed, m.id)
		}
		return gone
	})
	s.enemies = slices.DeleteFunc(s.enemies, func(e enemyState) bool { return e.x == 0 })
	s.enemyMissiles = slices.DeleteFunc(s.enemyMissiles, func(m missileState) bool { return m.x == 0 })
}

func (g *game) destroyed(kind, id uint16) {
	g.tell(kind, func(b []byte) []byte { return be.AppendUint16(b, id) })
}

func (g *game) spawn() {
	s := &g.state
	if len(s.enemies) < maxEnemies && g.rng.IntN(6) == 0 {
		kind := uint8(g.rng.IntN(5))
		s.enemies = append(s.enemies, enemyState{g.id(), width - 1, uint16(g.rng.IntN(height)), 20 + 20*kind, kind})
	}
	for i := range s.enemies {
		if len(s.enemyMissiles) < maxMissiles && g.rng.IntN(32) == 0 {
			e := &s.enemies[i]
			m := missileState{g.id(), noOwner, e.x, e.y}
			s.enemyMissiles = append(s.enemyMissiles, m)
			g.tell(missileSpawned, m.append)
		}
	}
}

func near(x, y, x2, y2 uint16) bool {
	dx, dy := int(x)-int(x2), int(y)-int(y2)
	return dx*dx+dy*dy < 50*50
}

// hits lets missiles hit enemies.
func (g *game) hits() {
	s := &g.state
	s.missiles = slices.DeleteFunc(s.missiles, func(m missileState) bool {
		for i := range s.enemies {
			e := &s.enemies[i]
			if !near(m.x, m.y, e.x, e.y) {
				continue
			}
			e.health -= min(e.health, 20)
			g.destroyed(missileDestroyed, m.id)
			if e.health == 0 {
				g.destroyed(enemyDestroyed, e.id)
				s.enemies = slices.Delete(s.enemies, i, i+1)
			}
			return true
		}
		return false
	})
}

// hurt lets enemy missiles hit players.
func (g *game) hurt() {
	s := &g.state
	s.enemyMissiles = slices.DeleteFunc(s.enemyMissiles, func(m missileState) bool {
		for i := range g.players {
			p := &g.players[i]
			if !p.in || p.alive == 0 || !near(m.x, m.y, p.x, p.y) {
				continue
			}
			damage := uint8(10 + g.rng.IntN(30))
			p.health -= min(p.health, damage)
			g.tell(playerDamaged, func(b []byte) []byte { return appendDamage(b, p.id, damage, p.health) })
			if p.health == 0 {
				p.alive, p.revives = 0, g.now+3_000_000
				g.tell(playerDied, func(b []byte) []byte { return append(b, p.id) })
			}
			return true
		}
		return false
	})
}
