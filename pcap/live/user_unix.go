//go:build unix

package live

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// A User is whom a process can become that no longer needs root. The zero User changes nothing.
type User struct {
	name     string
	uid, gid int
	set      bool
}

// FindUser looks a user up, by name or number, before anything is opened. Only root can become somebody else, and to
// become root drops nothing.
func FindUser(name string) (User, error) {
	if os.Geteuid() != 0 {
		return User{}, fmt.Errorf("user %s: only root can become another user", name)
	}
	found, err := user.Lookup(name)
	if err != nil {
		if found, err = user.LookupId(name); err != nil {
			return User{}, fmt.Errorf("user %s: there is no such user", name)
		}
	}
	uid, err1 := strconv.Atoi(found.Uid)
	gid, err2 := strconv.Atoi(found.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return User{}, fmt.Errorf("user %s: %s", name, err)
	}
	if uid == 0 {
		return User{}, fmt.Errorf("user %s: is root as well", name)
	}
	return User{name, uid, gid, true}, nil
}

// Become gives root away, for all threads and for good: with the user id go the capabilities, the saved ids and the
// groups. It checks that there is no way back. A Source that is open stays so.
func (u User) Become() error {
	if !u.set {
		return nil
	}
	err := syscall.Setgroups([]int{u.gid})
	if err == nil {
		err = syscall.Setgid(u.gid)
	}
	if err == nil {
		err = syscall.Setuid(u.uid)
	}
	if err != nil {
		return fmt.Errorf("user %s: %w", u.name, err)
	}
	if os.Getuid() != u.uid || os.Geteuid() != u.uid || os.Getegid() != u.gid || syscall.Setuid(0) == nil {
		return fmt.Errorf("user %s: the system left this process the privileges of root", u.name)
	}
	return nil
}
