//go:build !linux

package relay

import "net"

// socketDrops is 0: the system does not say.
func socketDrops(*net.UDPConn) int64 { return 0 }
