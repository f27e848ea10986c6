package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The bounds of a page. It ends after the rows that come to one of them.
const (
	pageCells = 32 << 10  // numbers, or runs of levels
	pageBytes = 256 << 10 // of texts
	pageNulls = 1 << 20   // cells of any kind
	dictBytes = 1 << 20   // of a dictionary: beyond, words are as texts
	dictLongs = 64        // bytes of a word that the least and greatest of a column may have
)

// chunk is a column of the row group at hand. It is used again for the next.
type chunk struct {
	*column
	page  cells // of the page to come; of words nums are their numbers
	cells int   // in it
	nulls int   // of them
	plain bool  // words are as texts from here on
	words map[string]uint32
	dict  []byte // the words, as in a file

	pages     []byte // that are done
	encodings []format.Encoding
	raw       int64 // bytes of the pages before they were compressed, with their headers
	all       int64 // cells of the pages
	allNulls  int64

	least, greatest uint64 // of the numbers; valid iff ordered
	ordered         bool
	unordered       bool // there is a NaN

	// How numbers lie, which their first page decides for the whole file.
	decided bool
	second  bool // as forms[form].second
}

// press compresses, and has room for what is made on the way.
type press struct {
	compress func(src, dst []byte) []byte
	hybrid   hybrid
	body     []byte
	packed   []byte
	int32s   []int32
	int64s   []int64
}

// add adds cells of whole rows.
func (c *chunk) add(o *cells, p *press) {
	for _, r := range o.runs {
		c.skip(int(r.n), r.def, r.rep)
	}
	c.page.nums = append(c.page.nums, o.nums...)
	if forms[c.form].kind != format.ByteArray {
		return
	}
	if c.form != formWord || c.plain {
		c.page.room = append(c.page.room, o.room...)
		return
	}
	for room := o.room; len(room) > 0; {
		size := 4 + binary.LittleEndian.Uint32(room)
		word := room[:size]
		room = room[size:]
		at, known := c.words[string(word[4:])]
		if !known {
			if c.words == nil {
				c.words = map[string]uint32{}
			}
			at = uint32(len(c.words))
			c.words[string(word[4:])] = at
			c.dict = append(c.dict, word...)
		}
		c.page.nums = append(c.page.nums, uint64(at))
	}
	if len(c.dict) > dictBytes {
		c.end(p)
		c.plain = true
	}
}

// skip adds n cells of some levels.
func (c *chunk) skip(n int, def, rep uint8) {
	c.page.level(n, def, rep)
	c.cells += n
	if def < c.def {
		c.nulls += n
	}
}

// full reports whether the page is to end.
func (c *chunk) full() bool {
	return len(c.page.nums) >= pageCells || len(c.page.runs) >= pageCells || len(c.page.room) >= pageBytes || c.cells >= pageNulls
}

// held is how many bytes are taken until the row group ends.
func (c *chunk) held() int { return c.page.held() + cap(c.pages) + 2*cap(c.dict) + 64*len(c.words) }

// end ends the page, if there is any.
func (c *chunk) end(p *press) {
	if c.cells == 0 {
		return
	}
	body := p.hybrid.levels(p.body[:0], c.page.runs, bits.Len8(c.rep), func(r *run) uint8 { return r.rep })
	body = p.hybrid.levels(body, c.page.runs, bits.Len8(c.def), func(r *run) uint8 { return r.def })
	levels := len(body)
	body, encoding := c.values(body, p)
	packed := p.compress(body, p.packed[:0])
	if len(c.page.nums) > 0 && !c.decided && forms[c.form].second != 0 {
		c.decided, c.second = true, true
		other, better := c.values(bytes.Clone(body[:levels]), p)
		if again := p.compress(other, nil); len(again) < len(packed)-len(packed)/32 {
			body, packed, encoding = other, again, better
		} else {
			c.second = false
		}
	}
	c.bound()
	c.write(&format.PageHeader{
		Type: format.DataPage,
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(c.cells), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
			Statistics: format.Statistics{NullCount: int64(c.nulls)},
		}),
	}, len(body), packed)
	c.use(encoding)
	p.body, p.packed = body, packed
	c.all += int64(c.cells)
	c.allNulls += int64(c.nulls)
	c.cells, c.nulls = 0, 0
	c.page.empty()
}

// use notes an encoding that a page has.
func (c *chunk) use(e format.Encoding) {
	for _, known := range c.encodings {
		if known == e {
			return
		}
	}
	c.encodings = append(c.encodings, e)
}

// write adds a page with its header to those that are done.
func (c *chunk) write(h *format.PageHeader, size int, packed []byte) {
	h.UncompressedPageSize, h.CompressedPageSize = int32(size), int32(len(packed))
	head := marshalThrift(h)
	c.pages = append(append(c.pages, head...), packed...)
	c.raw += int64(len(head) + size)
}

// values appends the page's values.
func (c *chunk) values(b []byte, p *press) ([]byte, format.Encoding) {
	switch {
	case c.form == formWord && !c.plain && len(c.page.nums) > 0:
		h := &p.hybrid
		h.width = max(bits.Len(uint(len(c.words)-1)), 1)
		h.out = append(b, byte(h.width))
		for _, at := range c.page.nums {
			h.add(uint32(at), 1)
		}
		h.pack()
		return h.out, format.RLEDictionary
	case c.second:
		return forms[c.form].spread(b, c.page.nums, p), forms[c.form].second
	case forms[c.form].kind == format.ByteArray:
		return append(b, c.page.room...), format.Plain
	}
	return forms[c.form].append(b, c.page.nums), format.Plain
}

// bound counts the page's numbers for the least and the greatest.
func (c *chunk) bound() {
	if c.form == formWord || c.form == formBool {
		return
	}
	if len(c.page.nums) == 0 {
		return
	}
	if !c.ordered {
		c.least, c.greatest, c.ordered = c.page.nums[0], c.page.nums[0], true
	}
	switch {
	case c.form == formFloat || c.form == formDouble:
		least, greatest := c.float(c.least), c.float(c.greatest)
		for _, v := range c.page.nums {
			f := c.float(v)
			least, greatest = min(least, f), max(greatest, f) // NaN if one is
		}
		c.unordered = c.unordered || least != least
		c.least, c.greatest = c.floatBits(least), c.floatBits(greatest)
	case c.signed:
		least, greatest := int64(c.least), int64(c.greatest)
		for _, v := range c.page.nums {
			least, greatest = min(least, int64(v)), max(greatest, int64(v))
		}
		c.least, c.greatest = uint64(least), uint64(greatest)
	default:
		for _, v := range c.page.nums {
			c.least, c.greatest = min(c.least, v), max(c.greatest, v)
		}
	}
}

// floatBits are those of a float of the column, as cells have them.
func (c *chunk) floatBits(v float64) uint64 {
	if c.form == formFloat {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func (c *chunk) float(v uint64) float64 {
	if c.form == formFloat {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// statistics are what engines pass over row groups by.
func (c *chunk) statistics() format.Statistics {
	s := format.Statistics{NullCount: c.allNulls}
	switch {
	case c.ordered && !c.unordered:
		least, greatest := c.least, c.greatest
		if c.form == formFloat || c.form == formDouble { // a zero stands for both
			if c.float(least) == 0 {
				least = 1 << (forms[c.form].size*8 - 1)
			}
			if c.float(greatest) == 0 {
				greatest = 0
			}
		}
		s.MinValue, s.MaxValue = forms[c.form].append(nil, []uint64{least}), forms[c.form].append(nil, []uint64{greatest})
	case c.form == formWord && !c.plain && len(c.words) > 0:
		var least, greatest []byte
		for room, first := c.dict, true; len(room) > 0; first = false {
			size := 4 + binary.LittleEndian.Uint32(room)
			word := room[4:size]
			room = room[size:]
			if len(word) > dictLongs {
				return s
			}
			if first || bytes.Compare(word, least) < 0 {
				least = word
			}
			if first || bytes.Compare(word, greatest) > 0 {
				greatest = word
			}
		}
		s.MinValue, s.MaxValue = bytes.Clone(least), bytes.Clone(greatest)
	}
	return s
}

// dictionary makes the page of words that comes before the others, empty where there is none.
func (c *chunk) dictionary(p *press) []byte {
	if len(c.words) == 0 {
		return nil
	}
	pages := c.pages
	c.pages = nil
	c.write(&format.PageHeader{
		Type:                 format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(len(c.words)), Encoding: format.Plain}),
	}, len(c.dict), p.compress(c.dict, p.packed[:0]))
	dict := c.pages
	c.pages = pages
	c.use(format.Plain)
	return dict
}

// reset forgets the row group; keep says whether the room for the next one stays.
func (c *chunk) reset(keep bool) {
	*c = chunk{column: c.column, page: c.page, words: c.words, dict: c.dict[:0], pages: c.pages[:0], encodings: c.encodings[:0],
		decided: c.decided, second: c.second}
	clear(c.words)
	if !keep {
		c.page, c.words, c.dict, c.pages = cells{}, nil, nil, nil
	}
}

// packInt32 and packInt64 append numbers as the steps between them, of as many bits as those need.
func packInt32(b []byte, nums []uint64, p *press) []byte {
	p.int32s = p.int32s[:0]
	for _, v := range nums {
		p.int32s = append(p.int32s, int32(v))
	}
	made, err := new(delta.BinaryPackedEncoding).EncodeInt32(nil, p.int32s)
	mustEncode(err)
	return append(b, made...)
}

func packInt64(b []byte, nums []uint64, p *press) []byte {
	p.int64s = p.int64s[:0]
	for _, v := range nums {
		p.int64s = append(p.int64s, int64(v))
	}
	made, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, p.int64s)
	mustEncode(err)
	return append(b, made...)
}

// splitter appends the first bytes of all numbers, then the second ones, and so on: the exponents of floats are alike.
func splitter(size int) func(b []byte, nums []uint64, p *press) []byte {
	return func(b []byte, nums []uint64, _ *press) []byte {
		for shift := 0; shift < 8*size; shift += 8 {
			for _, v := range nums {
				b = append(b, byte(v>>shift))
			}
		}
		return b
	}
}

func append32(b []byte, nums []uint64) []byte {
	for _, v := range nums {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func append64(b []byte, nums []uint64) []byte {
	for _, v := range nums {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func appendBits(b []byte, nums []uint64) []byte {
	for i, v := range nums {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[len(b)-1] |= byte(v) << (i % 8)
	}
	return b
}
