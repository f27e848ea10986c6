package corpus

import (
	"fmt"
	"os"
)

// Export writes packets for other fuzzers: a file for each in a directory, which is made when there is none, with what
// form makes of the packet. A file that is there stays as it is. Nothing outside the directory is touched, whatever
// links are in it, and only its owner can read a file.
func Export(dir string, packets []Stored, form func(*Stored) []byte) (written int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	to := Store{root: root}
	for i := range packets {
		name := packets[i].Name
		if _, err := root.Lstat(name); err == nil {
			continue
		}
		added, err := to.write(name, form(&packets[i]))
		if err != nil {
			return written, err
		}
		if added {
			written++
		}
	}
	return written, nil
}

// AppendGoTest appends a corpus file of Go's fuzzing (`go help testflag`: "go test fuzz v1") whose target takes values,
// each a []byte or a string.
func AppendGoTest(b []byte, values ...any) []byte {
	b = append(b, "go test fuzz v1\n"...)
	for _, value := range values {
		switch value.(type) {
		case []byte:
			b = fmt.Appendf(b, "[]byte(%q)\n", value)
		case string:
			b = fmt.Appendf(b, "string(%q)\n", value)
		default:
			panic(fmt.Sprintf("corpus: a fuzz target takes no %T here", value))
		}
	}
	return b
}
