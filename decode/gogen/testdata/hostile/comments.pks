// */ package evil
//go:build ignore
// +build ignore
//line evil.go:1
// \
// ‮  [31m
// `+panic()+`
protocol comments
order lsb
// */ func fix() { panic(1) } /*
//go:linkname a b
// import "C"
packet {
    // " + os.Exit(1) //
    a uint8 // `json:"x"`
    b char(8) == "`\"\n*/" // trailing \
}
