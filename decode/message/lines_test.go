package message

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines come whole and with their numbers, however they are read; a line that is too long costs no more than itself.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1000)
	broken := errors.New("broken")
	for _, row := range []struct{ name, in, want string }{
		{"nothing", "", "EOF"},
		{"blank", " \n\t\r\n\n", "EOF"},
		{"one", "{}", "1 {} EOF"},
		{"some", "{}\n\n[1]\r\n{}\n", "1 {} 3 [1] 4 {} EOF"},
		{"too long", "1\n" + long + "\n2\n", "1 1 2 too long: want at most 100 bytes 3 2 EOF"},
		{"too long at the end", "1\n" + long, "1 1 2 too long: want at most 100 bytes EOF"},
		{"too long twice", long + "\n" + long + "\n3", "1 too long: want at most 100 bytes 2 too long: want at most 100 bytes 3 3 EOF"},
		{"broken", "1\n2!", "1 1 broken"},
	} {
		for _, chunk := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			var in io.Reader = strings.NewReader(row.in)
			if row.name == "broken" {
				in = io.MultiReader(in, iotest.ErrReader(broken))
			}
			l := NewLines(chunk(in))
			l.most, l.buf = 100, make([]byte, 0, 16)
			var got []string
			for {
				line, err := l.Next()
				switch {
				case errors.Is(err, ErrLongLine):
					got = append(got, fmt.Sprintf("%d %v", l.number, err))
					continue
				case err != nil:
					got = append(got, err.Error())
				default:
					got = append(got, fmt.Sprintf("%d %s", l.number, strings.TrimSpace(string(line))))
					continue
				}
				break
			}
			if text := strings.Join(got, " "); text != row.want {
				t.Errorf("%s: want %s, got %s", row.name, row.want, text)
			}
			if cap(l.buf) > 4096 {
				t.Errorf("%s: the buffer grew to %d", row.name, cap(l.buf))
			}
		}
	}
}
