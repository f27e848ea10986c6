package live

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/bpf"
)

// MaxCode is how many instructions the kernel takes (BPF_MAXINSNS).
const MaxCode = 4096

// ReadCode reads code as `tcpdump -ddd` prints it: a line with the number of
// instructions, then a line of four decimal numbers for each. It must be of
// the interface's link type, as tcpdump makes it with the same -i. Of the code
// only the size is checked here; the kernel takes none that does not end.
func ReadCode(r io.Reader) (*Filter, error) {
	lines := bufio.NewScanner(io.LimitReader(r, 64*(MaxCode+1)))
	lines.Buffer(make([]byte, 0, 256), 256)
	number := 0
	next := func(want string) (string, error) {
		number++
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return "", fmt.Errorf("filter code, line %d: %w", number, err)
			}
			return "", fmt.Errorf("filter code, line %d: want %s, got the end", number, want)
		}
		return strings.TrimSpace(lines.Text()), nil
	}
	line, err := next("the number of instructions")
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > MaxCode {
		return nil, fmt.Errorf("filter code, line 1: want the number of instructions, 1..%d, got %q; is it of `tcpdump -ddd`?", MaxCode, line)
	}
	var code []bpf.RawInstruction // grows with the lines that are there, not with what line 1 says
	for range n {
		line, err := next("an instruction")
		if err != nil {
			return nil, err
		}
		var v [4]uint64
		words := strings.Fields(line)
		ok := len(words) == len(v)
		for i, bits := range [4]int{16, 8, 8, 32} {
			if ok {
				v[i], err = strconv.ParseUint(words[i], 10, bits)
				ok = err == nil
			}
		}
		if !ok {
			return nil, fmt.Errorf("filter code, line %d: want four numbers up to 65535, 255, 255 and 4294967295, got %q", number, line)
		}
		code = append(code, bpf.RawInstruction{Op: uint16(v[0]), Jt: uint8(v[1]), Jf: uint8(v[2]), K: uint32(v[3])})
	}
	for lines.Scan() {
		number++
		if rest := strings.TrimSpace(lines.Text()); rest != "" {
			return nil, fmt.Errorf("filter code, line %d: want the end, as line 1 says, got %q", number, rest)
		}
	}
	return &Filter{text: fmt.Sprintf("code of %d instructions", n), code: code}, nil
}
