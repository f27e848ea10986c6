package anyschema

import (
	"slices"
	"strings"
)

// extent is the bits that the checksums in it may cover, and no others: the packet outside of arrays, an element, or a
// named struct, which may be in either.
type extent struct {
	packet bool
	start  place // where it begins, as far as that is known
	sums   []covered
}

// mostSums is how many checksums an extent may have, by the language.
const mostSums = 16

// covered is a checksum by the number of its field, and the numbers of those that it covers; until, where it is not nil, is
// the window at whose end the coverage ends.
type covered struct {
	at, from, to int
	until        *opening
}

// opening is a window around what is drawn. to holds once it is closed.
type opening struct {
	from, to int
	closed   bool
	bytes    bool // it begins and ends on bytes
}

// covers reports whether a checksum covers the field of a number.
func (c covered) covers(at int) bool {
	to := c.to
	if c.until != nil && c.until.closed {
		to = c.until.to
	}
	return c.from <= at && at <= to
}

// forever is above the number of every field.
const forever = 1 << 30

// edge is a field at which a coverage may begin or end: its places, and the numbers of what is in it.
type edge struct {
	path        string
	first, last place
	from, to    int
	scope       int
}

// mark adds a field, and those inside, to where a coverage may begin or end.
func (f *frame) mark(e edge, inside []*edge) {
	e.scope = f.scope
	f.ends = append(f.ends, &e)
	for _, in := range inside {
		c := *in
		c.path, c.scope = e.path+"."+in.path, f.scope
		f.ends = append(f.ends, &c)
	}
}

// at is the ends in a struct that is as the field of a number.
func (s *structure) at(start place, number int) []*edge {
	var all []*edge
	for _, e := range s.ends {
		c := *e
		c.first, c.last, c.from, c.to = start.then(e.first), start.then(e.last), number, number
		all = append(all, &c)
	}
	return all
}

// pads reports whether padding is before a value, which no coverage that begins at it has.
func (v *value) pads(f *frame) bool {
	return f.order != "bousk" && (v.kind == blob || v.kind == text && (v.word == "char" || v.word == "cstring"))
}

// reachable is the ends that no other name hides here.
func (f *frame) reachable() []*edge {
	return slices.DeleteFunc(slices.Clone(f.ends), func(e *edge) bool {
		name := root(e.path)
		return slices.Contains(f.veil, name) || slices.ContainsFunc(f.vars, func(v *variable) bool { return root(v.path) == name && v.scope != e.scope })
	})
}

// checksums are the words of the checksums, by their bits.
var checksums = []struct {
	bits  int64
	words string
}{
	{8, "crc8_smbus crc8_dvb_s2 crc8_maxim_dow crc8_sae_j1850 crc8_autosar crc8_bluetooth crc8_rohc crc8_i_432_1 " +
		"crc8_nrsc_5 crc8_wcdma crc8_darc sum8 lrc8 xor8"},
	{16, "crc16_arc crc16_modbus crc16_usb crc16_maxim_dow crc16_umts crc16_cms crc16_ibm_3740 crc16_xmodem " +
		"crc16_kermit crc16_mcrf4xx crc16_ibm_sdlc crc16_genibus crc16_gsm crc16_spi_fujitsu crc16_dnp " +
		"crc16_en_13757 crc16_t10_dif crc16_teledisk crc16_profibus crc16_dect_x sum16 fletcher16 inet16"},
	{24, "crc24_openpgp crc24_ble crc24_lte_a crc24_os_9 crc24_interlaken"},
	{32, "crc32 crc32c crc32_bzip2 crc32_mpeg_2 crc32_cksum crc32_jamcrc crc32_autosar crc32_aixm crc32_base91_d " +
		"crc32_xfer sum32 fletcher32 adler32"},
	{40, "crc40_gsm"},
	{64, "crc64_xz crc64_ecma_182 crc64_go_iso crc64_we crc64_nvme crc64_redis crc64_ms"},
}

// checksum is on a byte, wherever there is something that it may cover.
func (g *generator) checksum(f *frame, lines []string) []string {
	was := *f
	before := lines
	if f.at != onByte {
		lines = append(lines[:len(lines):len(lines)], "align")
		f.put(size{0, 0, 7}, onByte)
	}
	g.stood++
	text, bits, ok := g.sum(f)
	if !ok {
		*f = was
		return g.field(f, before)
	}
	name := g.name()
	f.put(fixed(bits), f.at)
	f.mark(edge{path: name, first: onByte, last: onByte, from: g.stood, to: g.stood}, nil)
	f.moved = true
	return append(lines, name+" "+text+g.notes(f, value{}, onField))
}

// armSum is a checksum as an arm of a switch, which it seldom is.
func (g *generator) armSum(f *frame) (text string, bits int64, ok bool) {
	if f.at != onByte || !g.once(8) {
		return "", 0, false
	}
	return g.sum(f)
}

// sum is the type of a checksum on a byte, as the field whose number was given last, and its bits; false where none
// may be.
func (g *generator) sum(f *frame) (text string, bits int64, ok bool) {
	if f.still || len(f.home.sums) >= mostSums {
		return "", 0, false
	}
	over, c, ok := g.coverage(f)
	if !ok {
		return "", 0, false
	}
	f.home.sums = append(f.home.sums, c)
	row := checksums[g.draw(len(checksums))]
	words := strings.Fields(row.words)
	text, bits = words[g.draw(len(words))], row.bits
	var options []string
	if g.draw(6) == 0 {
		six := pick(g, "false, 0, check 0x21CF02", "true, 7", "false, 1", "true, 0, xor 0x10203")
		text, bits = "crc", 24
		options = append(options, "24, 0x864CFB, 0xB704CE, false, "+six)
	} else if g.draw(3) > 0 {
		options = append(options, "prefix "+pick(g, g.sumValue(f),
			"0x44551177 : uint32", "0xFFFFFFFF : uint32 be", "0x1122334455667788 : uint64", "18446744073709551615 : uint64 be", "7 : uint32 le"))
		switch g.draw(7) {
		case 2:
			options = append(options, "suffix "+g.sumValue(f))
		case 3:
			options = append(options, "xor 0x5A")
		case 4:
			options = append(options, "suffix 7 : uint8")
		case 5:
			options = append(options, "suffix -2 : int16 be", "xor 1")
		case 6:
			options = append(options, "prefix 1 : uint8", "suffix 0xFFFF : uint16")
		}
	}
	if over != "" {
		options = append(options, "over "+over)
	}
	if len(options) > 0 {
		text += "(" + strings.Join(options, ", ") + ")"
	}
	if bits > 8 && g.once(6) {
		text += pick(g, " le", " be")
	}
	return text, bits, true
}

// coverage says what a checksum covers that is here: bits of its extent, whole bytes, and no other checksum that covers
// this one. "" is all that is around.
func (g *generator) coverage(f *frame) (over string, c covered, ok bool) {
	ends := f.reachable()
	for range 4 {
		if over, c, ok = g.covering(f, ends); ok && !slices.ContainsFunc(f.home.sums, func(o covered) bool { return o.covers(c.at) && c.covers(o.at) }) {
			return over, c, true
		}
	}
	return "", c, false
}

func (g *generator) covering(f *frame, ends []*edge) (over string, c covered, ok bool) {
	at := g.stood
	c = covered{at: at, to: at - 1}
	closed := f.win != nil && f.win.bytes || f.win == nil && f.home.packet // what is around begins and ends on bytes
	begins := func() (*edge, bool) {
		if len(ends) == 0 {
			return nil, false
		}
		e := recentEdge(g, ends)
		g.reads = append(g.reads, root(e.path))
		return e, e.first == onByte
	}
	switch g.draw(8) {
	case 0, 1: // all that is around
		c.to, c.until = forever, f.win
		if f.win != nil {
			c.from = f.win.from
		}
		return "", c, closed
	case 2:
		c.from, c.to, c.until = at+1, forever, f.win
		return "rest", c, closed
	case 3:
		return "before", c, f.home.start == onByte
	case 4:
		if e, ok := begins(); ok {
			c.from = e.from
			return e.path + "..", c, true
		}
	case 5:
		if e, _ := begins(); e != nil && f.home.start == onByte && e.last == onByte {
			c.to = e.to
			return ".." + e.path, c, true
		}
	case 6:
		if e, ok := begins(); ok && e.last == onByte {
			c.from, c.to = e.from, e.to
			return e.path, c, true
		}
	case 7:
		e, ok := begins()
		i := slices.Index(ends, e)
		if !ok || i < 0 {
			break
		}
		to := recentEdge(g, ends[i:])
		g.reads = append(g.reads, root(to.path))
		if c.from, c.to = e.from, to.to; to.last == onByte {
			return e.path + ".." + to.path, c, true
		}
	}
	return "", c, false
}

// recentEdge prefers what is last.
func recentEdge(g *generator, ends []*edge) *edge {
	if n := len(ends); g.draw(2) == 0 {
		return ends[n-1-g.draw(min(n, 3))]
	}
	return ends[g.draw(min(len(ends), 256))]
}

// sumValue is what is put before or after what a checksum covers.
func (g *generator) sumValue(f *frame) string {
	seen := f.inner()
	seen.still, seen.state = true, nil // it looks at nothing
	e := g.number(seen, 1)
	for _, t := range []struct {
		name string
		in   span
	}{{"uint8", between(0, 255)}, {"int16", between(-1<<15, 1<<15-1)}, {"uint32", between(0, 1<<32-1)}, {"uint64", span{zero, maxU64}}} {
		if e.in.inside(t.in) {
			return e.text + " : " + t.name + pick(g, "", " le", " be")
		}
	}
	return "1 : uint16"
}
