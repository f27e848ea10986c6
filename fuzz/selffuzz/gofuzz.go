//go:build gofuzz

package selffuzz

// The functions of go-fuzz: the same functions as the native targets in fuzz/ossfuzz. Made and run by `make gofuzz`.

// gofuzz calls a Func as go-fuzz wants it: a panic is a finding, 1 means "keep this one".
func gofuzz(f Func, data []byte) int {
	interesting, err := f(data)
	if err != nil {
		panic(err)
	}
	if interesting {
		return 1
	}
	return 0
}

// funcs are there once for all inputs.
var funcs = map[string]Func{}

func init() {
	for e := range Entries() {
		funcs[e.Name] = e.New()
	}
}

// FuzzCapture attacks capture files, plain or compressed.
func FuzzCapture(data []byte) int { return gofuzz(funcs["Capture"], data) }

// FuzzCompressed attacks captures after gzip and zstd whose checksums and lengths are right.
func FuzzCompressed(data []byte) int { return gofuzz(funcs["Compressed"], data) }

// FuzzLayers attacks packets of every link type, up to UDP.
func FuzzLayers(data []byte) int { return gofuzz(funcs["Layers"], data) }

// FuzzReassembly attacks IP fragments in any order, doubled, overlapping, late.
func FuzzReassembly(data []byte) int { return gofuzz(funcs["Reassembly"], data) }

// FuzzWire attacks bits in every order and the rules of what lies in them.
func FuzzWire(data []byte) int { return gofuzz(funcs["Wire"], data) }

// FuzzSchema attacks schemas: scanned, parsed, checked, compiled, formatted.
func FuzzSchema(data []byte) int { return gofuzz(funcs["Schema"], data) }

// FuzzRType attacks packets of the built-in rtype.
func FuzzRType(data []byte) int { return gofuzz(funcs["RType"], data) }

// FuzzPackets attacks packets of the built-in packets.
func FuzzPackets(data []byte) int { return gofuzz(funcs["Packets"], data) }

// FuzzGaffer attacks packets of the built-in gaffer.
func FuzzGaffer(data []byte) int { return gofuzz(funcs["Gaffer"], data) }

// FuzzCourse attacks packets of the built-in course.
func FuzzCourse(data []byte) int { return gofuzz(funcs["Course"], data) }

// FuzzRoundTrip attacks values given to the encoder of a built-in, right and wrong ones.
func FuzzRoundTrip(data []byte) int { return gofuzz(funcs["RoundTrip"], data) }

// FuzzAnySchema attacks a schema that is drawn, and packets and values for it.
func FuzzAnySchema(data []byte) int { return gofuzz(funcs["AnySchema"], data) }

// FuzzFilter attacks display filters, and what they make of hostile packets.
func FuzzFilter(data []byte) int { return gofuzz(funcs["Filter"], data) }

// FuzzSelector attacks column paths, and what they find in hostile packets.
func FuzzSelector(data []byte) int { return gofuzz(funcs["Selector"], data) }

// FuzzSeedFile attacks seed files of a corpus.
func FuzzSeedFile(data []byte) int { return gofuzz(funcs["SeedFile"], data) }
