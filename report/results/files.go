package results

import (
	"io/fs"
	"strings"
)

// Files are the names of the .json files in the root of a directory, sorted: regular files alone, since links lead
// elsewhere and pipes do not end.
func Files(dir fs.FS) (names []string, err error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
