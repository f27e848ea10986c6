package budget

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// The costs are held against the texts themselves, written out by hand.
func TestCosts(t *testing.T) {
	const text = `protocol world
order msb

enum Kind : uint8 { Crate = 1, Lamp = 2 }

packet {
    type uint8
    body switch type {
        1: {
            time    uint32
            on      bool8
            kind    Kind
            below   int16
            n       uint8
            objects [n]{ id uint8, at vec2(int16) }
            list    [..3]uint16
            name    char(4)
        }
        2: { big [300]uint8 }
        3: empty
    }
}
`
	p := compile(t, "world.pks", text)
	packet := []byte{1, 0, 0, 1, 0, 1, 2, 0xff, 0xf4, 2, 7, 0, 1, 0, 10, 9, 0xff, 0xff, 0, 0}
	packet = append(packet, 0x80, 1, 0, 0, 0x40, 'a', 'b', 'c', 0) // 2 in 2 bits, 4 and 1 in 16, 6 of padding
	b := counted(p, packetsOf(packet), 0)
	if b.Packets() != 1 {
		t.Fatal("the packet is refused")
	}
	xmlText := `<world><property name="type" value="1"/><object name="body"><property name="time" value="256"/><property name="on" value="true"/>` +
		`<property name="kind" value="Lamp"/><property name="below" value="-12"/><property name="n" value="2"/>` +
		`<list name="objects"><item><property name="id" value="7"/><object name="at"><property name="x" value="1"/><property name="y" value="10"/></object></item>` +
		`<item><property name="id" value="9"/><object name="at"><property name="x" value="-1"/><property name="y" value="0"/></object></item></list>` +
		`<list name="list"><item value="4"/><item value="1"/></list><property name="name" value="abc?"/></object></world>`
	jsonText := `{"type":1,"body":{"time":256,"on":true,"kind":"Lamp","below":-12,"n":2,"objects":[{"id":7,"at":{"x":1,"y":10}},{"id":9,"at":{"x":-1,"y":0}}],"list":[4,1],"name":"abc?"}}`
	ledText := `[1,[256,1,2,-12,2,[[7,[1,10]],[9,[-1,0]]],[4,1],"abc?"]]`
	compact := "1,256,1,2,-12,2,7,1,10,9,-1,0,2,4,1,abc?\n"
	for d := xml.NewDecoder(strings.NewReader(xmlText)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{jsonText, ledText} {
		if !json.Valid([]byte(text)) {
			t.Fatal(text)
		}
	}
	for _, want := range []Cost{
		{"XML", float64(len(xmlText))}, {"JSON", float64(len(jsonText))}, {"schema-led JSON", float64(len(ledText))}, {"compact text", float64(len(compact))},
		{"packed structs", 1 + 4 + 1 + 1 + 2 + 1 + 255*(1+2*2) + 1 + 3*2 + 4},
		{"byte buffer", 1 + 4 + 1 + 1 + 2 + 1 + 2*(1+2*2) + 1 + 2*2 + 4},
		{"bits", float64(len(packet))},
	} {
		found := false
		for _, c := range b.Costs() {
			if c.Encoding == want.Encoding {
				found = true
				if c != want {
					t.Errorf("%s: %v bytes, want %v", c.Encoding, c.Bytes, want.Bytes)
				}
			}
		}
		if !found {
			t.Errorf("no %s", want.Encoding)
		}
	}
	// Structs are as large as their case, buffers as what is there.
	b = counted(p, packetsOf(append([]byte{2}, make([]byte, 300)...), []byte{3}), 0)
	costs := map[string]float64{}
	for _, c := range b.Costs() {
		costs[c.Encoding] = c.Bytes
	}
	if costs["packed structs"] != 301+1 || costs["byte buffer"] != 301+1 || costs["schema-led JSON"] != float64(len("[2,[[")+300*2-1+len("]]]")+len("[3]")) {
		t.Errorf("got %v", costs)
	}
}

// Packed structs have room for all that may come: lists as long as they may be, the largest arm of a switch that is not
// the case's, both sides of an `if`, a flag for each thing that may be left out.
func TestPackedStructs(t *testing.T) {
	for items, want := range map[string]float64{
		"x bits(8)":                     1,
		"x bits(9)":                     2,
		"x bits(17)":                    4,
		"x sbits(33)":                   8,
		"x int(200..300)":               1,
		"x varint(33)":                  8,
		"x zigzag(9)":                   2,
		"x float32":                     4,
		"x float64":                     8,
		"x float(0..1, 0.5)":            4,
		"x bool":                        1,
		"x optional uint16":             1 + 2,
		"x subset(bitmap) [4]uint16":    4 * (1 + 2),
		"x vec3(float32)":               3 * 4,
		"x quat smallest3(9)":           4 * 4,
		"x string(9)":                   9,
		"x wstring(9)":                  2 * 9,
		"x bytes(4)":                    4,
		"x bytes(rest, max 300)":        2 + 300,
		"x [3]uint16":                   3 * 2,
		"x [200..300]uint16":            2 + 300*2,
		"x [rest, max 255]uint16":       1 + 255*2,
		"x { a uint8, b uint16 }":       1 + 2,
		"x [2]{ a uint8, b [2]uint16 }": 2 * (1 + 2*2),
		"check 7":                       4,
		"reserved(9)":                   0,
		"x crc32":                       4,
		"k uint8\n if k == 1 { a uint8 } else { b uint16 }": 1 + 1 + 2,
		"k uint8\n within(k) { a uint8 }":                   1 + 1,
		"k uint8\n c switch k { 1: { a uint32 }\n default: empty }\n u switch k { 1: { a uint16 }\n default: { b uint8 } }": 1 + 0 + 2,
	} {
		b := New(compile(t, "a.pks", "protocol a\norder msb\npacket {\n    "+items+"\n}\n"), 0)
		b.all.packets = 1 // of no case
		if got := b.packedCost(); got != want {
			t.Errorf("%s: got %v, want %v", items, got, want)
		}
	}
}
