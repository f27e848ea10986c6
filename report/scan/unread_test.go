package scan_test

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// A stage that looks at no trace is handed the packets that it was, with a filter too, and the counts are the same.
func TestUnread(t *testing.T) {
	all := scan.Builtins()
	programs := make([]*filter.Program, len(all.All()))
	for i, d := range all.All() {
		programs[i], _ = filter.Compile(d.Plan(), `pkt.n % 3 == 0 || pkt.rejected`)
	}
	run := func(o scan.Options) (scan.Counts, []byte) {
		t.Helper()
		f, err := os.Open(session)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var frames []byte
		o.Decoders, o.Records = all, true
		counts, err := scan.Run(scan.From(pcap.NewReader(f)), o, scan.Stage[[]byte]{
			New: func() func(*[]byte, *scan.Packet) {
				return func(b *[]byte, p *scan.Packet) {
					for _, one := range p.Records() {
						*b = append(*b, one.Data...)
					}
				}
			},
			Drain: func(b *[]byte) error {
				frames = append(frames, *b...)
				*b = (*b)[:0]
				return nil
			},
		})
		if err != nil || len(frames) == 0 || counts.Accepted == 0 || counts.Refused == 0 {
			t.Fatalf("%+v: %v, %d bytes, %+v", o, err, len(frames), counts.Tally)
		}
		return counts, frames
	}
	for _, o := range []scan.Options{{}, {Filters: programs}, {Only: scan.Rejects}, {Only: scan.Rejects, Filters: programs}} {
		for _, o.Workers = range []int{1, 3} {
			want, frames := run(o)
			o.Unread = true
			got, same := run(o)
			o.Unread = false
			if !reflect.DeepEqual(got, want) || !bytes.Equal(same, frames) {
				t.Errorf("%+v: want %+v and %d bytes, got %+v and %d", o, want.Tally, len(frames), got.Tally, len(same))
			}
		}
	}
}
