package pcap

import (
	"errors"
	"io"
)

// Decompress reads what r holds, unpacked where it is gzip or Zstandard by its first bytes, for files that belong to
// captures and are no captures. Memory is bounded as a Reader's is: 512 KiB, and where it is Zstandard a window of at
// most 8 MiB; how much comes out is for the caller to bound. Errors are one line, or r's own.
//
// Close lets go of the memory; r is not closed.
func Decompress(r io.Reader) io.ReadCloser { return DecompressWithin(r, 0) }

// DecompressWithin is Decompress of what may hold at most so many times its size, as Reader.MaxExpansion has it; 0 is
// any number.
func DecompressWithin(r io.Reader, times int64) io.ReadCloser {
	d := &decompressor{times: times}
	d.in.reset(r)
	return d
}

type decompressor struct {
	in      input
	front   front
	started bool
	closed  bool
	times   int64
}

func (d *decompressor) Read(p []byte) (int, error) {
	if d.closed {
		return 0, errClosed
	}
	if !d.started {
		d.started = true
		if head := d.in.peek(4); len(head) == 4 {
			if kind := compressionOf(head); kind != uncompressed {
				d.in = d.front.begin(d.in, kind, d.times)
			}
		}
	}
	n, err := d.in.Read(p)
	if e, ok := err.(*compressedError); ok && n == 0 {
		err = errors.New(e.reason)
	}
	return n, err
}

func (d *decompressor) Close() error {
	if d.front.zs != nil {
		d.front.zs.Close()
	}
	*d = decompressor{closed: true}
	return nil
}
