//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom --user names; the zero account changes nothing.
type account struct {
	name     string
	uid, gid int
	set      bool
}

// findUser looks --user up before anything is opened. Only root can become somebody else, and becoming root is no drop.
func findUser(name string) (account, error) {
	if name == "" {
		return account{}, nil
	}
	if os.Geteuid() != 0 {
		return account{}, fmt.Errorf("--user %s: only root can become another user", name)
	}
	u, err := user.Lookup(name)
	if err != nil {
		if u, err = user.LookupId(name); err != nil {
			return account{}, fmt.Errorf("--user %s: there is no such user", name)
		}
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return account{}, fmt.Errorf("--user %s: %s", name, err)
	}
	if uid == 0 {
		return account{}, fmt.Errorf("--user %s: is root as well", name)
	}
	return account{name, uid, gid, true}, nil
}

// become gives root away, for all threads and for good: with the user id go the capabilities, the saved ids and the
// groups. It checks that there is no way back.
func (a account) become() error {
	if !a.set {
		return nil
	}
	err := syscall.Setgroups([]int{a.gid})
	if err == nil {
		err = syscall.Setgid(a.gid)
	}
	if err == nil {
		err = syscall.Setuid(a.uid)
	}
	if err != nil {
		return fmt.Errorf("--user %s: %w", a.name, err)
	}
	if os.Getuid() != a.uid || os.Geteuid() != a.uid || os.Getegid() != a.gid || syscall.Setuid(0) == nil {
		return fmt.Errorf("--user %s: the system left this process the privileges of root", a.name)
	}
	return nil
}
