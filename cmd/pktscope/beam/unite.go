package main

import (
	"bytes"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/stats"
)

// joined is what was counted of one peer; between processes it is its part. The zero joined is nothing.
type joined struct{ counted *stats.Segments }

func encodeJoined(j joined) ([]byte, error) {
	if j.counted == nil {
		return nil, nil
	}
	return j.counted.AppendPart(nil)
}

func decodeJoined(b []byte) (j joined, err error) {
	if len(b) > 0 {
		j.counted, err = stats.ReadPart(b)
	}
	return j, err
}

// joinFn joins what was counted of a peer. Its errors are uniteFn's.
type joinFn struct{}

// CreateAccumulator begins with nothing.
func (f *joinFn) CreateAccumulator() joined { return joined{} }

// AddInput adds a part.
func (f *joinFn) AddInput(j joined, part []byte) (joined, error) {
	more, err := decodeJoined(part)
	if err != nil {
		return j, err
	}
	return f.MergeAccumulators(j, more)
}

// MergeAccumulators adds what more has, which is not to be used any more.
func (f *joinFn) MergeAccumulators(j, more joined) (joined, error) {
	if j.counted == nil || more.counted == nil {
		if j.counted == nil {
			j = more
		}
		return j, nil
	}
	return j, j.counted.Union(more.counted)
}

// ExtractOutput is the sum as a part.
func (f *joinFn) ExtractOutput(j joined) ([]byte, error) { return encodeJoined(j) }

// united are parts that were added up; between processes they are the JSON of all of them. The zero united has none.
type united struct{ set *results.Set }

func init() {
	beam.RegisterCoder(reflect.TypeFor[united](), encodeUnited, decodeUnited)
	register.Combiner2[united, []byte](&uniteFn{})
	beam.RegisterCoder(reflect.TypeFor[joined](), encodeJoined, decodeJoined)
	register.Combiner2[joined, []byte](&joinFn{})
}

func encodeUnited(u united) ([]byte, error) {
	if u.set == nil {
		return nil, nil
	}
	u.set.Merge()
	return u.set.AppendJSON(nil)
}

func decodeUnited(b []byte) (u united, err error) {
	if len(b) > 0 {
		u.set, err = results.Read(bytes.NewReader(b), "a part", results.Limits{})
	}
	return u, err
}

// uniteFn unites parts, as report merge does. Its errors are that something was counted twice, and that a part is none.
type uniteFn struct{}

// CreateAccumulator begins with nothing.
func (f *uniteFn) CreateAccumulator() united { return united{} }

// AddInput adds a part.
func (f *uniteFn) AddInput(u united, part []byte) (united, error) {
	more, err := decodeUnited(part)
	if err != nil {
		return u, err
	}
	return f.MergeAccumulators(u, more)
}

// MergeAccumulators adds what more has, which is not to be used any more.
func (f *uniteFn) MergeAccumulators(u, more united) (united, error) {
	if u.set == nil || more.set == nil {
		if u.set == nil {
			u = more
		}
		return u, nil
	}
	return u, u.set.Add(more.set)
}

// ExtractOutput is the sum as a part.
func (f *uniteFn) ExtractOutput(u united) ([]byte, error) { return encodeUnited(u) }
