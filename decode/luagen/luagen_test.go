package luagen_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// load is the decoder of a built-in or an example.
func load(t testing.TB, name string) *decode.Decoder {
	t.Helper()
	if slices.Contains(protocols.Names(), name) {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	src, _ := examples.Source(name)
	d, err := decode.Load(name+".pks", src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Of every capture of a built-in and of an example, tshark shows the values, verdicts, kinds and notes that the decoder
// gives.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("../../corpus/*.pcap")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("../../corpus/examples/*.pcap")
	files = append(files, more...)
	if len(files) < 20 {
		t.Fatalf("only %d captures", len(files))
	}
	if testing.Short() {
		files = []string{"../../corpus/course.pcap", "../../corpus/examples/bfd.pcap"}
	}
	for _, file := range files {
		name := filepath.Base(file[:len(file)-len(".pcap")])
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
			packets, fields := hold(t, load(t, name), file)
			if packets == 0 || fields == 0 {
				t.Errorf("%d packets, %d fields", packets, fields)
			}
			t.Logf("%d packets, %d fields", packets, fields)
		})
	}
}

// The same of schemas that were drawn, and of packets that were drawn for them.
func TestAnySchema(t *testing.T) {
	with, packets, fields := 0, 0, 0
	for seed := range need.Rounds(uint64(60), 2) {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		with++
		d := decode.New(p)
		n, f := hold(t, d, capture(t, drawn(d, seed, 200)))
		packets, fields = packets+n, fields+f
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, src)
		}
	}
	t.Logf("%d schemas, %d packets, %d fields", with, packets, fields)
}
