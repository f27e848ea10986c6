package fuzz

import (
	"context"
	"time"
)

// lastMinimizing is how long findings are still made simple, all together, when a run has been ended.
const lastMinimizing = 1500 * time.Millisecond

// mostLastMinimizing is how long that is at most after a campaign, which lets it have a share of what it took.
const mostLastMinimizing = 10 * time.Second

func lastOfAudit() time.Duration { return lastMinimizing }

// outlast makes a context that ends some time after another, which is asked for when that has ended.
func outlast(ctx context.Context, by func() time.Duration) (context.Context, func()) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(by(), end)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); end() }
}
