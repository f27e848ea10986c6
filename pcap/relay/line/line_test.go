package line

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// sent is what a line did to packets that were sent one every gap, each with its number as data.
type sent struct {
	fates []Fate
	left  []int           // numbers, in the order in which they left
	after []time.Duration // how long each of left took
	*Network
}

func send(tb testing.TB, p Profile, seed uint64, n int, gap time.Duration) *sent {
	tb.Helper()
	s := &sent{Network: NewNetwork(seed)}
	l := s.Line(p, 0)
	begin := time.Unix(1000, 0)
	now := begin
	leave := func(i int) func([]byte) {
		return func([]byte) {
			s.left = append(s.left, i)
			s.after = append(s.after, now.Sub(begin.Add(time.Duration(i)*gap)))
		}
	}
	until := func(end time.Time) {
		for at, ok := s.Next(); ok && !at.After(end); at, ok = s.Next() {
			if at.Before(now) {
				tb.Fatalf("a packet leaves at %s, and it is %s", at, now)
			}
			now = at
			if !s.Pop(now) {
				tb.Fatal("Next is due, and Pop has none")
			}
		}
	}
	for i := range n {
		at := begin.Add(time.Duration(i) * gap)
		until(at)
		now = at
		s.fates = append(s.fates, l.Send(now, make([]byte, 72), Usual, leave(i)))
	}
	until(now.Add(time.Hour))
	if s.Waiting() != 0 || s.held != 0 {
		tb.Fatalf("%d packets of %d bytes are still on the way", s.Waiting(), s.held)
	}
	return s
}

func (s *sent) count(f Fate) (n int) {
	for _, one := range s.fates {
		if one == f {
			n++
		}
	}
	return n
}

// near holds a count to within a hundredth of 100,000 packets.
func near(tb testing.TB, what string, got int, want float64) {
	tb.Helper()
	if math.Abs(float64(got)-want) > 1000 {
		tb.Errorf("%s: want about %.0f, got %d", what, want, got)
	}
}

const many = 100_000

// Each share is what was asked for, alone and all together, and what is lost is what no other setting changes.
func TestShares(t *testing.T) {
	need.OneGoroutine(t)
	all := Profile{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Drop: 0.05, Reorder: 0.02, Duplicate: 0.01}
	alone := send(t, Profile{Drop: 0.05}, 7, many, time.Millisecond)
	s := send(t, all, 7, many, time.Millisecond)
	if !slices.Equal(alone.fates, s.fates) {
		t.Error("other settings change what is lost")
	}
	near(t, "lost", s.count(Dropped), 5000)
	near(t, "reordered", int(s.Reordered), 0.02*0.95*many)
	near(t, "twice", int(s.Duplicated), 0.01*0.95*many)
	if got, want := len(s.left), s.count(Sent)+int(s.Duplicated); got != want {
		t.Errorf("%d left, want %d", got, want)
	}
	again := send(t, all, 7, many, time.Millisecond)
	other := send(t, all, 8, many, time.Millisecond)
	if !slices.Equal(s.left, again.left) || slices.Equal(s.left, other.left) {
		t.Error("a seed does not mean the same fates")
	}
}

// What Reorder holds is overtaken, by the next one that is not held itself and by no more; nothing else is.
func TestOrder(t *testing.T) {
	need.OneGoroutine(t)
	for _, p := range []Profile{{Reorder: 0.02}, {Reorder: 0.3, Delay: 30 * time.Millisecond, Jitter: 30 * time.Millisecond}} {
		s := send(t, p, 3, many, time.Millisecond)
		overtaken, last := 0, -1
		for k, i := range s.left {
			if i < last {
				overtaken++
				if k > 0 && last-i > 40 {
					t.Fatalf("%+v: packet %d left after %d", p, i, last)
				}
				continue
			}
			last = i
		}
		near(t, "overtaken", overtaken, p.Reorder*many)
		if off := int(s.Reordered) - overtaken; off < 0 || off > 3 { // the last ones have none after them
			t.Errorf("%+v: %d held, %d overtaken", p, s.Reordered, overtaken)
		}
	}
	s := send(t, Profile{Delay: 30 * time.Millisecond, Jitter: 30 * time.Millisecond, Drop: 0.1, Duplicate: 0.1}, 3, many, time.Millisecond)
	if !slices.IsSorted(s.left) {
		t.Error("jitter changes the order")
	}
}

// A packet that nothing can overtake leaves all the same.
func TestHeldAlone(t *testing.T) {
	s := send(t, Profile{Reorder: 1}, 1, 3, time.Minute)
	if len(s.left) != 3 || s.after[0] != hold {
		t.Errorf("%v left after %v", s.left, s.after)
	}
}

// Delay is the mean of what packets take that do not meet each other, and Jitter its bounds.
func TestDelay(t *testing.T) {
	s := send(t, Profile{Delay: 80 * time.Millisecond, Jitter: 20 * time.Millisecond}, 1, many, 50*time.Millisecond)
	var sum time.Duration
	least, most := time.Hour, time.Duration(0)
	for _, d := range s.after {
		sum += d
		least, most = min(least, d), max(most, d)
	}
	if mean := sum / many; mean < 79900*time.Microsecond || mean > 80100*time.Microsecond {
		t.Errorf("mean %s", mean)
	}
	if least < 60*time.Millisecond || least > 60100*time.Microsecond || most > 100*time.Millisecond || most < 99900*time.Microsecond {
		t.Errorf("from %s to %s", least, most)
	}
	for _, d := range send(t, Profile{Delay: 80 * time.Millisecond}, 1, 100, time.Millisecond).after {
		if d != 80*time.Millisecond {
			t.Fatalf("%s without jitter", d)
		}
	}
}

// Losses come in runs of Burst on average, and are Drop in all.
func TestBurst(t *testing.T) {
	need.OneGoroutine(t)
	n := need.Rounds(10, 3) * many
	for _, burst := range []float64{1, 2, 8, 50} {
		s := send(t, Profile{Drop: 0.05, Burst: burst}, 11, n, time.Millisecond)
		lost, runs := s.count(Dropped), 0
		for i, f := range s.fates {
			if f == Dropped && (i == 0 || s.fates[i-1] != Dropped) {
				runs++
			}
		}
		want := max(burst, 1/0.95) // two losses in a row by chance
		if mean := float64(lost) / float64(runs); math.Abs(mean/want-1) > 0.05 {
			t.Errorf("burst %v: %.2f in a row", burst, mean)
		}
		if share := float64(lost) / float64(n); math.Abs(share-0.05) > 0.005 {
			t.Errorf("burst %v: %.2f%% lost", burst, 100*share)
		}
	}
	if s := send(t, Profile{Drop: 1, Burst: 4}, 1, 100, time.Millisecond); s.count(Dropped) != 100 {
		t.Errorf("%d of 100 lost", s.count(Dropped))
	}
}

// A line takes what it can, makes the rest wait, and loses what would wait for too long. Each packet has 100 bytes with
// its headers.
func TestBandwidth(t *testing.T) {
	p := Profile{Bandwidth: 256_000, Queue: 200 * time.Millisecond}
	s := send(t, p, 1, many, 2*time.Millisecond) // 400 kbit/s
	near(t, "of 256 of 400 kbit/s", s.count(Sent), 0.64*many)
	if got := slices.Max(s.after); got > p.Queue+4*time.Millisecond || got < p.Queue {
		t.Errorf("a packet waited for %s", got)
	}
	s = send(t, p, 1, many, 4*time.Millisecond) // 200 kbit/s
	if s.count(Sent) != many || slices.Max(s.after) != 3125*time.Microsecond {
		t.Errorf("%d of %d, the longest in %s", s.count(Sent), many, slices.Max(s.after))
	}
}

// What is on the way is bounded.
func TestLimit(t *testing.T) {
	n := NewNetwork(1)
	n.Limit = 7200
	l := n.Line(Profile{Delay: time.Second, Duplicate: 1}, 0)
	now := time.Unix(1000, 0)
	for i := range 200 {
		want := Sent
		if i >= 50 {
			want = Crowded
		}
		if got := l.Send(now, make([]byte, 72), Usual, func([]byte) {}); got != want {
			t.Fatalf("packet %d: %v", i, got)
		}
	}
	for n.Pop(now.Add(time.Second)) {
	}
	if l.Send(now, make([]byte, 72), Usual, func([]byte) {}) != Sent || n.Waiting() != 2 {
		t.Errorf("%d on the way", n.Waiting())
	}
}

// A packet that is not delayed overtakes those that are.
func TestNotDelayed(t *testing.T) {
	n := NewNetwork(1)
	l := n.Line(Profile{Delay: time.Second}, 0)
	now := time.Unix(1000, 0)
	var left []int
	for i := range 4 {
		l.Send(now, nil, []Wish{Usual, Undelayed}[i%2], func([]byte) { left = append(left, i) })
	}
	for n.Pop(now.Add(time.Second)) {
	}
	if !slices.Equal(left, []int{1, 3, 0, 2}) {
		t.Error(left)
	}
}

// What is lost by a wish costs the others nothing: the dice fall as without it.
func TestLost(t *testing.T) {
	n, same := NewNetwork(5), NewNetwork(5)
	l, usual := n.Line(Profile{Drop: 0.3}, 0), same.Line(Profile{Drop: 0.3}, 0)
	now := time.Unix(1000, 0)
	for i := range 1000 {
		want := usual.Send(now, nil, Usual, func([]byte) {})
		wish := Usual
		if i%3 == 0 {
			wish, want = Lost, Dropped
		}
		if got := l.Send(now, nil, wish, func([]byte) {}); got != want {
			t.Fatalf("packet %d: want %v, got %v", i, want, got)
		}
	}
}

// Run lets packets leave by the clock, also those that are sent while it waits.
func TestRun(t *testing.T) {
	n := NewNetwork(1)
	l := n.Line(Profile{Delay: 10 * time.Millisecond}, 0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { n.Run(done); close(ended) }()
	left := make(chan time.Time, 3)
	for range 3 {
		begin := time.Now()
		n.Do(func() { l.Send(begin, nil, Usual, func([]byte) { left <- time.Now() }) })
		if took := (<-left).Sub(begin); took < 10*time.Millisecond {
			t.Errorf("a packet took %s", took)
		}
	}
	close(done)
	<-ended
}
