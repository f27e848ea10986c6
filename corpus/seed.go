package corpus

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// The senders that a Seed can have.
const (
	Client  = "client"
	Server  = "server"
	Unknown = "any"
)

// Bounds of a seed file: a corpus may be a stranger's, and nothing in it is worth more memory than this.
const (
	MaxSeedFile = 1 << 20 // bytes
	MaxSeed     = 65507   // bytes of one packet: the most that UDP carries
	maxName     = 64
)

// Seed is one packet.
type Seed struct {
	Name string // letters, digits, `_` and `-`, unique in its file
	From string // Client, Server or Unknown
	Data []byte // the UDP payload
}

// ParseSeeds reads a seed file: one packet a line,
//
//	name sender hex   # comment
//
// separated by blanks, where sender is client, server or any, and hex is pairs of lower-case digits, `-` for no bytes
// at all. Blank lines and lines that begin with # are skipped. Everything else is an error with its line number,
// because a seed that is silently left out is a test that is silently gone.
func ParseSeeds(src []byte) ([]Seed, error) {
	if len(src) > MaxSeedFile {
		return nil, fmt.Errorf("line 1: want %d bytes at most, got %d", MaxSeedFile, len(src))
	}
	var seeds []Seed
	lines := map[string]int{}
	for number, rest := 1, src; len(rest) > 0; number++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		seed, ok, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if !ok {
			continue
		}
		if first, twice := lines[seed.Name]; twice {
			return nil, fmt.Errorf("line %d: %s is the name of line %d too", number, seed.Name, first)
		}
		lines[seed.Name] = number
		seeds = append(seeds, seed)
	}
	return seeds, nil
}

// parseLine reads one line; false when there is no packet on it. What it quotes of the line is escaped and short.
func parseLine(line []byte) (Seed, bool, error) {
	text, _, _ := strings.Cut(string(line), "#")
	for i := range len(text) {
		if c := text[i]; c != ' ' && (c <= ' ' || c > '~') {
			return Seed{}, false, fmt.Errorf("byte 0x%02x: want printable ASCII", c)
		}
	}
	words := strings.Fields(text)
	switch len(words) {
	case 0:
		return Seed{}, false, nil
	case 3:
	default:
		return Seed{}, false, fmt.Errorf("want a name, a sender and hex, got %d words", len(words))
	}
	s := Seed{Name: words[0], From: words[1]}
	if err := checkName(s.Name); err != nil {
		return Seed{}, false, err
	}
	if s.From != Client && s.From != Server && s.From != Unknown {
		return Seed{}, false, fmt.Errorf("sender: want client, server or any, got %.16q", s.From)
	}
	digits := words[2]
	if digits == "-" {
		return s, true, nil
	}
	if digits != strings.ToLower(digits) {
		return Seed{}, false, fmt.Errorf("hex: want lower-case digits")
	}
	if len(digits) > 2*MaxSeed {
		return Seed{}, false, fmt.Errorf("hex: want %d bytes at most, got %d", MaxSeed, len(digits)/2)
	}
	data, err := hex.DecodeString(digits)
	if err != nil {
		return Seed{}, false, fmt.Errorf("hex: want pairs of digits, got %d characters, %d of them good", len(digits), 2*len(data))
	}
	s.Data = data
	return s, true, nil
}

func checkName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("name: want %d characters at most, got %d", maxName, len(name))
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return fmt.Errorf("name: want letters, digits, _ and -, got %.16q", name)
		}
	}
	return nil
}

// AppendSeed appends a seed as the line that ParseSeeds reads, with a line end.
func AppendSeed(b []byte, s Seed, comment string) []byte {
	b = append(append(b, s.Name...), ' ')
	b = append(append(b, s.From...), ' ')
	if len(s.Data) == 0 {
		b = append(b, '-')
	}
	b = hex.AppendEncode(b, s.Data)
	if comment != "" {
		b = append(append(b, " # "...), comment...)
	}
	return append(b, '\n')
}
