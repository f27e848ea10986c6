package batch_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/decode/batch"
)

// numbers is a batch of the tests: numbers in, squares out.
type numbers struct {
	in, out []int
}

// source fills batches of uneven size with 0 … n-1, then gives err.
func source(n int, err error) func(*numbers) error {
	next := 0
	return func(b *numbers) error {
		b.in = b.in[:0]
		for size := 1 + next%7; size > 0 && next < n; size-- {
			b.in = append(b.in, next)
			next++
		}
		if next == n {
			return err
		}
		return nil
	}
}

func square(_ int, b *numbers) {
	b.out = b.out[:0]
	for _, v := range b.in {
		if v%50 == 0 {
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) // let others overtake
		}
		b.out = append(b.out, v*v)
	}
}

func TestOrder(t *testing.T) {
	const n = 5000
	for workers := range 6 {
		var got []int
		err := batch.Run(workers, batch.Stages[numbers]{
			Fill: source(n, io.EOF), Work: square,
			Drain: func(b *numbers) error { got = append(got, b.out...); return nil },
		})
		if err != nil || len(got) != n {
			t.Fatalf("%d workers: %v, %d results", workers, err, len(got))
		}
		for i, v := range got {
			if v != i*i {
				t.Fatalf("%d workers: result %d is %d", workers, i, v)
			}
		}
	}
}

// Whatever was read before an error is worked on and drained before the error comes out.
func TestFillError(t *testing.T) {
	broken := errors.New("byte 40: cut")
	total := 0
	err := batch.Run(3, batch.Stages[numbers]{
		Fill: source(100, broken), Work: square,
		Drain: func(b *numbers) error { total += len(b.out); return nil },
	})
	if !errors.Is(err, broken) || total != 100 {
		t.Errorf("%v after %d results", err, total)
	}
}

func TestDrainStops(t *testing.T) {
	full := errors.New("no space left on device")
	for _, row := range []struct{ give, want error }{{batch.ErrStop, nil}, {fmt.Errorf("write: %w", full), full}} {
		drained := 0
		err := batch.Run(4, batch.Stages[numbers]{
			Fill: source(1<<30, io.EOF), Work: square, // as good as endless
			Drain: func(*numbers) error {
				if drained++; drained == 10 {
					return row.give
				}
				return nil
			},
		})
		if !errors.Is(err, row.want) || drained != 10 {
			t.Errorf("%v after %d batches", err, drained)
		}
	}
}

// Batches are used again: however long the input, no more than 2×workers+2 of them exist.
func TestBatchesAreBounded(t *testing.T) {
	var made atomic.Int64
	err := batch.Run(3, batch.Stages[*numbers]{
		Fill: func() func(**numbers) error {
			left := 1000
			return func(b **numbers) error {
				if *b == nil {
					made.Add(1)
					*b = &numbers{}
				}
				if left--; left == 0 {
					return io.EOF
				}
				return nil
			}
		}(),
		Work:  func(int, **numbers) { time.Sleep(10 * time.Microsecond) },
		Drain: func(**numbers) error { return nil },
	})
	if n := made.Load(); err != nil || n > 8 {
		t.Errorf("%v, %d batches", err, n)
	}
}

// A goroutine that is left in the bubble fails the test.
func TestNoGoroutineIsLeft(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		for range 50 {
			_ = batch.Run(4, batch.Stages[numbers]{Fill: source(1<<30, io.EOF), Work: square, Drain: func(*numbers) error { return batch.ErrStop }})
		}
	})
}

func BenchmarkRun(b *testing.B) {
	n := 0
	b.ReportAllocs()
	_ = batch.Run(2, batch.Stages[numbers]{
		Fill: func(*numbers) error {
			if n++; n > b.N {
				return io.EOF
			}
			return nil
		},
		Work: func(int, *numbers) {}, Drain: func(*numbers) error { return nil },
	})
}

// A panic in any stage is one of Run, which who calls it can recover from, and says where it was: while another stage
// waits, too.
func TestPanics(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	for name, stages := range map[string]batch.Stages[int]{
		"fill":  {Fill: func(*int) error { panic("it broke") }, Work: func(int, *int) {}, Drain: func(*int) error { return nil }},
		"work":  {Fill: func(*int) error { return nil }, Work: func(int, *int) { panic("it broke") }, Drain: func(*int) error { return nil }},
		"drain": {Fill: func(*int) error { return nil }, Work: func(int, *int) {}, Drain: func(*int) error { panic("it broke") }},
		"work, while Fill waits": {Feed: func(in *batch.Input[int]) error {
			in.Next()
			in.Send()
			<-blocked
			return nil
		}, Work: func(int, *int) { panic("it broke") }, Drain: func(*int) error { return nil }},
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "it broke") || name != "drain" && !strings.Contains(r, "batch_test.go") {
					t.Errorf("%s: %q", name, r)
				}
			}()
			_ = batch.Run(3, stages)
			t.Errorf("%s: no panic", name)
		}()
	}
}
