package page

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"
)

// maxPicture is what the README's picture has at most, in bytes.
const maxPicture = 150_000

// The README's picture is of the planned session: `make picture` writes it where PKTSCOPE_PICTURE says.
func TestPictureInChromium(t *testing.T) {
	b := newBrowser(t)
	b.size(1200, 1500)
	b.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": true}, nil)
	b.open(write(t, planned(t).report(t)), "")
	b.wait("document.querySelector('.readout').textContent !== ''")
	var r struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	shot, err := png.Decode(bytes.NewReader(r.Data))
	if err != nil {
		t.Fatalf("%v: %.40s", err, base64.StdEncoding.EncodeToString(r.Data))
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(shot)); err != nil {
		t.Fatal(err)
	}
	if n := small.Len(); n > maxPicture || n < 10_000 {
		t.Errorf("the picture has %d bytes", n)
	}
	if name := os.Getenv("PKTSCOPE_PICTURE"); name != "" {
		if err := os.WriteFile(name, small.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.quiet()
}

// fewColours is a picture in the 64 colours that it has most of.
func fewColours(from image.Image) image.Image {
	counts := map[color.RGBA]int{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), slices.Compare([]uint8{a.R, a.G, a.B}, []uint8{b.R, b.G, b.B}))
	})
	var palette color.Palette
	for _, c := range order[:min(len(order), 64)] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(from.Bounds(), palette)
	draw.Draw(to, to.Bounds(), from, image.Point{}, draw.Src)
	return to
}
