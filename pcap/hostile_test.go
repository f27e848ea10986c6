package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// A readRow is a capture, the data of the packets before its error, and the
// error. The rows seed FuzzReader too.
type readRow struct {
	name string
	file []byte
	want []string
	err  string
	kind error
}

func hostileRows() []readRow {
	classic := fileHeader(le, magicMicro, 1)
	one := honestRecord(le, 1, 2, []byte("first")) // 21 bytes
	ng := cat(shb(le), idb(le, LinkEthernet, 0))   // 28 + 20 bytes
	ngOne := epb(le, 0, 1, []byte("first"))        // 28 + 8 + 4 bytes
	const at, ngAt = 24 + 16 + 5, 28 + 20 + 28 + 8 + 4
	first := []string{"first"}
	return []readRow{
		// Not a capture.
		{"zero bytes", nil, nil, "byte 0: empty: want a pcap or pcapng file", ErrNotCapture},
		{"one byte, no magic", []byte{'x'}, nil, "byte 0: no magic: want a pcap or pcapng file", ErrNotCapture},
		{"one byte of a magic", []byte{0xd4}, nil, "byte 1: cut in magic: want 4 bytes from byte 0, got 1", ErrCut},
		{"three bytes, no magic", []byte{0x0a, 0x0d, 0x0e}, nil, "byte 0: no magic: want a pcap or pcapng file", ErrNotCapture},
		{"text", []byte("GIF89a, or text"), nil, "byte 0: no magic: want a pcap or pcapng file", ErrNotCapture},
		{"kuznetzov's magic", fileHeader(le, 0xa1b2cd34, 1), nil, "byte 0: no magic: want a pcap or pcapng file", ErrNotCapture},

		// Classic pcap.
		{"version", cat(classic[:4], []byte{3, 0}, classic[6:], one), nil, "byte 4: pcap version: want 2.0 to 2.4, got 3.4", ErrMalformed},
		{"packet of 4 GiB", cat(classic, one, record(le, 0, 0, 1<<32-1, 1<<32-1, repeat(99))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want 0..262144, got 4294967295", at+8), ErrMalformed},
		{"packet one byte too long", cat(classic, one, honestRecord(le, 0, 0, repeat(MaxPacket+1))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want 0..262144, got 262145", at+8), ErrMalformed},
		{"packet that is not there", cat(classic, one, record(le, 0, 0, MaxPacket, MaxPacket, nil)), first,
			fmt.Sprintf("byte %d: cut in packet 2: want 262160 bytes from byte %d, got 16", at+16, at), ErrCut},

		// Block lengths.
		{"block of 4 GiB", cat(ng, ngOne, rawBlock(le, 0x77, 1<<32-4, repeat(40), 0)), first,
			fmt.Sprintf("byte %d: length of block: want 12..16777216 in steps of 4, got 4294967292", ngAt+4), ErrMalformed},
		{"block of length zero", cat(ng, ngOne, rawBlock(le, 0x77, 0, nil, 0)), first,
			fmt.Sprintf("byte %d: length of block: want 12..16777216 in steps of 4, got 0", ngAt+4), ErrMalformed},
		{"block length not a multiple of 4", cat(ng, ngOne, rawBlock(le, 0x77, 14, repeat(2), 14)), first,
			fmt.Sprintf("byte %d: length of block: want 12..16777216 in steps of 4, got 14", ngAt+4), ErrMalformed},
		{"trailing length differs", cat(ng, ngOne, rawBlock(le, 0x77, 16, repeat(4), 20)), first,
			fmt.Sprintf("byte %d: length after block: want 16 as before it, got 20", ngAt+12), ErrMalformed},
		{"trailing length of a packet differs", cat(ng, ngOne, rawBlock(le, blockEnhanced, 32, epbBody(le, 0, 0, 0, 0, nil, nil), 0)), first,
			fmt.Sprintf("byte %d: length after block: want 32 as before it, got 0", ngAt+28), ErrMalformed},
		{"skipped block that is not there", cat(ng, ngOne, rawBlock(le, 0x77, 16<<20, repeat(4), 0)), first,
			fmt.Sprintf("byte %d: cut in block: want 16777216 bytes from byte %d, got 16", ngAt+16, ngAt), ErrCut},
		{"enhanced packet block too short", cat(ng, ngOne, block(le, blockEnhanced, repeat(16))), first,
			fmt.Sprintf("byte %d: length of enhanced packet block: want 32..16777216 in steps of 4, got 28", ngAt+4), ErrMalformed},
		{"packet block too short", cat(ng, ngOne, block(le, blockPacket, repeat(16))), first,
			fmt.Sprintf("byte %d: length of packet block: want 32..16777216 in steps of 4, got 28", ngAt+4), ErrMalformed},
		{"simple packet block too short", cat(ng, ngOne, block(le, blockSimple, nil)), first,
			fmt.Sprintf("byte %d: length of simple packet block: want 16..16777216 in steps of 4, got 12", ngAt+4), ErrMalformed},
		{"interface block too short", cat(ng, ngOne, block(le, blockInterface, repeat(4))), first,
			fmt.Sprintf("byte %d: length of interface block: want 20..16777216 in steps of 4, got 16", ngAt+4), ErrMalformed},

		// Sections.
		{"byte-order magic", cat(ng, ngOne, block(le, blockSection, repeat(16))), first,
			fmt.Sprintf("byte %d: section header: byte-order magic: want 0x1a2b3c4d in either order, got 0x78787878", ngAt+8), ErrMalformed},
		{"section too short", cat(ng, ngOne, block(le, blockSection, le.AppendUint32(nil, byteOrderMagic))), first,
			fmt.Sprintf("byte %d: length of section header: want 28..16777216 in steps of 4, got 16", ngAt+4), ErrMalformed},
		{"section of 4 GiB", rawBlock(le, blockSection, 1<<32-4, shbBody(le, 1, -1, nil), 0), nil,
			"byte 4: length of section header: want 28..16777216 in steps of 4, got 4294967292", ErrMalformed},
		{"section with options of 1 MiB", rawBlock(be, blockSection, 28+1<<20, shbBody(be, 1, -1, nil), 0), nil,
			"byte 4: section header: options: want at most 131072 bytes, got 1048576", ErrMalformed},
		{"version 2", block(be, blockSection, shbBody(be, 2, -1, nil)), nil, "byte 12: pcapng version: want 1, got 2", ErrMalformed},
		{"byte order changes without a section", cat(ng, ngOne, epb(be, 0, 1, []byte("other"))), first,
			fmt.Sprintf("byte %d: length of block: want 12..16777216 in steps of 4, got 671088640", ngAt+4), ErrMalformed},
		{"section ends the interfaces of the one before", cat(ng, ngOne, shb(be), epb(be, 0, 1, nil)), first,
			fmt.Sprintf("byte %d: packet 2: interface id: the section has 0 so far, got 0", ngAt+28+8), ErrMalformed},

		// Interfaces.
		{"if_tsresol of two bytes", cat(shb(le), idb(le, 1, 0, opt(le, optTSResol, 6, 0))), nil,
			"byte 46: interface block: length of if_tsresol: want 1, got 2", ErrMalformed},
		{"if_tsoffset of four bytes", cat(shb(le), idb(le, 1, 0, opt(le, optTSOffset, 6, 0, 0, 0))), nil,
			"byte 46: interface block: length of if_tsoffset: want 8, got 4", ErrMalformed},
		{"option past its block", cat(shb(le), block(le, blockInterface, idbBody(le, 1, 0, []byte{2, 0, 0xff, 0xff}))), nil,
			"byte 46: interface block: length of option 2: want at most 0 bytes, got 65535", ErrMalformed},
		{"option's padding past its block", cat(ng, ngOne, epb(le, 0, 0, nil, []byte{1, 0, 1, 0})), first,
			fmt.Sprintf("byte %d: packet 2: length of option 1: want at most 0 bytes, got 1", ngAt+28+2), ErrMalformed},
		{"section's option past its block", block(le, blockSection, shbBody(le, 1, -1, []byte{4, 0, 5, 0, 'a', 'b', 'c', 'd'})), nil,
			"byte 26: section header: length of option 4: want at most 4 bytes, got 5", ErrMalformed},
		{"interface with options of 1 MiB", cat(shb(le), rawBlock(le, blockInterface, 20+1<<20, idbBody(le, 1, 0, nil), 0)), nil,
			"byte 32: interface block: options: want at most 131072 bytes, got 1048576", ErrMalformed},
		{"packet with options of 1 MiB", cat(ng, ngOne, rawBlock(le, blockEnhanced, 32+1<<20, epbBody(le, 0, 0, 0, 0, nil, nil), 0)), first,
			fmt.Sprintf("byte %d: packet 2: options: want at most 131072 bytes, got 1048576", ngAt+4), ErrMalformed},
		{"interface id that does not exist", cat(ng, ngOne, epb(le, 1, 0, nil)), first,
			fmt.Sprintf("byte %d: packet 2: interface id: the section has 1 so far, got 1", ngAt+8), ErrMalformed},
		{"interface id of 4 Gi", cat(ng, ngOne, epb(le, 1<<32-1, 0, nil)), first,
			fmt.Sprintf("byte %d: packet 2: interface id: the section has 1 so far, got 4294967295", ngAt+8), ErrMalformed},
		{"obsolete packet of no interface", cat(ng, ngOne, opb(le, 0xffff, 0, nil)), first,
			fmt.Sprintf("byte %d: packet 2: interface id: the section has 1 so far, got 65535", ngAt+8), ErrMalformed},
		{"simple packet without interface", cat(shb(le), spb(le, 5, []byte("first"))), nil,
			"byte 28: packet 1: simple packet block before any interface block", ErrMalformed},

		// Packet blocks.
		{"enhanced packet of 4 GiB", cat(ng, ngOne, block(le, blockEnhanced, epbBody(le, 0, 0, 1<<32-1, 1<<32-1, repeat(8), nil))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want 0..262144, got 4294967295", ngAt+20), ErrMalformed},
		{"enhanced packet larger than its block", cat(ng, ngOne, block(le, blockEnhanced, epbBody(le, 0, 0, 9, 9, repeat(8), nil))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want at most the 8 bytes of its block, got 9", ngAt+20), ErrMalformed},
		{"simple packet of 4 GiB", cat(ng, ngOne, spb(le, 1<<32-1, repeat(8))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want 0..262144, got 4294967295", ngAt+8), ErrMalformed},
		{"simple packet larger than its block", cat(ng, ngOne, spb(le, 9, repeat(8))), first,
			fmt.Sprintf("byte %d: packet 2: captured length: want at most the 8 bytes of its block, got 9", ngAt+8), ErrMalformed},
		{"simple packet smaller than its block", cat(ng, ngOne, spb(le, 4, repeat(8))), first,
			fmt.Sprintf("byte %d: packet 2: length of simple packet block: want 20 for its packet, got 24", ngAt+4), ErrMalformed},
	}
}

func TestHostileCaptures(t *testing.T) {
	for _, row := range hostileRows() {
		t.Run(row.name, func(t *testing.T) { checkRow(t, row) })
	}
}

func checkRow(t *testing.T, row readRow) {
	t.Helper()
	r := NewReader(bytes.NewReader(row.file))
	seen, err := readAll(r)
	if err.Error() != row.err || !errors.Is(err, row.kind) {
		t.Errorf("error: want %q, got %q", row.err, err)
	}
	var format *FormatError
	if !errors.As(err, &format) || format.Offset > int64(len(row.file)) {
		t.Errorf("error names byte %d of %d", format.Offset, len(row.file))
	}
	var got []string
	for _, p := range seen {
		got = append(got, p.data)
	}
	if fmt.Sprint(got) != fmt.Sprint(row.want) {
		t.Errorf("packets before it: want %q, got %q", row.want, got)
	}
	if _, _, again := r.ReadPacketData(); again != err {
		t.Errorf("error of the next call: want the same, got %v", again)
	}
	for _, other := range []error{ErrNotCapture, ErrCut, ErrMalformed} {
		if other != row.kind && errors.Is(err, other) {
			t.Errorf("error is %v as well", other)
		}
	}
}
