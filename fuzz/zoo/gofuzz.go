//go:build gofuzz

package zoo

import (
	"math/big"
	"os"

	"github.com/pktscope/pktscope/decode"
)

// The entry points of go-fuzz for `make zoo`, which names the animal in ZOO_ANIMAL.

var hunted = func() *prey {
	for _, a := range Animals() {
		if a.Name == os.Getenv("ZOO_ANIMAL") {
			return newPrey(a.Schema, a.Params, a.Flawed())
		}
	}
	return nil
}()

// prey is a reader that go-fuzz hunts, with the judge of its answers.
type prey struct {
	reader  Reader
	decoder *decode.Decoder
	trace   decode.Trace
}

func newPrey(src string, params map[string]*big.Int, r Reader) *prey {
	var list []decode.Param
	for name, v := range params {
		list = append(list, decode.Param{Name: name, Value: v})
	}
	d, err := decode.Load("zoo.pks", []byte(src), list...)
	if err != nil {
		panic(err)
	}
	return &prey{reader: r, decoder: d}
}

func (p *prey) run(data []byte) int {
	_ = p.decoder.Decode(data, decode.FromUnknown, &p.trace) // the verdict is in the trace
	if len(Check(&p.trace, p.reader.Read(data))) > 0 {
		panic("caught")
	}
	if p.trace.Rejected() {
		return 0
	}
	return 1
}

// FuzzRaw attacks the animal with bytes.
func FuzzRaw(data []byte) int { return hunted.run(data) }

// FuzzRepaired attacks the animal with bytes whose checksum is made right.
func FuzzRepaired(data []byte) int {
	data = append([]byte(nil), data...)
	hunted.decoder.Plan().RepairChecksum(data)
	return hunted.run(data)
}
