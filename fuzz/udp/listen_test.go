package udp

import (
	"testing"
	"time"
)

// How long a cell waits for an answer follows the sessions that were begun before it, also those of the same trial.
func TestStatesListen(t *testing.T) {
	talk := &talking{}
	s := &stateTrial{t: &Target{talk: talk}}
	for _, row := range []struct {
		begun int
		join  time.Duration
		want  time.Duration
	}{
		{0, 0, leastListening},
		{1, time.Millisecond, leastListening},
		{2, 80 * time.Millisecond, 160 * time.Millisecond},
		{3, 3 * time.Second, mostListening},
	} {
		talk.counted.Begun, talk.counted.Join = row.begun, row.join
		if got := s.listen(); got != row.want {
			t.Errorf("%d sessions begun in %v: %v, want %v", row.begun, row.join, got, row.want)
		}
	}
}
