package report

import (
	"math"
	"testing"
	"time"
)

// A stamp appends what package time does, whatever came before.
func TestStamp(t *testing.T) {
	half := time.FixedZone("half", -3*3600-1800)
	for _, row := range []struct {
		layout string
		in     *time.Location
	}{{jsonTime, time.UTC}, {treeTime, time.UTC}, {lineTime, time.UTC}, {lineTime, half}, {"2006-01-02 " + lineTime, half}} {
		s := newStamp(row.layout, row.in)
		for _, ns := range []int64{0, 1, 999_999_999, 1_000_000_000, 1_717_264_800_100_445_000, 1_717_264_800_999_999_999, 1_717_264_801_000_000_000,
			-1, -1_000_000_000, -1_500_000_000, 5, math.MaxInt64, math.MinInt64} {
			want := time.Unix(0, ns).In(row.in).Format(row.layout)
			if got := string(s.append(nil, ns)); got != want {
				t.Errorf("%s, %d: want %s, got %s", row.layout, ns, want, got)
			}
		}
	}
}
