package batch_test

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/batch"
)

const fullBatch = 256

// feed sends 0 … n-1, a batch whenever it is full or idle says so, and fills up what no worker has begun.
func feed(n int, idle func() bool) func(in *batch.Input[numbers]) error {
	return func(in *batch.Input[numbers]) error {
		var b *numbers
		for i := range n {
			if b == nil {
				b = in.Again(func(b *numbers) bool { return len(b.in) < fullBatch })
			}
			if b == nil {
				if b = in.Next(); b == nil {
					return nil
				}
				b.in = b.in[:0]
			}
			b.in = append(b.in, i)
			if len(b.in) == fullBatch || idle() {
				in.Send()
				b = nil
			}
		}
		if b != nil {
			in.Send()
		}
		return io.EOF
	}
}

// The order is kept and nothing is lost, however feeding and working interleave.
func TestFeed(t *testing.T) {
	const n = 20_000
	for workers := range 4 {
		random, got := rand.New(rand.NewPCG(1, 2)), 0
		err := batch.Run(workers, batch.Stages[numbers]{
			Feed: feed(n, func() bool { return random.IntN(3) == 0 }), Queue: 5, Work: square,
			Drain: func(b *numbers) error {
				if len(b.in) == 0 || len(b.in) > fullBatch || len(b.in) != len(b.out) {
					t.Errorf("a batch of %d, %d results", len(b.in), len(b.out))
				}
				for _, v := range b.in {
					if v != got {
						t.Fatalf("want %d, got %d", got, v)
					}
					got++
				}
				return nil
			},
		})
		if err != nil || got != n {
			t.Errorf("%d workers: %v, %d of %d", workers, err, got, n)
		}
	}
}

// While nothing is drained, what comes one by one fills the batches that wait, each to the full; then Feed waits, until
// nobody wants more.
func TestQueueIsFilled(t *testing.T) {
	const queue, workers = 10, 1
	fed, blocked := 0, make(chan struct{})
	most := queue*fullBatch + 2*workers + 2 // those that were begun have one each at least
	err := batch.Run(workers, batch.Stages[numbers]{
		Queue: queue,
		Feed: feed(1<<30, func() bool {
			if fed++; fed == most {
				close(blocked)
			}
			return true
		}),
		Work: func(int, *numbers) {},
		Drain: func(*numbers) error {
			<-blocked
			return batch.ErrStop
		},
	})
	if err != nil || fed < most {
		t.Errorf("%v, %d fed", err, fed)
	}
}

// While each batch is drained before the next is sent, the same one is filled again, however many may wait.
func TestDrainedBatchIsNext(t *testing.T) {
	const n = 200
	made, drained := 0, make(chan struct{}, 1)
	err := batch.Run(2, batch.Stages[*numbers]{
		Queue: 50,
		Feed: func(in *batch.Input[*numbers]) error {
			for range n {
				b := in.Next()
				if *b == nil {
					made++
					*b = new(numbers)
				}
				in.Send()
				<-drained
			}
			return io.EOF
		},
		Work:  func(int, **numbers) {},
		Drain: func(**numbers) error { drained <- struct{}{}; return nil },
	})
	if err != nil || made > 2 { // Next can come before a batch that Drain has let go is back
		t.Errorf("%v, %d batches made of %d", err, made, n)
	}
}
