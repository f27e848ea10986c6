//go:build !unix

package saved

import (
	"io/fs"
	"os"
)

// keepOwner leaves owners to the directory, as this system does.
func keepOwner(*os.File, fs.FileInfo) {}
