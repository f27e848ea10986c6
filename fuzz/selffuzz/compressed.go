package selffuzz

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/pktscope/pktscope/pcap"
)

// The bits of Compressed's first byte.
const (
	packZstd   = 1 << 0 // else gzip
	packSplit  = 1 << 1 // two members or frames
	packTight  = 1 << 2 // gzip: compressed, not only stored; zstd: runs of one byte as such
	packFlips  = 1 << 3 // the next two bytes are a bit to flip in what was packed
	packMost   = 64 << 10
	zstdBlocks = 128 << 10 // bytes in one block, at most
)

// Compressed attacks the readers of compressed captures after their checksums, where random bytes do not come: the
// input is a byte that says how to pack the rest, and a capture. Packed it must give the same datagrams as it is, the
// same counts and the same end. interesting says that it held a datagram.
func Compressed(data []byte) (bool, error) {
	if len(data) < 4 || len(data) > packMost {
		return false, nil
	}
	how, file := data[0], data[3:]
	packed, err := pack(how, file)
	if err != nil {
		return false, err
	}
	if how&packFlips != 0 {
		bit := int(binary.LittleEndian.Uint16(data[1:])) % (8 * len(packed))
		packed[bit/8] ^= 1 << (bit % 8)
		return Capture(packed)
	}
	if compressed(file) {
		_, err := Capture(packed) // twice is refused
		return false, err
	}
	if _, err := Capture(packed); err != nil {
		return false, err
	}
	plain := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file)))
	reader := pcap.NewReader(bytes.NewReader(packed))
	defer reader.Close()
	unpacked := pcap.NewDatagrams(reader)
	for {
		want, wantErr := plain.Next()
		got, gotErr := unpacked.Next()
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && sameEnd(wantErr, gotErr) != nil {
			return false, fmt.Errorf("plain: %v, packed: %v", wantErr, gotErr)
		}
		if wantErr != nil {
			if a, b := plain.Counts(), unpacked.Counts(); !reflect.DeepEqual(a, b) {
				return false, fmt.Errorf("plain: %+v, packed: %+v", a, b)
			}
			return plain.Counts().Datagrams > 0, nil
		}
		if want.N != got.N || want.Time != got.Time || want.Src != got.Src || want.Dst != got.Dst || want.Size != got.Size || !bytes.Equal(want.Payload, got.Payload) {
			return false, fmt.Errorf("packet %d: plain: at %d from %v to %v: %x, packed: packet %d at %d from %v to %v: %x",
				want.N, want.Time, want.Src, want.Dst, want.Payload, got.N, got.Time, got.Src, got.Dst, got.Payload)
		}
	}
}

// sameEnd compares how a capture ended, plain and packed.
func sameEnd(plain, packed error) error {
	var a, b *pcap.FormatError
	switch {
	case plain == io.EOF && packed == io.EOF:
		return nil
	case !errors.As(plain, &a) || !errors.As(packed, &b):
		return errors.New("of another type")
	case b.Compression == "" || a.Offset != b.Offset || a.Reason != b.Reason || !errors.Is(b, a.Unwrap()):
		return errors.New("elsewhere, or for another reason")
	}
	return nil
}

// pack makes a whole gzip or zstd file.
func pack(how byte, file []byte) ([]byte, error) {
	half := len(file)
	if how&packSplit != 0 {
		half /= 2
	}
	var out []byte
	for _, part := range [][]byte{file[:half], file[half:]} {
		if how&packZstd != 0 {
			out = zstdFrame(out, part, how&packTight != 0)
			continue
		}
		level := gzip.NoCompression
		if how&packTight != 0 {
			level = gzip.BestSpeed
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, level)
		if err == nil {
			_, err = w.Write(part)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
		out = append(out, b.Bytes()...)
	}
	return out, nil
}

// zstdFrame appends a frame of raw blocks and, when tight, runs of one byte (RFC 8878, section 3.1.1).
func zstdFrame(b, content []byte, tight bool) []byte {
	const raw, run = 0, 1
	b = append(b, 0x28, 0xb5, 0x2f, 0xfd, 0xe0) // one segment, its size in 8 bytes, no checksum
	b = binary.LittleEndian.AppendUint64(b, uint64(len(content)))
	block := func(kind, last, size int, data []byte) {
		head := last | kind<<1 | size<<3
		b = append(append(b, byte(head), byte(head>>8), byte(head>>16)), data...)
	}
	for tight && len(content) > 0 {
		n := 1
		for n < len(content) && content[n] == content[0] {
			n++
		}
		if n < 16 {
			at := min(16, len(content))
			block(raw, 0, at, content[:at])
			content = content[at:]
			continue
		}
		n = min(n, zstdBlocks)
		block(run, 0, n, content[:1])
		content = content[n:]
	}
	block(raw, 1, len(content), content) // a frame has a last block, though it be empty
	return b
}
