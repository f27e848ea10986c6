package pcap

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/netip"
	"time"

	"github.com/google/gopacket"
)

// A Writer writes a pcapng file: sections, interfaces, nanoseconds, original
// lengths and comments as a Reader gave them. Source: draft-ietf-opsawg-pcapng.
//
// Only whole blocks are handed to the io.Writer, many in one call, so whatever
// happens after it the file is good up to its last whole block. Call Flush
// when nothing more comes, or after each packet if somebody waits for it.
//
// A Writer may not be used by two goroutines at once.
type Writer struct {
	w       io.Writer
	buf     []byte // blocks that were not written, whole but for the one being built
	blockAt int    // where that one begins
	written int64  // bytes that were
	packets int64  // packets in them
	err     error  // sticky

	section    Section
	source     *Reader     // whose section this is; nil for the caller's own
	number     int64       // source's number of it
	open       bool        // a section header is in the file
	interfaces []Interface // of this section, if it is the caller's own
	count      int         // interfaces in this section
	udp        int         // the interface of WriteUDP, -1 for none yet
	known      known       // the interface of the packet before, if its origin is a describer
	frame      []byte      // of WriteUDP
}

// writeSize is how many bytes are collected before they are written.
const writeSize = 64 << 10

// nanoseconds is the if_tsresol of all interfaces written: 10^-9 s, one byte.
const nanoseconds = "\x09"

// NewWriter returns a Writer to w. section describes the packets whose origin
// does not describe itself: all but those of a Reader. Nothing is written
// before the first packet or Flush.
func NewWriter(w io.Writer, section Section) *Writer {
	return &Writer{w: w, section: section, udp: -1}
}

// A WriteError says how much of a capture was written before its io.Writer
// failed.
type WriteError struct {
	Bytes   int64 // written in all, the beginning of a block perhaps included
	Whole   int64 // those of them that are whole blocks: truncated there the file is valid
	Packets int64 // whole in them
	err     error
}

// Error is one line: "capture ends at byte 1234, after packet 5: no space …".
func (w *WriteError) Error() string {
	return fmt.Sprintf("capture ends at byte %d, after packet %d: %v", w.Bytes, w.Packets, w.err)
}

// Unwrap returns what the io.Writer said.
func (w *WriteError) Unwrap() error { return w.err }

// Size is how many bytes the file will have after Flush.
func (w *Writer) Size() int64 { return w.written + int64(len(w.buf)) }

// Flush writes what was collected; a file without packets gets its header. The
// error is a *WriteError, and stays.
func (w *Writer) Flush() error {
	if w.err == nil && w.Size() == 0 {
		w.err = w.begin(nil, 0, w.section)
	}
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	n, err := w.w.Write(w.buf)
	if n < 0 || n > len(w.buf) {
		panic("pktscope: internal error: io.Writer returned an impossible count")
	}
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	whole := w.written
	w.written += int64(n)
	for b := w.buf; len(b) >= blockFrame; {
		size := int(binary.LittleEndian.Uint32(b[4:]))
		if n -= size; n < 0 {
			break
		}
		if binary.LittleEndian.Uint32(b) == blockEnhanced {
			w.packets++
		}
		whole += int64(size)
		b = b[size:]
	}
	w.buf = w.buf[:0]
	if err != nil {
		w.err = &WriteError{Bytes: w.written, Whole: whole, Packets: w.packets, err: err}
	}
	return w.err
}

// Close ends the capture; it does not close the io.Writer. A capture without
// packets gets an interface, without which tcpdump complains.
func (w *Writer) Close() error {
	if !w.open {
		if err := w.own(); err != nil {
			return err
		}
	}
	if w.count == 0 {
		if _, err := w.AddInterface(Interface{Link: LinkEthernet}); err != nil {
			return err
		}
	}
	return w.Flush()
}

// WriteDatagram writes the packets that the datagram yielded last by d came
// in, all its fragments, with their interfaces and comments.
func (w *Writer) WriteDatagram(d *DatagramReader) error {
	for rec := range d.eachRecord {
		if err := w.from(d.src, rec.Info, rec.Data, rec.Comments()); err != nil {
			return err
		}
	}
	return w.err
}

// WriteRecords writes copies of the packets that one datagram came in from src.
func (w *Writer) WriteRecords(src PacketSource, records []Record) error {
	for i := range records {
		rec := &records[i]
		if err := w.from(src, rec.Info, rec.Data, rec.Comments()); err != nil {
			return err
		}
	}
	return w.err
}

// WriteFrom writes the packet that src returned last: data and ci. If src is a
// Reader, its section, interface and comments come along.
func (w *Writer) WriteFrom(src PacketSource, ci gopacket.CaptureInfo, data []byte) error {
	var comments []string
	if r, ok := src.(*Reader); ok {
		comments = r.Comments()
	}
	return w.from(src, ci, data, comments)
}

// A describer is a source that has more to say of its interfaces than their
// link types, as a live.Source does.
type describer interface{ Interface(id int) Interface }

// known is an interface of a describer, and its id in the caller's own section. Its origin is nil for none.
type known struct {
	origin    describer
	index, id int
}

// from writes a packet of src. Every section of a Reader becomes one of the
// file, with its interfaces under the same numbers, so nothing has to be looked
// up or remembered for them; they are written when they are first needed.
func (w *Writer) from(src PacketSource, ci gopacket.CaptureInfo, data []byte, comments []string) error {
	r, ok := src.(*Reader)
	if !ok {
		id, err := w.interfaceOf(src, ci.InterfaceIndex)
		if err != nil {
			return err
		}
		return w.WritePacket(id, ci, data, comments...)
	}
	if w.err != nil {
		return w.err
	}
	if !w.open || w.source != r || w.number != r.sections {
		if w.err = w.begin(r, r.sections, r.Section()); w.err != nil {
			return w.err
		}
	}
	for w.count <= ci.InterfaceIndex {
		ifc := r.Interface(w.count)
		if w.count == ci.InterfaceIndex && len(data) > int(ifc.SnapLen) {
			ifc.SnapLen = 0 // the file's claim is wrong, and readers check it
		}
		if err := w.describe(ifc); err != nil {
			return err
		}
	}
	return w.packet(ci, data, comments)
}

// interfaceOf returns the id, in the caller's own section, of the interface that src calls index. A describer says the
// same of an interface each time, so one that follows itself is not looked up again.
func (w *Writer) interfaceOf(src PacketSource, index int) (int, error) {
	d, ok := src.(describer)
	if !ok {
		return w.same(Interface{Link: src.LinkType()})
	}
	if w.known.origin == d && w.known.index == index {
		return w.known.id, w.err
	}
	id, err := w.same(d.Interface(index))
	if err == nil {
		w.known = known{d, index, id}
	}
	return id, err
}

// same returns the id of an interface described like ifc, in the caller's own
// section.
func (w *Writer) same(ifc Interface) (int, error) {
	if err := w.own(); err != nil {
		return 0, err
	}
	for id := range w.interfaces {
		if w.interfaces[id].Link == ifc.Link && w.interfaces[id].Name == ifc.Name {
			return id, nil
		}
	}
	return w.AddInterface(ifc)
}

// own begins the caller's own section, unless it is the one at hand.
func (w *Writer) own() error {
	if w.err == nil && (!w.open || w.source != nil) {
		w.err = w.begin(nil, 0, w.section)
	}
	return w.err
}

// AddInterface describes an interface of the caller's own section, and returns
// its id for WritePacket. After packets of a Reader it begins a new section, in
// which earlier ids mean nothing.
func (w *Writer) AddInterface(ifc Interface) (id int, err error) {
	if err := w.own(); err != nil {
		return 0, err
	}
	if w.count >= MaxInterfaces {
		return 0, fmt.Errorf("capture: want at most %d interfaces in a section, got more", MaxInterfaces)
	}
	if err := w.describe(ifc); err != nil {
		return 0, err
	}
	w.interfaces = append(w.interfaces, ifc)
	return w.count - 1, nil
}

// WritePacket writes a packet of an interface that AddInterface returned. Of ci
// the Timestamp (to ns, 1677 to 2262; before 1970 as a signed number, an odd time) and the Length on the wire are used, at
// least len(data), which may be MaxPacket bytes.
func (w *Writer) WritePacket(id int, ci gopacket.CaptureInfo, data []byte, comments ...string) error {
	if !w.open || w.source != nil || id < 0 || id >= w.count {
		panic("pktscope: internal error: packet of an interface that the capture does not have")
	}
	ci.InterfaceIndex = id
	return w.packet(ci, data, comments)
}

// WriteUDP writes a datagram that was never on a wire: an Ethernet frame with
// right lengths and checksums, as AppendUDP builds it, at time ns since 1970.
func (w *Writer) WriteUDP(time int64, src, dst netip.AddrPort, payload []byte, comments ...string) error {
	frame, err := AppendUDP(w.frame[:0], src, dst, payload)
	if err != nil {
		return err
	}
	w.frame = frame
	if !w.open || w.source != nil || w.udp < 0 {
		if w.udp, err = w.same(Interface{Link: LinkEthernet}); err != nil {
			return err
		}
	}
	return w.WritePacket(w.udp, captured(time, len(frame)), frame, comments...)
}

// captured is the capture info of a packet that is whole.
func captured(ns int64, size int) gopacket.CaptureInfo {
	return gopacket.CaptureInfo{Timestamp: time.Unix(0, ns), CaptureLength: size, Length: size}
}

// begin writes a section header.
func (w *Writer) begin(source *Reader, number int64, s Section) error {
	w.source, w.number, w.open = source, number, true
	w.interfaces, w.count, w.udp, w.known = w.interfaces[:0], 0, -1, known{}
	w.start(blockSection)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, byteOrderMagic)
	w.buf = append(w.buf, 1, 0, 0, 0)                           // version 1.0
	w.buf = binary.LittleEndian.AppendUint64(w.buf, ^uint64(0)) // length not told
	o := optionWriter{w: w}
	o.comments(s.Comments)
	o.text(optSectionHW, s.Hardware)
	o.text(optSectionOS, s.OS)
	o.text(optSectionApp, s.Application)
	if err := w.finish(o.end()); err != nil {
		return err
	}
	for _, ifc := range s.Interfaces {
		if err := w.describe(ifc); err != nil {
			return err
		}
		w.interfaces = append(w.interfaces, ifc)
	}
	return nil
}

// describe writes an interface block.
func (w *Writer) describe(ifc Interface) error {
	w.start(blockInterface)
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(ifc.Link))
	w.buf = append(w.buf, 0, 0)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, ifc.SnapLen)
	o := optionWriter{w: w}
	o.add(optTSResol, nanoseconds)
	o.text(optIfName, ifc.Name)
	o.text(optIfDescription, ifc.Description)
	o.comments(ifc.Comments)
	if ifc.Filter != "" {
		o.text(optIfFilter, "\x00"+ifc.Filter)
	}
	o.text(optIfOS, ifc.OS)
	o.text(optIfHardware, ifc.Hardware)
	if err := w.finish(o.end()); err != nil {
		return err
	}
	w.count++
	return nil
}

// packet writes an enhanced packet block.
func (w *Writer) packet(ci gopacket.CaptureInfo, data []byte, comments []string) error {
	ns := ci.Timestamp.UnixNano()
	switch {
	case w.err != nil:
		return w.err
	case len(data) > MaxPacket:
		return fmt.Errorf("capture: want packets of at most %d bytes, got %d", MaxPacket, len(data))
	}
	w.start(blockEnhanced)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(ci.InterfaceIndex))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(uint64(ns)>>32))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(ns))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(data)))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(min(max(ci.Length, len(data)), math.MaxInt32)))
	w.buf = append(w.buf, data...)
	w.pad()
	o := optionWriter{w: w}
	o.comments(comments)
	return w.finish(o.end())
}
