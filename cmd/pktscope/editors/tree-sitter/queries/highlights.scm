; Later patterns win in Neovim, earlier ones in `tree-sitter highlight`: no place has two.
(comment) @comment
(string) @string
(escape) @string.escape
(integer) @number
(float) @number.float
(duration) @number
(truth) @boolean
(rest) @constant.builtin

(protocol name: (name) @module)
(expectation name: (name) @property)
(type_name) @type
["bool" "bool8" "uint8" "uint16" "uint32" "uint64" "int8" "int16" "int32" "int64" "float32" "float64" "dnsname" "bits" "sbits"
 "below" "varint" "zigzag" "int" "float" "vec2" "vec3" "vec4" "quat" "string" "wstring" "cstring" "char" "bytes" "sealed"
 "crc"] @type.builtin
(checksum algorithm: (name) @type.builtin)
(sealed algorithm: (name) @type.builtin)

(field name: (name) @property)
(register name: (name) @property)
(let name: (name) @property)
(struct_parameter name: (name) @variable.parameter)
(path (name) @variable)
(call function: (name) @function)
(annotation "@" @attribute)
(annotation name: (name) @attribute)

(order_kind) @constant.builtin
["protocol" "import" "order" "port" "max" "datagram" "fields" "steps" "const" "param" "open" "enum" "flags" "struct" "packet"
 "message" "flow" "by" "state" "expect"] @keyword
["if" "else" "switch" "default" "empty" "within" "zeros" "let" "require" "align" "reserved" "check" "any" "none"
 "until" "while"] @keyword
["in" "has"] @keyword.operator
["each" "once" "optional" "subset" "bitmap" "index" "sentinel" "relative" (endian) "finite" "utf8" "ascii" "latin1" "utf16"] @keyword.modifier
["prefix" "suffix" "over" "xor" "key" "nonce" "ad" "at" "id" "offset" "count" "total" "last" "smallest3"] @keyword.modifier

["||" "&&" "==" "!=" "<" "<=" ">" ">=" "+" "-" "|" "^" "*" "/" "%" "&" "<<" ">>" "!" "=" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter
