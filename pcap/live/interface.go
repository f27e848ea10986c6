package live

import "net/netip"

// An Interface is what could be captured.
type Interface struct {
	// Name is as the kernel has it, and may contain anything but "/" and
	// blanks: it is to be escaped.
	Name string
	// Link is what packets begin with, in a word: "ethernet", "loopback",
	// "raw ip"; or what it is instead, such as "arphrd 801", if Open refuses
	// it.
	Link string
	// Supported says that Open knows the link, Up that it is not down.
	Supported, Up bool
	MTU           int            // bytes
	Addrs         []netip.Prefix // with the length of the network
}

// Any is the name of all interfaces together (Linux), those to come as well.
const Any = "any"
