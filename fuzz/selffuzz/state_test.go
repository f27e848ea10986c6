package selffuzz

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/anyschema"
)

// Under schemas with registers that steer, a decoder that is told with each packet what its flow holds reads it as one
// that was told before, and as the reference. STEERED=5000+2000 draws 2,000 from seed 5000 on, for a soak.
func TestSteered(t *testing.T) {
	first, n := 0, 150
	if soak := os.Getenv("STEERED"); soak != "" {
		a, b, _ := strings.Cut(soak, "+")
		first, _ = strconv.Atoi(a)
		n, _ = strconv.Atoi(b)
	}
	accepted, failed := 0, 0
	for seed := first; seed < first+n && failed < 5; seed++ {
		r := anyschema.Seeded(uint64(seed))
		drawn := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i], _ = r.ReadByte()
			}
			return b
		}
		ok, err := AnySchema(AnySchemaSeed(byte(128+seed%128), drawn(200+seed%400), drawn(30+seed%90)))
		if err != nil {
			failed++
			t.Errorf("seed %d: %v", seed, err)
		}
		if ok {
			accepted++
		}
	}
	t.Logf("%d of %d schemas with an accepted packet", accepted, n)
	if accepted < n/3 {
		t.Errorf("%d of %d schemas accept a packet", accepted, n)
	}
}
