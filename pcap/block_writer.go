package pcap

import (
	"encoding/binary"
	"fmt"
)

// The blocks of a Writer, in little-endian. They are built at the end of its
// buffer, from start to finish, and never leave it in part.

// start begins a block. Its length is filled in by finish.
func (w *Writer) start(kind uint32) {
	w.blockAt = len(w.buf)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, kind)
	w.buf = append(w.buf, 0, 0, 0, 0)
}

// pad fills up the last word of the block. Blocks begin on words.
func (w *Writer) pad() { w.buf = append(w.buf, "\x00\x00\x00"[:-(len(w.buf)-w.blockAt)&3]...) }

// finish ends the block, or with an error takes it back; and writes the
// buffer when it is full.
func (w *Writer) finish(err error) error {
	if err != nil {
		w.buf = w.buf[:w.blockAt]
		return err
	}
	total := uint32(len(w.buf) - w.blockAt + 4)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, total)
	binary.LittleEndian.PutUint32(w.buf[w.blockAt+4:], total)
	if len(w.buf) >= writeSize {
		return w.Flush()
	}
	return nil
}

// An optionWriter appends options to the block that was begun.
type optionWriter struct {
	w    *Writer
	size int // bytes of options so far
	err  error
}

// add appends an option.
func (o *optionWriter) add(code uint16, value string) {
	o.header(code, len(value))
	if o.err == nil {
		o.w.buf = append(o.w.buf, value...)
		o.w.pad()
	}
}

// text appends an option unless it is empty.
func (o *optionWriter) text(code uint16, value string) {
	if value != "" {
		o.add(code, value)
	}
}

// comments appends one option for each, also for the empty ones.
func (o *optionWriter) comments(list []string) {
	for _, c := range list {
		o.add(optComment, c)
	}
}

// header appends code and length, if the bounds of our own Reader hold. What a
// Reader gave and has no room with what we add is left out, so that a hostile
// capture cannot keep its packets from being written.
func (o *optionWriter) header(code uint16, size int) {
	if o.err != nil {
		return
	}
	if size > 0xffff {
		o.err = fmt.Errorf("capture: want comments and names of at most 65535 bytes, got %d", size)
		return
	}
	padded := 4 + (size+3)&^3
	if o.size+padded+4 > maxOptions {
		o.err = fmt.Errorf("capture: want at most %d bytes of comments and names in a block, got more", maxOptions)
		return
	}
	o.size += padded
	o.w.buf = binary.LittleEndian.AppendUint16(o.w.buf, code)
	o.w.buf = binary.LittleEndian.AppendUint16(o.w.buf, uint16(size))
}

// end closes the list, if there is one.
func (o *optionWriter) end() error {
	if o.size > 0 {
		o.w.buf = append(o.w.buf, 0, 0, 0, 0)
	}
	if o.w.source != nil {
		return nil
	}
	return o.err
}
