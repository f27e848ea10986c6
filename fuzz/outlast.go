package fuzz

import (
	"context"
	"time"
)

// lastMinimizing is how long findings are still made simple, all together, when a run has been ended.
const lastMinimizing = 1500 * time.Millisecond

// outlast makes a context that ends lastMinimizing after another.
func outlast(ctx context.Context) (context.Context, func()) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(lastMinimizing, end)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); end() }
}
