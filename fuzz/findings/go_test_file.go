package findings

import (
	"fmt"
	"hash/fnv"

	"github.com/pktscope/pktscope/fuzz"
)

// goTest is a regression test for a reader in Go. accepts is what its package has to have.
func goTest(name, protocol string, f *fuzz.Finding) []byte {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	b := fmt.Appendf(nil, `package reader

import (
	"encoding/hex"
	"testing"
)

// Found by pktscope fuzz, in %s:
// %v: %s
//
// The package needs a function accepts(packet []byte) bool, which reads a packet with a fresh reader and reports
// whether it took it.
func TestFinding%08x(t *testing.T) {
	packet, err := hex.DecodeString("%x")
	if err != nil {
		t.Fatal(err)
	}
`, commentText(protocol), f.Kind, commentText(f.What()), h.Sum32(), f.Packet)
	if len(f.Before) > 0 {
		b = fmt.Appendf(b, "\t// The reader that keeps something is first sent:\n")
		for _, p := range f.Before {
			b = fmt.Appendf(b, "\tif packet, err := hex.DecodeString(\"%x\"); err == nil {\n\t\taccepts(packet)\n\t}\n", p.Data)
		}
	}
	return fmt.Appendf(b, "\tif got := accepts(packet); got != %v {\n\t\tt.Errorf(\"want accepted %v, got %%v\", got)\n\t}\n}\n", f.Reject == 0, f.Reject == 0)
}
