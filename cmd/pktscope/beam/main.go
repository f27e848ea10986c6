// Command beam counts captures as `pktscope stats` does, on any runner of Apache Beam: the shards of a plan are counted
// wherever the runner has room, and the parts are united as `pktscope report merge` unites them.
//
//	plan ─► shards ─► count (shard → part) ─► unite by 256 ─► unite all ─► file
//	--by-peer:        count (shard → part of each peer) ─► unite by peer ─► sums of a peer ─► add ─► file
//
// What it writes is what one `stats -T json` says of the whole capture, byte for byte, once through `report merge`. A
// shard that is counted twice, or that is not what the plan was made of, fails the job, and nothing is written.
//
// The default runner is Prism, which is in the program. See README.md for others, and for what was never run.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // faster calls of what is registered
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"     // --runner=prism, the default
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // --runner=universal --endpoint=…
)

// job is what the command line asks for.
type job struct {
	plan     string // a file of `pktscope shards`
	protocol string // a built-in or a .pks file
	output   string
	byPeer   bool
}

func main() {
	var j job
	flag.StringVar(&j.plan, "plan", "", "count the shards of `FILE` (pktscope shards)")
	flag.StringVar(&j.protocol, "p", "", "`PROTOCOL` of all packets: a built-in or a .pks file; without it ports decide")
	flag.StringVar(&j.output, "o", "", "write `FILE`: a part for pktscope report merge; with --by-peer the sums over peers")
	flag.BoolVar(&j.byPeer, "by-peer", false, "count each peer by itself, however many there are")
	flag.Parse()
	beam.Init() // a worker's process ends here
	if err := j.check(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(2)
	}
	if err := j.run(context.Background(), cmp.Or(*runners.Runner, "prism")); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

func (j *job) check(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case j.plan == "":
		return errors.New("want --plan with a file that pktscope shards wrote")
	case j.output == "":
		return errors.New("want -o with a file")
	case j.byPeer && j.protocol == "":
		return errors.New("--by-peer wants -p: peers are of one protocol")
	}
	return nil
}
