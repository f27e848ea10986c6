//go:build gofuzz

package fuzz

// The entry points of go-fuzz: the same functions as the Fuzz targets of `go test`. Made and run by `make gofuzz`.

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

func mustDecode(protocol string) Func {
	f, err := Decode(protocol)
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return f
}

var (
	decodeRType   = mustDecode("rtype")
	decodePackets = mustDecode("packets")
	decodeGaffer  = mustDecode("gaffer")
	decodeCourse  = mustDecode("course")
)

// FuzzBitio attacks the bit readers and writers.
func FuzzBitio(data []byte) int { return gofuzz(Bitio, data) }

// FuzzSchema attacks the language.
func FuzzSchema(data []byte) int { return gofuzz(Schema, data) }

// FuzzCapture attacks the capture readers.
func FuzzCapture(data []byte) int { return gofuzz(Capture, data) }

// FuzzRType attacks the decoder of R-Type.
func FuzzRType(data []byte) int { return gofuzz(decodeRType, data) }

// FuzzPackets attacks the decoder of the example packets.
func FuzzPackets(data []byte) int { return gofuzz(decodePackets, data) }

// FuzzGaffer attacks the decoder of the scenes.
func FuzzGaffer(data []byte) int { return gofuzz(decodeGaffer, data) }

// FuzzCourse attacks the decoder of the course's test packet.
func FuzzCourse(data []byte) int { return gofuzz(decodeCourse, data) }
