//go:build unix

package saved

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one that it replaces, where we may: root must not take it away.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if ok && (int(was.Uid) != os.Geteuid() || int(was.Gid) != os.Getegid()) {
		_ = f.Chown(int(was.Uid), int(was.Gid))
	}
}
