package lsp

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
)

// maxQueued is how many bytes of messages wait for the worker before the reader waits, too. Each message counts its body
// and overhead, what a message without a body occupies.
const (
	maxQueued = 2 * maxMessage
	overhead  = 256
)

// queue has the messages that were read and not handled: the reader sees what cannot wait, `shutdown`, `exit` and a
// request that is cancelled, while the worker is busy.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	list    []*message
	bytes   int
	busy    bool // the worker handles one, or what comes of it
	closed  bool
}

func newQueue() *queue {
	q := &queue{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// push waits where too much is waiting.
func (q *queue) push(m *message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > 0 && q.bytes+m.size > maxQueued && !q.closed {
		q.changed.Wait()
	}
	q.list = append(q.list, m)
	q.bytes += m.size
	q.changed.Broadcast()
}

// pop gives the next message, nil where there is none any more. Where it has to wait for one it calls idle first.
func (q *queue) pop(idle func()) *message {
	if !q.waiting() {
		idle()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	q.changed.Broadcast()
	for len(q.list) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil
	}
	m := q.list[0]
	q.list, q.bytes, q.busy = q.list[1:], q.bytes-m.size, true
	q.changed.Broadcast()
	return m
}

// waiting reports whether the worker has something else to do than to be idle: a message, or the end.
func (q *queue) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list) > 0 || q.closed
}

// cancel marks a request that still waits.
func (q *queue) cancel(id json.RawMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range q.list {
		m.cancelled = m.cancelled || len(id) > 0 && bytes.Equal(m.ID, id)
	}
}

// wait waits until all is handled, for at most a time.
func (q *queue) wait(most time.Duration) {
	late := false
	timer := time.AfterFunc(most, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		late = true
		q.changed.Broadcast()
	})
	defer timer.Stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for (len(q.list) > 0 || q.busy) && !late {
		q.changed.Wait()
	}
}

// close ends the worker after what it is in.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
