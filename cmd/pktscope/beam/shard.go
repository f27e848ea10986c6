package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// decoders reads a protocol: a file with a path or the ending .pks, or else a built-in; "" is all built-ins, by port. A
// file is read on each worker, as captures are.
func decoders(protocol string) (*scan.Decoders, error) {
	if protocol == "" {
		var all []*decode.Decoder
		for _, name := range protocols.Names() {
			d, err := protocols.Load(name)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
		return scan.ByPort(all...), nil
	}
	if !strings.HasSuffix(protocol, ".pks") && filepath.Base(protocol) == protocol {
		d, err := protocols.Load(protocol)
		if err != nil {
			return nil, err
		}
		return scan.Always(d), nil
	}
	text, err := os.ReadFile(protocol)
	if err != nil {
		return nil, err
	}
	d, err := decode.LoadFS(os.DirFS(filepath.Dir(protocol)), filepath.Base(protocol), text)
	if err != nil {
		return nil, err
	}
	return scan.Always(d), nil
}

// version is that of the pktscope that this program was built with, which lies beside it: it has none.
const version = "(devel)"

// each scans a shard with one goroutine: the runner has others. The error names the file, and where in it what is wrong
// is.
func each[B any](element []byte, d *scan.Decoders, s scan.Stage[B]) (saved.Piece, error) {
	var p piece
	if err := json.Unmarshal(element, &p); err != nil {
		return saved.Piece{}, err
	}
	shard := &p.Shard
	f, err := os.Open(shard.File)
	if err != nil {
		return saved.Piece{}, err
	}
	defer f.Close()
	in, err := shard.Open(f)
	if err == nil {
		r := pcap.NewReader(nil)
		r.ResetPart(in, shard.Part())
		_, err = scan.Run(scan.From(r), scan.Options{File: shard.File, Decoders: d, Workers: 1}, s)
	}
	if err != nil {
		return saved.Piece{}, fmt.Errorf("%s: shard %d, bytes %d to %d: %w", shard.File, shard.I, shard.From, shard.To, err)
	}
	return saved.Shard(&p.Plan, shard.I), nil
}

// countFn counts shards.
type countFn struct {
	Protocol string
	decoders *scan.Decoders
}

// Setup reads the protocol, once for many shards.
func (c *countFn) Setup() (err error) {
	c.decoders, err = decoders(c.Protocol)
	return err
}

// ProcessElement counts a shard, as stats -T json does.
func (c *countFn) ProcessElement(element []byte, emit func(int, []byte)) error {
	counter, refused := stats.NewCounter(c.decoders), rejects.NewScan(c.decoders, version)
	counter.KeepTime()
	of, err := each(element, c.decoders, scan.Join(counter.Stage(), refused.Stage()))
	if err != nil {
		return err
	}
	part, err := results.AppendCounted(nil, counter.Met(of), refused.Results())
	if err != nil {
		return err
	}
	emit(int(of.From/together), part)
	return nil
}
