package pcap

// KeepHeads has the Reader remember what has to be read before a record, for DatagramReader.Here. It is to be called
// before the first packet is read.
func (r *Reader) KeepHeads() { r.keepsHead = true }

// Compressed reports whether a file that begins with head, of four bytes at least, is compressed.
func Compressed(head []byte) bool { return len(head) >= 4 && compressionOf(head) != uncompressed }

// noteCalm notes where the file is, while no fragment waits: reading again begins there.
func (d *DatagramReader) noteCalm() {
	if d.file != nil && d.file.keepsHead && d.frags.oldest == nil {
		d.calm = mark{at: d.file.in.off, n: d.file.packets, head: d.file.head}
	}
}

// Here is the Part that begins after the packet read last, of a Reader that keeps its heads (KeepHeads). To is left to
// the caller: the end of the file, or of what is there of it. Reading the Part gives the datagrams that Next would give
// from now on, because it begins where no fragment waited; an exception is a file in which fragments wait for more than
// 8 MiB without a gap, of which those before are not put together again. Parts between which no section and no interface
// begins share one Head.
//
// Of a compressed capture the bytes are those of its contents.
func (d *DatagramReader) Here() Part {
	r := d.file
	if r == nil || !r.keepsHead {
		panic("pcap: Here of a source that keeps no heads")
	}
	d.noteCalm()
	from := d.calm
	if r.in.off-from.at > warmBytes {
		from = mark{at: r.in.off, n: r.packets, head: r.head}
	}
	return Part{From: r.in.off, Base: r.packets, Warm: from.at, WarmBase: from.n, Head: from.head[:len(from.head):len(from.head)]}
}

// Offset is how many bytes of the capture, unpacked, come before the next record: those that were read.
func (r *Reader) Offset() int64 { return r.in.off }
