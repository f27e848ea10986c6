package oracle_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader gives a quaternion as its four components, near enough, or as the negative of them.
func TestQuaternionComponents(t *testing.T) {
	d := compile(t, "protocol q\norder lsb\npacket { a uint8, l [2]{ q quat smallest3(9) }, b uint8 }")
	packet := func(largest uint64, x, y, z uint64) []byte {
		data := make([]byte, 10)
		data[0], data[9] = 7, 9
		bit := 8
		for range 2 {
			for i, code := range []uint64{largest, x, y, z} {
				n := 9
				if i == 0 {
					n = 2
				}
				wire.LSB.Store(data, bit, n, code)
				bit += n
			}
		}
		wire.LSB.Store(data, bit, 8, 9)
		return data[:(bit+8+7)/8]
	}
	const n = 9
	part := func(code uint64) float64 { return float64(wire.SmallestPart(code, n)) }
	x, y, w := part(300), part(100), part(250)
	z := math.Sqrt(1 - x*x - y*y - w*w)
	four := func(x, y, z, w float64) string {
		return fmt.Sprintf(`{"a":7,"l":[{"q":{"x":%g,"y":%g,"z":%g,"w":%g}}],"b":9}`, x, y, z, w)
	}
	step := math.Sqrt2 / 511
	for _, row := range []struct {
		name, line string
		packet     []byte
		want       string // in the first mismatch; "" for none
	}{
		{"exact", four(x, y, z, w), packet(2, 300, 100, 250), ""},
		{"the negative", four(-x, -y, -z, -w), packet(2, 300, 100, 250), ""},
		{"within a step", four(x+0.9*step, y-0.9*step, z, w), packet(2, 300, 100, 250), ""},
		{"beyond a step", four(x+1.2*step, y, z, w), packet(2, 300, 100, 250), "l[0].q"},
		{"two signs", four(x, -y, z, w), packet(2, 300, 100, 250), "l[0].q"},
		{"the largest at another place", four(z, x, y, w), packet(2, 300, 100, 250), "l[0].q"},
		{"some of the components", `{"l[1].q.y":` + fmt.Sprint(y) + `}`, packet(2, 300, 100, 250), ""},
		{"a wrong one of some", `{"l[1].q.y":0.5}`, packet(2, 300, 100, 250), "l[1].q"},
		{"no number", `{"l[1].q.y":"up"}`, packet(2, 300, 100, 250), "l[1].q"},
		{"not a number", `{"l[1].q.y":"NaN"}`, packet(2, 300, 100, 250), "l[1].q"},
		{"the parts as they are sent", `{"l[0].q.largest":2,"l[0].q.a":300,"l[0].q.c":250}`, packet(2, 300, 100, 250), ""},
		{"both", `{"l[0].q":{"largest":2,"x":` + fmt.Sprint(x) + `}}`, packet(2, 300, 100, 250), ""},
		{"a dropped one that is not the largest", `{"l[0].q":{"x":` + fmt.Sprint(part(500)) + `,"z":0.9}}`, packet(2, 500, 450, 255), ""},
		{"a component of no quaternion", `{"a.x":1}`, packet(2, 300, 100, 250), "a.x"},
	} {
		var trace decode.Trace
		if err := d.Decode(row.packet, decode.FromUnknown, &trace); err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		wrong := oracle.CompareFields(&trace, []byte(row.line))
		if row.want == "" && len(wrong) > 0 || row.want != "" && (len(wrong) != 1 || wrong[0].Path != row.want) {
			t.Errorf("%s: want %q, got %+v", row.name, row.want, wrong)
		}
	}
}
