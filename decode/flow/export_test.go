package flow

import "fmt"

// Check recounts what a Session's table holds.
func (s *Session) Check() error {
	for n, sh := range s.table.shards {
		if sh == nil {
			continue
		}
		if err := sh.check(); err != nil {
			return fmt.Errorf("shard %d: %w", n, err)
		}
		if sh.open.First() != nil {
			return fmt.Errorf("shard %d: a message is open after Flush", n)
		}
	}
	return nil
}

// HeldOf is what a session's table holds.
func HeldOf(s *Session) int { return s.table.Held() }
