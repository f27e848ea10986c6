//go:build !libpcap

package live

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// openRings opens the rings that share the packets of an interface (PACKET_FANOUT): each packet goes to the one that
// the hash of its addresses and ports says, so that a flow stays in one and fragments are with each other; or to
// another, where that one is full. Source: packet(7).
//
// Packets that come before all rings are there would go to more than one, so they go to none.
func openRings(name string, opts Options) ([]*Source, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if opts.Rings == 1 {
		one, err := Open(name, opts)
		return []*Source{one}, err
	}
	var list []*Source
	fail := func(err error) ([]*Source, error) {
		for _, one := range list {
			err = errors.Join(err, one.Close())
		}
		return nil, err
	}
	group := newGroup
	for range opts.Rings {
		one, err := openSource(name, opts, true)
		if err != nil {
			return fail(err)
		}
		list = append(list, one)
		if group, err = one.join(group); err != nil {
			return fail(fmt.Errorf("interface %q: sharing packets among %d rings: %w", name, opts.Rings, err))
		}
	}
	for _, one := range list {
		if err := one.listen(); err != nil {
			return fail(fmt.Errorf("interface %q: filter: %w", name, err))
		}
	}
	return list, nil
}

// newGroup is in place of a group that there is. Zero is one.
const newGroup = -1

// join makes the socket one of a group, and returns the group.
func (s *Source) join(group int) (int, error) {
	how := unix.PACKET_FANOUT_HASH | unix.PACKET_FANOUT_FLAG_ROLLOVER
	if s.loopback {
		how |= unix.PACKET_FANOUT_FLAG_IGNORE_OUTGOING // of each socket it does not count any more
	}
	value := group | how<<16
	if group == newGroup {
		value = (how | unix.PACKET_FANOUT_FLAG_UNIQUEID) << 16
	}
	err := s.control(func(fd int) error {
		err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_FANOUT, value)
		if err == nil {
			value, err = unix.GetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_FANOUT)
		}
		return err
	})
	return value & 0xffff, err
}

// listen lets a socket that is muted have the packets that its filter lets through.
func (s *Source) listen() error {
	return s.control(func(fd int) error {
		if s.code == nil {
			return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0)
		}
		return attach(fd, s.code)
	})
}

// control calls f with the socket's descriptor.
func (s *Source) control(f func(fd int) error) (err error) {
	if failed := s.raw.Control(func(fd uintptr) { err = f(int(fd)) }); failed != nil {
		return failed
	}
	return err
}
