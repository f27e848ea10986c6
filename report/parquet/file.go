package parquet

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// file writes row groups one after the other, and an index of them at the end.
type file struct {
	out    io.Writer
	layout *Layout
	at     int64 // bytes written
	chunks []chunk
	press  press
	rows   int64
	groups []format.RowGroup
}

const magic = "PAR1"

// newFile begins a file of a layout's columns.
func newFile(out io.Writer, l *Layout) *file {
	const window = 512 << 10 // more than a page has, as a rule
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevel), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true), zstd.WithLowerEncoderMem(true))
	mustEncode(err)
	f := &file{out: out, layout: l, chunks: make([]chunk, len(l.columns)), press: press{compress: z.EncodeAll}}
	for i := range f.chunks {
		f.chunks[i].column = &l.columns[i]
	}
	return f
}

const zstdLevel = zstd.SpeedDefault

func (f *file) write(b []byte) error {
	if f.at == 0 {
		b = append([]byte(magic), b...)
	}
	n, err := f.out.Write(b)
	f.at += int64(n)
	return err
}

// endGroup writes a row group.
func (f *file) endGroup(rows int, keep bool) error {
	if f.at == 0 {
		if err := f.write(nil); err != nil {
			return err
		}
	}
	g := format.RowGroup{NumRows: int64(rows), FileOffset: f.at, Ordinal: int16(min(len(f.groups), 1<<15-1)), Columns: make([]format.ColumnChunk, len(f.chunks))}
	for i := range f.chunks {
		c := &f.chunks[i]
		c.end(&f.press)
		m := &g.Columns[i].MetaData
		*m = format.ColumnMetaData{Type: forms[c.form].kind, PathInSchema: f.layout.paths[i], Codec: format.Zstd, NumValues: c.all, Statistics: c.statistics()}
		if dict := c.dictionary(&f.press); len(dict) > 0 {
			m.DictionaryPageOffset = f.at
			if err := f.write(dict); err != nil {
				return err
			}
			m.TotalCompressedSize = int64(len(dict))
		}
		m.DataPageOffset = f.at
		if err := f.write(c.pages); err != nil {
			return err
		}
		c.use(format.RLE) // of levels
		m.Encoding = append(m.Encoding, c.encodings...)
		m.TotalCompressedSize += int64(len(c.pages))
		m.TotalUncompressedSize = c.raw
		g.TotalByteSize += m.TotalUncompressedSize
		g.TotalCompressedSize += m.TotalCompressedSize
		c.reset(keep)
	}
	f.groups = append(f.groups, g)
	f.rows += int64(rows)
	return nil
}

// close writes the index, with some pairs of keys and values.
func (f *file) close(pairs [][2]string) error {
	index := format.FileMetaData{Version: 2, Schema: f.layout.schema(), NumRows: f.rows, RowGroups: f.groups, CreatedBy: "pktscope"}
	for _, pair := range pairs {
		index.KeyValueMetadata = append(index.KeyValueMetadata, format.KeyValue{Key: pair[0], Value: pair[1]})
	}
	for range f.chunks {
		index.ColumnOrders = append(index.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	b := marshalThrift(&index)
	return f.write(append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), magic...))
}

func marshalThrift(v any) []byte {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	mustEncode(err)
	return b
}

// mustEncode is for what only fails of a fault of this package.
func mustEncode(err error) {
	if err != nil {
		panic("pktscope: internal error: parquet: " + err.Error())
	}
}
