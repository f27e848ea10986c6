package main

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/pcap"
)

// A filter and a row of columns cost no allocation a packet: 4994 packets, with what is shown of them.
func TestFilterAndColumnsAllocate(t *testing.T) {
	for name, set := range map[string]func(*viewFlags){
		"filter": func(f *viewFlags) {
			f.filter = `case == "Snapshot" && any(body.players, .health < 10) && pkt.n % 7 == 0 || reject.kind == "past-end"`
		},
		"csv": func(f *viewFlags) {
			f.format, f.paths = "csv", []string{"pkt.n", "pkt.time", "pkt.src", "case", "body.keys", "body.players[*].x", "reject.path"}
		},
		"fields": func(f *viewFlags) {
			f.format, f.paths = "fields", []string{"body.token", "body.room_code", "body.reason"}
		},
	} {
		v := openTestView(t, set)
		data := session(t)
		r := bytes.NewReader(data)
		reader := pcap.NewReader(r)
		n := testing.AllocsPerRun(5, func() {
			r.Reset(data)
			reader.Reset(r)
			v.show(t, reader, 1)
		})
		const most = 120 // the Datagrams, and the paths of 40 rejects
		if n > most {
			t.Errorf("%s: %v allocations for 4994 packets, want at most %d", name, n, most)
		}
	}
}

// All cores show what one does, in order.
func TestFilterPipeline(t *testing.T) {
	for name, set := range map[string]func(*viewFlags){
		"filter": func(f *viewFlags) { f.filter = `body.player_count > 1 || pkt.rejected` },
		"csv": func(f *viewFlags) {
			f.format, f.paths, f.filter = "csv", []string{"pkt.n", "case", "body.players[*].x"}, `pkt.n % 3 != 0`
		},
	} {
		var outs [2]bytes.Buffer
		var shown [2]int64
		for i := range outs {
			v := openTestView(t, set)
			v.out = newOutput(&outs[i])
			reader := pcap.NewReader(bytes.NewReader(session(t)))
			v.show(t, reader, 1+i)
			if err := v.out.Flush(); err != nil {
				t.Fatal(err)
			}
			shown[i] = v.shown
		}
		if shown[0] == 0 || shown[0] != shown[1] || !bytes.Equal(outs[0].Bytes(), outs[1].Bytes()) {
			t.Errorf("%s: %d packets on one core, %d on all", name, shown[0], shown[1])
		}
	}
}
