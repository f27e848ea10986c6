package corpus

import (
	"errors"
	"fmt"
)

// MaxHex is the most that ParseHex reads, in bytes.
const MaxHex = 1 << 20

// ParseHex reads a packet as people write it: pairs of hexadecimal digits. Blanks, commas, colons and a 0x before a
// word mean nothing.
func ParseHex(text string) ([]byte, error) {
	if len(text) > MaxHex {
		return nil, fmt.Errorf("want at most %d bytes of text", MaxHex)
	}
	var data []byte
	half, high := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		var v byte
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ':' || c == ',':
			if half {
				return nil, fmt.Errorf("want pairs of digits, got a single %q before character %d", text[i-1], i+1)
			}
			continue
		case !half && c == '0' && i+1 < len(text) && text[i+1]|0x20 == 'x':
			i++
			continue
		case '0' <= c && c <= '9':
			v = c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = c | 0x20 - 'a' + 10
		default:
			return nil, fmt.Errorf("want hexadecimal digits, got %q at character %d", c, i+1)
		}
		if half = !half; half {
			high = v << 4
			continue
		}
		if data = append(data, high|v); len(data) > MaxSeed {
			return nil, fmt.Errorf("want at most %d bytes, which is all that UDP carries", MaxSeed)
		}
	}
	if half {
		return nil, errors.New("want pairs of digits, got an odd number of them")
	}
	return data, nil
}
