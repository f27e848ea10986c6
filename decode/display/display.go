// Package display is how integers and bytes are shown that stand for something else: addresses, identifiers, digits,
// the time of NTP. A display is a row of one table. Package schema finds it, a node of the plan has it, and by that
// decode shows and reads values for the tree, JSON and the encoder; filters and readers' answers (fuzz/oracle) ask it,
// too. It never changes the wire, and what it reads is what it shows.
package display

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Display is one way to show values: as an annotation @Word, or @Word(Arg).
type Display struct {
	Word, Arg string
	Home      string // what it is after
	// Fits reports whether it is after an integer of the type that holds lo..hi; nil where it is after none.
	Fits func(lo, hi *big.Int) bool
	// Size is the bytes of the bytes(n) that it is after, 0 where it is after none.
	Size int

	show func(b, data []byte) []byte         // of whole bytes, the highest first
	read func(data []byte, text string) bool // fills data; false where the text is none of show's
}

// Displays are all of them.
var Displays = []*Display{
	{Word: "ipv4", Home: "32 bits without a sign, or `bytes(4)`", Fits: unsigned(32), Size: 4, show: showAddress, read: readAddress},
	{Word: "ipv6", Home: "`bytes(16)`", Size: 16, show: showAddress, read: readAddress},
	{Word: "mac", Home: "48 bits", Fits: unsigned(48), Size: 6, show: showMAC, read: readMAC},
	{Word: "uuid", Home: "`bytes(16)`", Size: 16, show: showUUID, read: readUUID},
	{Word: "hex", Home: "an integer", Fits: func(lo, hi *big.Int) bool { return true }},
	{Word: "bcd", Home: "a multiple of 4 bits without a sign", Fits: digits, show: showBCD, read: readBCD},
	{Word: "time", Arg: "ntp", Home: "64 bits without a sign", Fits: unsigned(64), show: showNTP, read: readNTP},
}

// Of is the display of an annotation, nil where there is none.
func Of(word, arg string) *Display {
	for _, d := range Displays {
		if d.Word == word && d.Arg == arg {
			return d
		}
	}
	return nil
}

// unsigned is the types of all numbers of so many bits.
func unsigned(bits uint) func(lo, hi *big.Int) bool {
	all := new(big.Int).Lsh(big.NewInt(1), bits)
	return func(lo, hi *big.Int) bool {
		return lo.Sign() == 0 && new(big.Int).Add(hi, big.NewInt(1)).Cmp(all) == 0
	}
}

func digits(lo, hi *big.Int) bool {
	n := uint(hi.BitLen())
	return n%4 == 0 && n > 0 && unsigned(n)(lo, hi)
}

// AppendNumber appends a number of a type of so many bits; of a signed one v is an int64's bits.
func (d *Display) AppendNumber(b []byte, v uint64, bits int, signed bool) []byte {
	if d.show == nil {
		if signed && int64(v) < 0 {
			b, v = append(b, '-'), -v
		}
		if signed {
			return strconv.AppendUint(append(b, "0x"...), v, 16)
		}
		return fmt.Appendf(b, "0x%0*x", (bits+3)/4, v)
	}
	var data [8]byte
	return d.show(b, spread(&data, v, bits))
}

// spread is a number as bytes, the highest first.
func spread(data *[8]byte, v uint64, bits int) []byte {
	for i := range data {
		data[i] = byte(v >> (56 - 8*i))
	}
	return data[8-(bits+7)/8:]
}

// Number reads what AppendNumber has written.
func (d *Display) Number(text string, bits int, signed bool) (v uint64, ok bool) {
	if d.show == nil {
		magnitude, negative := strings.CutPrefix(text, "-")
		digits, is := strings.CutPrefix(magnitude, "0x")
		v, err := strconv.ParseUint(digits, 16, 64)
		if negative {
			return -v, is && err == nil && signed && v <= 1<<63
		}
		return v, is && err == nil && (!signed || v < 1<<63)
	}
	var room [8]byte
	data := room[8-(bits+7)/8:]
	if !d.read(data, text) {
		return 0, false
	}
	for _, c := range data {
		v = v<<8 | uint64(c)
	}
	return v, true
}

// AppendBytes appends Size bytes.
func (d *Display) AppendBytes(b, data []byte) []byte { return d.show(b, data) }

// Bytes reads what AppendBytes has written.
func (d *Display) Bytes(text string) (data []byte, ok bool) {
	data = make([]byte, d.Size)
	return data, d.read(data, text)
}

func showAddress(b, data []byte) []byte {
	a, _ := netip.AddrFromSlice(data)
	return a.AppendTo(b)
}

func readAddress(data []byte, text string) bool {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.BitLen() != 8*len(data) {
		return false
	}
	copy(data, a.AsSlice())
	return true
}

func showMAC(b, data []byte) []byte {
	for i, c := range data {
		if i > 0 {
			b = append(b, ':')
		}
		b = hex.AppendEncode(b, []byte{c})
	}
	return b
}

func readMAC(data []byte, text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == '-' })
	if len(parts) != len(data) || len(text) != 3*len(data)-1 {
		return false
	}
	return readHex(data, strings.Join(parts, ""))
}

// readHex fills data with exactly as many digits.
func readHex(data []byte, text string) bool {
	got, err := hex.DecodeString(text)
	return err == nil && len(got) == len(data) && copy(data, got) == len(data)
}

// dashes are the places before which a UUID has one, in bytes.
var dashes = [16]bool{4: true, 6: true, 8: true, 10: true}

func showUUID(b, data []byte) []byte {
	for i, c := range data {
		if dashes[i] {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, []byte{c})
	}
	return b
}

func readUUID(data []byte, text string) bool {
	return len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' &&
		readHex(data, strings.ReplaceAll(text, "-", ""))
}

// showBCD shows a digit for each four bits; with one above 9 it shows 0x and all as hexadecimal.
func showBCD(b, data []byte) []byte {
	text := hex.AppendEncode(nil, data)
	if strings.ContainsAny(string(text), "abcdef") {
		b = append(b, "0x"...)
	}
	return append(b, text...)
}

func readBCD(data []byte, text string) bool {
	digits, isHex := strings.CutPrefix(text, "0x")
	if !isHex && strings.ContainsAny(digits, "abcdefABCDEF") || len(digits) == 0 || len(digits) > 2*len(data) {
		return false
	}
	return readHex(data, strings.Repeat("0", 2*len(data)-len(digits))+digits)
}

// NTP counts seconds from 1900, and where its highest bit is not set from when that count ran over, in 2036 (RFC 4330).
const (
	ntpEpoch  = -2208988800 // 1900-01-01 as Unix time
	ntpSecond = "2006-01-02T15:04:05"
	ntpDigits = 10_000_000_000
)

func ntpOf(data []byte) (v uint64) {
	for _, c := range data {
		v = v<<8 | uint64(c)
	}
	return v
}

func showNTP(b, data []byte) []byte {
	v := ntpOf(data)
	sec := int64(v>>32) + ntpEpoch
	if v>>63 == 0 {
		sec += 1 << 32
	}
	b = time.Unix(sec, 0).UTC().AppendFormat(b, ntpSecond)
	return fmt.Appendf(b, ".%010dZ", round(v&(1<<32-1), ntpDigits, 1<<32))
}

// round is v * of / by to the nearest.
func round(v, of, by uint64) uint64 {
	x := new(big.Int).Mul(new(big.Int).SetUint64(v), new(big.Int).SetUint64(of))
	return x.Add(x, new(big.Int).SetUint64(by/2)).Div(x, new(big.Int).SetUint64(by)).Uint64()
}

func readNTP(data []byte, text string) bool {
	whole, zone := strings.CutSuffix(text, "Z")
	second, fraction, _ := strings.Cut(whole, ".")
	at, err := time.Parse(ntpSecond, second)
	if err != nil || !zone || len(fraction) > 10 || strings.Trim(fraction, "0123456789") != "" {
		return false
	}
	n, _ := strconv.ParseUint(fraction+strings.Repeat("0", 10-len(fraction)), 10, 64)
	sec := at.Unix() - ntpEpoch
	if sec < 1<<31 || sec >= 1<<32+1<<31 {
		return false
	}
	v := uint64(sec)<<32 | min(round(n, 1<<32, ntpDigits), 1<<32-1)
	for i := range data {
		data[i] = byte(v >> (56 - 8*i))
	}
	return true
}
