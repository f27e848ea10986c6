package relay

import (
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socketDrops is how many datagrams the kernel has dropped because the socket's buffer was full; 0 where it does not
// say (Linux before 4.12).
func socketDrops(conn *net.UDPConn) int64 {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	const drops = 8            // SK_MEMINFO_DROPS of linux/sock_diag.h
	var info [drops + 1]uint32 // of SO_MEMINFO: longer in kernels to come, which give what there is room for
	size := uint32(unsafe.Sizeof(info))
	_ = raw.Control(func(fd uintptr) { // of a closed socket: then there is none
		// x/sys has no getsockopt(2) for numbers in a row.
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		if errno != 0 || size < uint32(unsafe.Sizeof(info)) {
			info = [drops + 1]uint32{}
		}
	})
	return int64(info[drops])
}
