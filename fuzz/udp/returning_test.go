package udp

import (
	"testing"
	"time"
)

// What a server hangs on, or locks out for, is waited for as long as a client tries to come back, once. Then three seconds
// are enough, and where it is tried again one; never more than was asked for.
func TestReturning(t *testing.T) {
	for _, row := range []struct {
		of                  time.Duration
		trial, sought, shut bool
		want                time.Duration
	}{
		{10 * time.Second, false, false, false, 10 * time.Second},
		{10 * time.Second, false, false, true, 3 * time.Second},
		{10 * time.Second, true, false, false, time.Second},
		{10 * time.Second, false, true, true, time.Second},
		{200 * time.Millisecond, true, true, true, 200 * time.Millisecond},
		{2 * time.Second, false, false, true, 2 * time.Second},
	} {
		target := &Target{o: Options{Return: row.of}, trial: row.trial, sought: row.sought, talk: &talking{shut: row.shut}}
		if got := target.returning(); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
