package fuzz

import "context"

// supply is an enumeration in portions of a task's size. It is made beside the campaign, which waits for a portion where
// there is none yet, so that the portions do not depend on who is faster.
type supply struct {
	portions chan *auditBatch
	end      func()
}

// suppliedTasks is how many tasks of a round send the enumeration as long as it has packets: what an audit finds in some
// time a campaign finds in little more, and yet begins at once with what is left to it.
const suppliedTasks = tasksPerRound * 3 / 4

func newSupply(ctx context.Context, e *enumeration) *supply {
	ctx, end := context.WithCancel(ctx)
	s := &supply{portions: make(chan *auditBatch, suppliedTasks)}
	done := make(chan struct{})
	s.end = func() { end(); <-done }
	give := func(b *auditBatch) bool {
		select {
		case s.portions <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(done)
		defer close(s.portions)
		b := &auditBatch{}
		for at := range e.rounds(ctx) {
			if b.add(at); len(b.attacks) == packetsPerTask {
				if !give(b) {
					return
				}
				b = &auditBatch{}
			}
		}
		if len(b.attacks) > 0 {
			give(b)
		}
	}()
	return s
}

// next is the next portion, nil once there are no more and when ctx ends.
func (s *supply) next(ctx context.Context) *auditBatch {
	select {
	case b := <-s.portions:
		return b
	case <-ctx.Done():
		return nil
	}
}
