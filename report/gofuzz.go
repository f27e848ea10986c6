//go:build gofuzz

package report

var harness = Harness().New()

// FuzzRender is go-fuzz's entry to the renderers. Made and run by `make gofuzz TARGET=FuzzRender`.
func FuzzRender(data []byte) int {
	interesting, err := harness(data)
	if err != nil {
		panic(err)
	}
	if interesting {
		return 1
	}
	return 0
}
