package report

import "encoding/hex"

const hexDigits = "0123456789abcdef"

func appendHex(b, data []byte) []byte { return hex.AppendEncode(b, data) }
