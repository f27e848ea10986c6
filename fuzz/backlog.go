package fuzz

import (
	"context"
	"sync"
	"time"
)

// backlog minimizes the findings of a campaign, one after the other, while the campaign goes on. It gets them in the
// order in which the campaign met them, and what becomes of them depends on nothing else, as long as the time suffices.
//
// While the campaign runs, minimizing has a share of the time. At the end the rest is minimized, as far as the time for
// that reaches; a finding that was not minimized says so (Undone).
type backlog struct {
	c      *Campaign
	m      *Minimizer
	ctx    context.Context // of trials
	met    map[string]*meeting
	begun  time.Time
	hurry  chan struct{} // closed when the campaign has ended: nothing waits any more for its share
	ended  chan struct{} // closed when all is minimized
	resume time.Time     // since when the finding at hand is minimized
	spent  time.Duration // minimizing others
	vain   time.Duration // of it, on packets in which no cause was found

	mu      sync.Mutex
	changed *sync.Cond
	waiting []*Finding // in order
	long    int        // of these, those with what the target had before
	busy    bool       // one is being minimized
	closed  bool       // there will be no others

	at     map[string]int // index in all, by Key: as it was met, and as it was minimized
	all    []*Finding     // none changes once it is here
	more   []int          // packets beyond its Count that showed each of all
	news   bool           // the campaign has not seen what is in all
	lost   int            // findings beyond MaxFindings
	failed error          // a target's; no more is minimized after it
}

// meeting is what the campaign handed over of the packets that show the same, as they were met.
type meeting struct {
	handed, least int // packets, and the bytes of the smallest
	count         int // packets that were not handed over
}

// Bounds of a backlog.
const (
	minimizingShare = 5 // minimizing has one part in so many of the time, and this at first
	minimizingFirst = 200 * time.Millisecond
	causesInVain    = 500 * time.Millisecond // with so much of it no cause is looked for in further packets that show the same
	maxAgain        = 64                     // packets of one finding that are handed over
	maxHistories    = 64                     // waiting findings that have what the target had before; further ones are only tried alone
)

func newBacklog(ctx context.Context, c *Campaign, m *Minimizer) *backlog {
	b := &backlog{c: c, m: m, ctx: ctx, met: map[string]*meeting{}, at: map[string]int{}, begun: time.Now(),
		hurry: make(chan struct{}), ended: make(chan struct{})}
	b.changed = sync.NewCond(&b.mu)
	if !c.Sole { // else the one target has the packets of trials between rounds
		m.pause = b.pause
		go b.work()
	}
	return b
}

// add hands a finding over, unless enough packets show the same.
func (b *backlog) add(f *Finding) {
	key := f.Key()
	met := b.met[key]
	if met == nil {
		if len(b.met) == MaxFindings {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.lost++
			return
		}
		met = &meeting{least: len(f.Packet)}
		b.met[key] = met
	} else if met.handed == maxAgain || b.c.NotRestartable || !f.varied() && 2*len(f.Packet) > met.least {
		met.count += f.Count
		return
	}
	met.handed++
	met.least = min(met.least, len(f.Packet))
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(f.sent) > 0 {
		if b.long == maxHistories && !b.c.NotRestartable {
			f.sent = nil
		} else {
			b.long++
		}
	}
	b.waiting = append(b.waiting, f)
	b.changed.Broadcast()
}

// work minimizes findings until there will be no others.
func (b *backlog) work() {
	defer close(b.ended)
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.waiting) == 0 {
			if b.closed {
				return
			}
			b.changed.Wait()
		}
		b.next()
	}
}

// next minimizes the finding that waits longest.
func (b *backlog) next() {
	f := b.waiting[0]
	b.waiting, b.busy = b.waiting[1:], true
	if len(f.sent) > 0 {
		b.long--
	}
	b.minimize(f)
	b.busy = false
}

// minimize minimizes a finding, without the lock, and takes in what becomes of it.
func (b *backlog) minimize(f *Finding) {
	key, count := f.Key(), f.Count
	known, again := b.at[key]
	if again && f.varied() {
		if i, ok := b.at[b.keyOfCause(f)]; ok {
			b.more[i] += count
			return
		}
		if b.vain >= causesInVain {
			b.more[known] += count
			return
		}
	}
	switch {
	case again && !f.varied() && (f.loose() || !b.all[known].loose()) &&
		(len(b.all[known].Packet) <= len(f.Packet) || len(b.all[known].Before) > 0):
		b.more[known] += count
		return
	case !again && len(b.all) >= MaxFindings:
		b.lost++
		return
	case b.c.NotRestartable || b.failed != nil || f.InState():
		f.keepSent()
		b.settle(key, f, count)
		return
	}
	b.mu.Unlock()
	b.resume = time.Now()
	least, err := b.m.Minimize(b.ctx, f)
	took := time.Since(b.resume)
	if b.spent += took; f.varied() && least.Cause == "" {
		b.vain += took
	}
	b.mu.Lock()
	b.failed = err
	if !again || f.varied() {
		b.settle(key, least, count)
		return
	}
	b.more[known] += count
	if all := b.all; err == nil && least.better(all[known]) && least.Key() == all[known].Key() {
		least.Count = all[known].Count
		all[known], b.news = least, true
	}
}

// keyOfCause is the Key of a finding that has the same cause, as far as its packet tells without a trial; "" for none.
func (b *backlog) keyOfCause(f *Finding) string {
	same := Finding{Kind: f.Kind, Cause: b.m.hasCause(f.Packet, f.From)}
	if same.Cause == "" {
		return ""
	}
	return same.Key()
}

// settle takes in a finding that was met under a key, and that count packets showed. What two packets changed may be
// one mistake after all, once they are minimal.
func (b *backlog) settle(key string, f *Finding, count int) {
	i, known := b.at[f.Key()]
	if known {
		b.more[i] += count
		if places := placesWith(b.all[i].Places, f.Places...); len(places) > len(b.all[i].Places) {
			same := *b.all[i]
			same.Places = places
			b.all[i] = &same
		}
	} else {
		i = len(b.all)
		b.all, b.more, b.at[f.Key()] = append(b.all, f), append(b.more, 0), i
	}
	if _, met := b.at[key]; !met {
		b.at[key] = i
	}
	b.news = true
}

// overdrawn is how long it takes until a time that minimizing took is no more than its share.
func (b *backlog) overdrawn(took time.Duration) time.Duration {
	return minimizingShare*(took-minimizingFirst) - time.Since(b.begun)
}

// pause waits while minimizing has had more than its share of the time, and returns how long it waited.
func (b *backlog) pause() time.Duration {
	now := time.Now()
	wait := b.overdrawn(b.spent + now.Sub(b.resume))
	if wait <= 0 {
		return 0
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.hurry:
	case <-b.ctx.Done():
	}
	waited := time.Since(now)
	b.resume = b.resume.Add(waited)
	return waited
}

// take brings the campaign's state up to date, and calls Found for findings that it has not had.
func (b *backlog) take(s *CampaignState) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.c.Sole && len(b.waiting) > 0 && (b.closed || b.overdrawn(b.spent) <= 0) {
		b.next()
	}
	s.Pending, s.Lost = len(b.waiting), b.lost
	if b.busy {
		s.Pending++
	}
	if !b.news {
		return b.failed
	}
	b.news = false
	told := len(s.Findings)
	s.Findings = make([]*Finding, len(b.all))
	for i, f := range b.all {
		f := *f
		f.Count += b.more[i]
		s.Findings[i] = &f
	}
	for _, f := range s.Findings[told:] {
		if b.c.Found != nil {
			if err := b.c.Found(f); err != nil {
				return err
			}
		}
	}
	return b.failed
}

// finish minimizes what is left, as far as the time reaches, and brings the campaign's state up to date.
func (b *backlog) finish(s *CampaignState) error {
	close(b.hurry)
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	if !b.c.Sole {
		<-b.ended
	}
	if err := b.take(s); err != nil {
		return err
	}
	for key, met := range b.met {
		if i, ok := b.at[key]; ok {
			b.more[i] += met.count
		}
	}
	b.news = true
	return b.take(s)
}
