package ossfuzz

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/selffuzz"
	"github.com/pktscope/pktscope/pcap"
)

func init() {
	seeds = func(name string) [][]byte { return allSeeds()[name] }
}

var allSeeds = sync.OnceValue(func() map[string][][]byte {
	all := map[string][][]byte{
		"Capture":    captureSeeds(),
		"Compressed": compressedSeeds(),
		"Layers":     layerSeeds(),
		"Reassembly": reassemblySeeds(),
		"Wire":       wireSeeds(),
		"Schema":     schemaSeeds(),
		"RType":      decodeSeeds("rtype"),
		"Packets":    decodeSeeds("packets"),
		"Gaffer":     decodeSeeds("gaffer"),
		"Course":     decodeSeeds("course"),
		"RoundTrip":  roundTripSeeds(),
		"AnySchema":  anySchemaSeeds(),
		"Filter":     filterSeeds(),
		"Selector":   selectorSeeds(),
		"SeedFile":   seedFileSeeds(),
		"Render":     renderSeeds(),
	}
	return all
})

func captureSeeds() [][]byte {
	list := [][]byte{
		{},
		{0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 28, 0, 0, 0},
	}
	for _, protocol := range corpus.Protocols() {
		file := firstRecords(corpus.Capture(protocol), 12)
		list = append(list, file)
		var ng bytes.Buffer
		r := pcap.NewReader(bytes.NewReader(file))
		w := pcap.NewWriter(&ng, pcap.Section{Hardware: "h", OS: "o", Application: "a"})
		d := pcap.NewDatagrams(r)
		for {
			if _, err := d.Next(); err != nil {
				break
			}
			if w.WriteDatagram(d) != nil {
				break
			}
		}
		if w.Flush() == nil {
			list = append(list, ng.Bytes())
		}
	}
	return list
}

func compressedSeeds() [][]byte {
	var list [][]byte
	for i, file := range captureSeeds() {
		for how := range byte(8) {
			if i%2 == 0 || how < 2 {
				list = append(list, append([]byte{how, 0, 0}, file...))
			}
		}
		list = append(list, append([]byte{byte(8 + i%8), byte(40 * i), 0}, file...))
	}
	return list
}

// firstRecords is a little-endian pcap file up to record n.
func firstRecords(file []byte, n int) []byte {
	end := 24
	for ; n > 0 && end+16 <= len(file); n-- {
		end += 16 + int(binary.LittleEndian.Uint32(file[end+8:]))
	}
	return file[:end]
}

// layerSeeds is a datagram after every link layer.
func layerSeeds() [][]byte {
	v4, _ := pcap.AppendUDP(nil, netip.MustParseAddrPort("10.0.0.1:4000"), netip.MustParseAddrPort("10.0.0.2:5000"), []byte("payload"))
	v6, _ := pcap.AppendUDP(nil, netip.MustParseAddrPort("[2001:db8::1]:4000"), netip.MustParseAddrPort("[2001:db8::2]:5000"), []byte("payload"))
	var list [][]byte
	put := func(link pcap.LinkType, head, packet []byte) {
		packet = append(append([]byte(nil), head...), packet...)
		list = append(list, selffuzz.LayersSeed(link, 0, packet), selffuzz.LayersSeed(link, uint16(len(packet)-3), packet), selffuzz.LayersSeed(link, uint16(len(packet)), append(packet, 0, 0)))
	}
	for _, frame := range [][]byte{v4, v6} {
		family, ip := frame[12:14], frame[14:]
		put(pcap.LinkEthernet, nil, frame)
		put(pcap.LinkEthernet, frame[:12], append([]byte{0x81, 0, 0, 7, 0x88, 0xa8, 0, 9, family[0], family[1]}, ip...))
		for _, link := range []pcap.LinkType{pcap.LinkRaw, pcap.LinkRawBSD, pcap.LinkRawOpenBSD, pcap.LinkIPv4, pcap.LinkIPv6} {
			put(link, nil, ip)
		}
		for _, number := range []byte{2, 10, 24, 28, 30} {
			put(pcap.LinkNull, []byte{number, 0, 0, 0}, ip)
			put(pcap.LinkLoop, []byte{0, 0, 0, number}, ip)
		}
		put(pcap.LinkSLL, append([]byte{0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0}, family...), ip)
		put(pcap.LinkSLL2, append(append([]byte(nil), family...), 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0), ip)
		put(pcap.LinkUser0, nil, frame)
	}
	put(pcap.LinkExported, []byte{0, 12, 0, 4, 'u', 'd', 'p', 0, 0, 20, 0, 4, 10, 0, 0, 1, 0, 21, 0, 4, 10, 0, 0, 2, 0, 24, 0, 4, 0, 0, 0, 3,
		0, 25, 0, 4, 0, 0, 1, 0, 0, 26, 0, 4, 0, 0, 2, 0, 0, 0, 0, 0}, []byte("payload"))
	return list
}

func reassemblySeeds() [][]byte {
	var list [][]byte
	for v6 := range byte(2) {
		head := []byte{v6, 0x11, 0x00, 0x27, 0x0b}
		add := func(steps ...byte) { list = append(list, append(append([]byte(nil), head...), steps...)) }
		add(0<<2|1, 0, 1<<2|1, 0)                               // whole, in order
		add(1<<2|1, 0, 0<<2|1, 0)                               // the other way round
		add(0<<2|1, 0, 0<<2|1, 0, 1<<2|1, 0)                    // one doubled
		add(0<<2|1, 0, 0<<2|1, 7, 1<<2|1, 0)                    // one with two contents
		add(0<<2|1, 7, 1<<2|1, 0)                               // with the other content only
		add(0<<2|1, 0, 1<<2|1, 31<<3)                           // too late
		add(0<<2|1, 0, 0, 30<<3, 1<<2|1, 0)                     // just in time
		add(0, 0, 1, 0, 1<<2, 0, 2, 0, 1<<2|1, 0, 2<<2, 0)      // several at a time
		add(0<<2|1, 0, 1<<2|1, 0, 0<<2|1, 0, 1<<2|1, 0)         // twice
		add(0<<2|1, 0, 0<<2|1, 7, 0<<2|1, 31<<3, 1<<2|1, 0, 3)  // overlap forgotten with time
		add(0<<2|2, 0, 1<<2|2, 0, 2<<2|2, 0, 3<<2|2, 0, 4<<2|2) // many pieces
	}
	return list
}

func wireSeeds() [][]byte {
	list := [][]byte{{}}
	bits := bytes.Repeat([]byte{0xA5, 0x00, 0x3C}, 14)
	for order := range byte(3) {
		list = append(list, append([]byte{order, 6, 1, 64, 3, 63, 57, 128}, bits...), append([]byte{order, 5, 8, 128, 4, 131, 64}, bits...),
			append([]byte{order, 3, 64, 64, 64}, bits[:20]...), append([]byte{order, 4, 3, 13, 64, 7}, bits...), append([]byte{order, 3, 64, 8, 129}, make([]byte, 16)...))
	}
	return list
}

// importing is a schema with the other files of its directory.
const importing = `protocol t
order lsb
import "packet.pks"
import "shared.pks"
packet { kind Kind, body switch peek(8) { 0..9: { pair Pair }, default: Other } }
-- packet.pks --
protocol other
order msb
import "shared.pks"
packet { kind Kind, pair Pair, rest_of bytes(rest, max 40) }
-- shared.pks --
protocol shared
order lsb
const Most = 7
enum Kind : uint8 { Zero = 0, One = 1 }
struct Pair { a bits(3) in 0..Most, b bits(13) }
`

// schemaSeeds are the built-ins, small schemas, and whatever decode/schema tests with, where its sources are there.
func schemaSeeds() [][]byte {
	var list [][]byte
	for _, name := range protocols.Names() {
		if src, _ := protocols.Source(name); len(src) < 16<<10 {
			list = append(list, src)
		}
	}
	for _, src := range small {
		list = append(list, []byte(src))
	}
	list = append(list, []byte(importing))
	tests := os.DirFS("../../decode/schema")
	_ = fs.WalkDir(tests, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".pks") {
			return nil
		}
		if src, err := fs.ReadFile(tests, path); err == nil && len(src) < 16<<10 {
			list = append(list, src)
		}
		return nil
	})
	return list
}

// directions are the senders of seeds and inputs.
var directions = []decode.Direction{decode.FromUnknown, decode.Client, decode.Server}

func decodeSeeds(protocol string) [][]byte {
	var list [][]byte
	all := corpus.Seeds(protocol)
	for i, seed := range all {
		from, last := fuzz.Sender(seed.From), uint16(8*len(seed.Data)-1)
		list = append(list, selffuzz.EncodeSeed(seed.Data, from), selffuzz.EncodeRepaired(seed.Data, from),
			selffuzz.EncodeMutation(uint32(i*997), from, uint16(i), last), selffuzz.EncodeEnumerated(fuzz.Class(i%14), uint32(i*4999), from),
			selffuzz.EncodeOverridden(uint16(i), from, selffuzz.Code{Field: uint16(i), Code: uint64(i)}, selffuzz.Code{Field: uint16(3 * i), Code: ^uint64(0)}),
			selffuzz.EncodeSpliced(uint16(i), uint16(i+1), uint16(len(seed.Data)/2), from))
	}
	return list
}

func roundTripSeeds() [][]byte {
	var list [][]byte
	for protocol := range corpus.Protocols() {
		for n, from := range directions {
			for seed := range uint64(6) {
				list = append(list, selffuzz.RoundTripSeed(protocol, from, drawn(seed+uint64(100*n), 20*int(1+seed*seed))))
			}
			list = append(list, selffuzz.RoundTripSeed(protocol, from, nil), selffuzz.RoundTripSeed(protocol, from, bytes.Repeat([]byte{1}, 64)))
		}
	}
	return list
}

func anySchemaSeeds() [][]byte {
	list := [][]byte{selffuzz.AnySchemaSeed(0, nil, nil)}
	for seed := range uint64(24) {
		list = append(list, selffuzz.AnySchemaSeed(byte(7*seed), drawn(seed, 40+10*int(seed)), drawn(seed+1000, 8*int(seed))))
	}
	return list
}

// drawn is n bytes of a seed.
func drawn(seed uint64, n int) []byte {
	r := anyschema.Seeded(seed)
	b := make([]byte, n)
	for i := range b {
		b[i], _ = r.ReadByte()
	}
	return b
}

func filterSeeds() [][]byte {
	var list [][]byte
	for _, protocol := range corpus.Protocols() {
		packet := corpus.Seeds(protocol)[0].Data
		for _, src := range filterTexts {
			list = append(list, selffuzz.FilterSeed(protocol, src, packet))
		}
		d, err := protocols.Load(protocol)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		for _, p := range filter.Paths(d.Plan()) {
			if !strings.Contains(p.Path, "[*]") {
				list = append(list, selffuzz.FilterSeed(protocol, p.Path+" == 1 || "+p.Path+" == nil", packet[:len(packet)/2]))
			}
		}
	}
	return list
}

var filterTexts = []string{
	`pkt.rejected && reject.kind == "past-end"`, `any(body.players, .health < 10)`, `case == "Snapshot" && body.player_count > 2`,
	`pkt.src_ip in "10.0.0.0/8" && pkt.n > 19`, `reject.path matches "players\\[\\d+\\]\\.health$"`, `"Shoot" in body.keys`,
	`count(body.players, .x > 1) + 1 in [1, 2]`, `all(notes, .kind in ["length-mismatch"]) && len(notes) > 0`, `!(body.x == nil)`,
	`body.keys.Shoot and not body.keys.Up`, `-1 <= body.x * 2 % 7 < 0x10`, `pkt.time < "2023-11-14T22:13:20Z" // late`,
	`one(body.players, any(body.players, .x == 1))`, `none(x, # > 1)`, `type startsWith "a" or type in 1..2`, ``, `(`, "\x1b[2J",
}

func selectorSeeds() [][]byte {
	var list [][]byte
	for _, protocol := range corpus.Protocols() {
		packet := corpus.Seeds(protocol)[0].Data
		d, err := protocols.Load(protocol)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		for _, p := range filter.Paths(d.Plan()) {
			list = append(list, selffuzz.FilterSeed(protocol, p.Path, packet))
			if i := strings.Index(p.Path, "[*]"); i >= 0 {
				list = append(list, selffuzz.FilterSeed(protocol, p.Path[:i]+"[1]"+p.Path[i+3:], packet), selffuzz.FilterSeed(protocol, p.Path[:i], packet))
			}
		}
		list = append(list, selffuzz.FilterSeed(protocol, "body..x[", nil), selffuzz.FilterSeed(protocol, "a[99999999999999999999]", nil))
	}
	return list
}

func seedFileSeeds() [][]byte {
	list := [][]byte{[]byte("# head\na client 00ff # x\nb any -\n"), []byte("a any 0\n"), []byte("a  server\t00\r\n\nA client ff"), []byte("a any 00\na any 00\n")}
	for _, protocol := range corpus.Protocols() {
		var file []byte
		for _, seed := range corpus.Seeds(protocol)[:3] {
			file = corpus.AppendSeed(file, seed, "a comment")
		}
		list = append(list, file)
	}
	return list
}

func renderSeeds() [][]byte {
	var list [][]byte
	for i, protocol := range corpus.Protocols() {
		for n, seed := range corpus.Seeds(protocol) {
			head := []byte{byte(i + 16*(n%3))}
			list = append(list, append(head, seed.Data...), append(head, seed.Data[:len(seed.Data)/2]...))
		}
	}
	return list
}
