//go:build gofuzz

package report

var entry = FuzzEntry().New()

// FuzzRender is go-fuzz's entry to the renderers. Made and run by `make gofuzz TARGET=FuzzRender`.
func FuzzRender(data []byte) int {
	interesting, err := entry(data)
	if err != nil {
		panic(err)
	}
	if interesting {
		return 1
	}
	return 0
}
