package live

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// macsLen is the length of what stands before a VLAN tag.
const macsLen = 12

// A message is one packet as recvmsg(2) delivers it, in memory that is reused:
// unix.Recvmsg would allocate the sender's address for every packet.
//
// It must not be copied after init: it points to itself.
type message struct {
	hdr     unix.Msghdr
	iov     unix.Iovec
	from    unix.RawSockaddrLinklayer
	control [16]uint64 // as words: control messages are aligned
	// buf has room for a VLAN tag before the packet, so that putting one back
	// moves 12 bytes and not the packet. len(buf) = tagLen + snap length.
	buf []byte

	// Of the last receive. Valid iff errno is 0, but for errno.
	errno  unix.Errno
	got    int // bytes that the kernel had, of which buf has the first
	length int // on the wire, without a tag that the kernel took out; at least got
	time   time.Time
	tag    [tagLen]byte
	tagged bool
}

func (m *message) init(snapLen int) {
	m.buf = make([]byte, tagLen+snapLen)
	m.iov.Base = &m.buf[tagLen]
	m.iov.SetLen(snapLen)
	m.hdr.Iov = &m.iov
	m.hdr.SetIovlen(1)
	m.hdr.Name = (*byte)(unsafe.Pointer(&m.from))
	m.hdr.Control = (*byte)(unsafe.Pointer(&m.control))
}

// receive is what a syscall.RawConn calls: it takes one packet, or returns
// false to be called again when there is one.
func (m *message) receive(fd uintptr) bool {
	for {
		m.hdr.Namelen = unix.SizeofSockaddrLinklayer
		m.hdr.SetControllen(int(unsafe.Sizeof(m.control)))
		m.hdr.Flags = 0
		// MSG_TRUNC makes the result the packet's length, however little of it
		// fits. The pointers within hdr are ours and on the heap.
		n, _, errno := unix.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&m.hdr)), unix.MSG_TRUNC)
		switch errno {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		}
		m.errno, m.got, m.length = errno, int(n), int(n)
		if errno == 0 {
			m.readControl(m.controlBytes())
		}
		return true
	}
}

// controlBytes are the control messages that the kernel wrote.
func (m *message) controlBytes() []byte {
	all := unsafe.Slice((*byte)(unsafe.Pointer(&m.control)), unsafe.Sizeof(m.control))
	return all[:min(len(all), int(m.hdr.Controllen))]
}

// readControl takes the time and the VLAN tag from the control messages.
func (m *message) readControl(b []byte) {
	m.time, m.tagged = time.Time{}, false
	for len(b) >= unix.SizeofCmsghdr {
		hdr, data, rest, err := unix.ParseOneSocketControlMessage(b)
		if err != nil {
			break
		}
		switch {
		case hdr.Level == unix.SOL_SOCKET && hdr.Type == unix.SCM_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})):
			ts := (*unix.Timespec)(unsafe.Pointer(&data[0]))
			m.time = time.Unix(ts.Unix())
		case hdr.Level == unix.SOL_PACKET && hdr.Type == unix.PACKET_AUXDATA && len(data) >= int(unsafe.Sizeof(unix.TpacketAuxdata{})):
			aux := (*unix.TpacketAuxdata)(unsafe.Pointer(&data[0]))
			m.length = max(m.length, int(aux.Len)) // a filter may have cut the packet
			m.readTag(aux)
		}
		b = rest
	}
	if m.time.IsZero() {
		m.time = time.Now()
	}
}

func (m *message) readTag(aux *unix.TpacketAuxdata) {
	if aux.Status&unix.TP_STATUS_VLAN_VALID == 0 {
		return
	}
	tpid := uint16(unix.ETH_P_8021Q)
	if aux.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = aux.Vlan_tpid
	}
	binary.BigEndian.PutUint16(m.tag[:], tpid)
	binary.BigEndian.PutUint16(m.tag[2:], aux.Vlan_tci)
	m.tagged = true
}

// packet returns the packet, at most snap length bytes of it, and its length
// on the wire. In an Ethernet frame the VLAN tag is put back.
func (m *message) packet(ethernet bool) (data []byte, wire int) {
	snapLen := len(m.buf) - tagLen
	captured := min(m.got, snapLen)
	if !m.tagged || !ethernet || captured < macsLen {
		return m.buf[tagLen : tagLen+captured : tagLen+captured], m.length
	}
	copy(m.buf, m.buf[tagLen:tagLen+macsLen])
	copy(m.buf[macsLen:], m.tag[:])
	captured = min(captured+tagLen, snapLen)
	return m.buf[:captured:captured], m.length + tagLen
}
