package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pktscope/pktscope/pcap/shards"
	"github.com/pktscope/pktscope/report/saved"
)

// piece is a shard with the plan that it is of: all that a worker must know. Its element is its JSON.
type piece struct {
	Plan  shards.Plan  `json:"plan"`
	Shard shards.Shard `json:"shard"`
}

// together is how many shards are united on one worker before their parts meet the others.
const together = 256

func init() {
	register.DoFn2x1[[]byte, func(int, []byte), error](&countFn{})
	register.DoFn2x1[[]byte, func(string, []byte), error](&peersFn{})
	register.DoFn2x2[string, []byte, []byte, error](&sumFn{})
	register.DoFn1x1[[]byte, error](&writeFn{})
	register.Function2x1(partOf)
	register.Emitter2[int, []byte]()
	register.Emitter2[string, []byte]()
	beam.RegisterType(reflect.TypeFor[piece]())
}

// partOf drops the key of a part.
func partOf(_ int, part []byte) []byte { return part }

// run builds the pipeline and runs it to its end.
func (j *job) run(ctx context.Context, runner string) error {
	pieces, err := j.pieces()
	if err != nil {
		return err
	}
	if _, err := decoders(j.protocol); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	elements := beam.Reshuffle(s, beam.CreateList(s, pieces))
	var all beam.PCollection
	if j.byPeer {
		peers := beam.ParDo(s, &peersFn{Protocol: j.protocol}, elements)
		sums := beam.ParDo(s, &sumFn{}, beam.CombinePerKey(s, &joinFn{}, peers))
		all = beam.Combine(s, &addFn{}, sums)
	} else {
		parts := beam.ParDo(s, &countFn{Protocol: j.protocol}, elements)
		united := beam.ParDo(s, partOf, beam.CombinePerKey(s, &uniteFn{}, parts))
		all = beam.Combine(s, &uniteFn{}, united)
	}
	beam.ParDo0(s, &writeFn{Output: j.output}, all)
	_, err = beam.Run(ctx, runner, p)
	return err
}

// pieces are the shards of the plan, as elements.
func (j *job) pieces() ([][]byte, error) {
	f, err := os.Open(j.plan)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plan, all, err := shards.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.plan, err)
	}
	elements := make([][]byte, 0, len(all))
	for _, one := range all {
		b, err := json.Marshal(piece{*plan, one})
		if err != nil {
			return nil, err
		}
		elements = append(elements, b)
	}
	return elements, nil
}

// writeFn writes the file.
type writeFn struct{ Output string }

// ProcessElement puts the result in the place of the file, at once. It is the only element.
func (w *writeFn) ProcessElement(result []byte) error {
	f, err := saved.Replace(w.Output, saved.OwnerOnly)
	if err != nil {
		return err
	}
	return f.WriteAll(result)
}
