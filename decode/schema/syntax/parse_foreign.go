package syntax

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// Words of other languages, and how pks writes the same thing. None of it decides what is accepted.

var foreignOrders = map[string]string{
	"big": "msb", "be": "msb", "network": "msb", "bigendian": "msb", "big_endian": "msb",
	"little": "lsb", "le": "lsb", "littleendian": "lsb", "little_endian": "lsb",
}

var foreignEndians = map[string]Endian{
	"big": BigEndian, "big_endian": BigEndian, "bigendian": BigEndian, "be": BigEndian, "network": BigEndian,
	"little": LittleEndian, "little_endian": LittleEndian, "littleendian": LittleEndian, "le": LittleEndian,
}

var foreignDecls = map[string]string{
	"class": "did you mean `struct`?", "record": "did you mean `struct`?",
	"type": "did you mean `struct`?", "types": "did you mean `struct`?", "union": "a union is `name switch tag { … }` in a struct",
	"typedef": "did you mean `struct`?", "bitfield": "did you mean `struct`?", "bitflags": "did you mean `flags`?",
	"seq": "did you mean `packet`?", "root": "did you mean `packet`?", "datagram": "did you mean `packet`?",
	"root_type": "did you mean `packet`?",
	"endian":    "did you mean `order`?", "endianness": "did you mean `order`?", "byteorder": "did you mean `order`?",
	"include": "did you mean `import`?", "use": "did you mean `import`?", "using": "did you mean `import`?",
	"syntax": "remove it", "package": "remove it", "namespace": "remove it", "option": "remove it", "meta": "remove it",
	"let": "did you mean `const`?", "var": "did you mean `const`?", "constexpr": "did you mean `const`?",
	"define": "did you mean `const`?", "timeout": "write `expect timeout 2000ms`", "mtu": "write `max datagram 1200`",
}

// foreignTypes gives what to write for the types of other languages.
var foreignTypes = map[string]string{
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
	"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
	"u1": "uint8", "u2": "uint16", "u4": "uint32", "s1": "int8", "s2": "int16", "s4": "int32",
	"f4": "float32", "f8": "float64", "f32": "float32", "f64": "float64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
	"byte": "uint8", "ubyte": "uint8", "uchar": "uint8", "octet": "uint8", "sbyte": "int8",
	"short": "int16", "ushort": "uint16", "word": "uint16", "dword": "uint32", "qword": "uint64",
	"long": "int64", "ulong": "uint64", "uint": "uint32", "size_t": "uint32",
	"double": "float64", "single": "float32", "real": "float32", "half": "uint16",
	"boolean": "bool", "_bool": "bool", "bit": "bool", "flag": "bool", "str": "string(16)", "text": "string(16)",
	"strz": "cstring(16)", "wchar": "wstring(16)", "varuint": "varint(32)", "uvarint": "varint(32)",
	"leb128": "varint(32)", "uleb128": "varint(32)", "sint32": "zigzag(32)", "sint64": "zigzag(64)",
	"fixed32": "uint32", "fixed64": "uint64", "sfixed32": "int32", "sfixed64": "int64",
	"vec2f": "vec2(float32)", "vec3f": "vec3(float32)", "vec4f": "vec4(float32)", "vector3": "vec3(float32)",
	"vector2": "vec2(float32)", "quaternion": "quat smallest3(10)", "blob": "bytes(16)", "buffer": "bytes(16)",
	"domain": "dnsname", "hostname": "dnsname", "domainname": "dnsname", "crc": "crc32", "unsigned": "uint32", "signed": "int32",
}

// widthless are words of integers that other languages give a number of bits, with a type of their sign.
var widthless = map[string]string{"uint": "bits", "u": "bits", "unsigned": "bits", "bit": "bits", "i": "sbits", "s": "sbits", "signed": "sbits"}

// foreignForms gives advice for words at a type's place that have no type in their stead.
var foreignForms = map[string]string{
	"union": "a union is `name switch tag { … }`", "enum": "declare it at the top level and write its name here",
	"flags": "declare it at the top level and write its name here", "list": "an array is `[n]T`",
	"array": "an array is `[n]T`", "vector": "an array is `[n]T`", "repeated": "an array is `[..n]T`",
	"map": "an array is `[n]T`", "if": "write `if e { … }` around the field",
	"break": "an arm needs no `break`: write `empty` where nothing is sent",
	"align": "write `align(n)` without a name", "reserved": "write `reserved(n)` without a name",
	"when": "write `if e { … }` around the field", "empty": "only an arm of a switch is `empty`",
}

// foreignGaps are words for bits that mean nothing.
var foreignGaps = []string{"padding", "pad", "skip"}

// foreignChecks are parts of names that fields have which others expect one value in.
var foreignChecks = []string{"check", "magic", "marker", "signature"}

// gapAdvice is what to write instead of the word of foreignGaps at token i, with its number of bits where it has one.
func (p *parser) gapAdvice(i int) string {
	n := "8"
	if p.at(i+1).kind == tokInt {
		n = clip(p.source(i + 1))
	} else if given := p.bitWidth(i + 1); given != "" {
		n = clip(given)
	}
	return "write `reserved(" + n + ")`, or `align`, without a name"
}

// halfFloats are words for floats of 16 bits.
var halfFloats = []string{"float16", "half", "f16", "float16_t", "bfloat16", "bf16"}

// elseWords are other languages' words for `else if`.
var elseWords = []string{"elif", "elsif", "elseif"}

// foreignSums are words for checksums that are no type, with what keeps one as it is. After a name they are types, and
// never the name of a field.
var foreignSums = map[string]string{
	"crc8": "uint8", "crc16": "uint16", "crc24": "bits(24)", "crc32": "uint32", "crc40": "bits(40)", "crc64": "uint64",
	"adler": "uint32", "fletcher": "uint16", "md5": "bytes(16)", "sha1": "bytes(20)",
}

// sumAdvice is what to write for a checksum that there is no type for, "" where word is none. `crc16` and its like name
// a width, of which there are many checksums.
func sumAdvice(word string) string {
	word = joinedSum(word)
	base, _, variant := strings.Cut(word, "_")
	kept := foreignSums[base]
	switch {
	case typeWords[word].form != 0:
		return ""
	case strings.HasSuffix(word, "checksum"):
		return fmt.Sprintf("`%s` is no one algorithm: %s", word, sumsLike("crc16"))
	case kept == "":
		return ""
	case !strings.HasPrefix(word, "crc"):
		return "`" + kept + "` keeps it as it is"
	case !variant:
		return fmt.Sprintf("`%s` is no one algorithm: %s", word, sumsLike(base))
	}
	return sumsLike(base)
}

// sumsLike lists checksums of the language that begin with a word.
func sumsLike(base string) string {
	best := []string{"crc16_modbus", "crc16_ibm_3740", "crc16_xmodem"} // the most usual first
	for i := range wire.Algorithms {
		best = append(best, wire.Algorithms[i].Name)
	}
	text, n := "", 0
	for _, name := range best {
		if !strings.HasPrefix(name, base) || n == 3 {
			continue
		}
		n++
		text += name
		if name == "crc16_ibm_3740" {
			text += " (CCITT-FALSE)"
		}
		text += ", "
	}
	return text + "… or `crc(" + strings.TrimPrefix(base, "crc") + ", poly, …)`"
}

// numberOf is a text as the number that its bytes are in order msb, an advice without one where it is too long.
func numberOf(text string) string {
	if len(text) == 0 || len(text) > 8 {
		return "a number of at most 8 bytes"
	}
	return fmt.Sprintf("0x%x, %d bits", text, 8*len(text))
}

// refusals are words for an arm that refuses its packets.
var refusals = []string{"reject", "refuse", "error", "fail", "drop", "invalid", "abort"}

// modifiers are before a type in other languages.
var modifiers = map[string]string{
	"repeated": "[..n]", "optional": "optional ", "required": "", "unsigned": "", "signed": "", "const": "", "static": "",
	"volatile": "", "struct": "", "enum": "", "final": "", "public": "", "var": "", "field": "",
}
