package serialize_test

import "github.com/pktscope/pktscope/decode/serialize"

// flat97 is decode/testdata/flat97.pks as a struct: 97 fields, of which 88 are in each of its packets of 180 bytes.
type flat97 struct {
	f001 int32
	f002 int32
	f003 int32
	f004 int32
	f005 int32
	f006 int32
	f007 int32
	f008 int32
	f009 int32
	f010 int32
	f011 int32
	f012 bool
	f013 int32
	f014 uint64
	f015 bool
	f016 float32
	f017 int32
	f018 bool
	f019 int64
	f020 float32
	f021 uint32
	f022 uint32
	f023 float32
	f024 bool
	f025 int32
	f026 int32
	f027 int64
	f028 int32
	f029 int32
	f030 uint32
	f031 float32
	f032 int32
	f033 uint32
	f034 bool
	f035 bool
	f036 uint32
	f037 bool
	f038 uint32
	f039 float64
	f040 int32
	f041 uint32
	f042 float32
	f043 bool
	f044 int32
	f045 int64
	f046 int32
	f047 float32
	f048 float32
	f049 uint32
	f050 bool
	f051 bool
	f052 float32
	f053 bool
	f054 bool
	f055 int64
	f056 int32
	f057 int32
	f058 float32
	f059 bool
	f060 float32
	f061 int32
	f062 int32
	f063 float64
	f064 int32
	f065 int32
	f066 int32
	f067 float32
	f068 float32
	f069 int32
	f070 uint32
	f071 int32
	f072 float32
	f073 uint32
	f074 bool
	f075 int32
	f076 uint64
	f077 int32
	f078 bool
	f079 int32
	f080 int32
	f081 int32
	f082 int32
	f083 uint32
	f084 float32
	f085 float64
	f086 bool
	f087 bool
	f088 uint32
	f089 uint32
	f090 int32
	f091 int32
	f092 uint32
	f093 float32
	f094 int32
	f095 uint32
	f096 int32
	f097 uint32
}

var (
	quant1 = serialize.NewQuantized(0, 30, 0.5)
	quant2 = serialize.NewQuantized(0, 10, 0.02)
	quant3 = serialize.NewQuantized(-100, 100, 0.25)
	quant4 = serialize.NewQuantized(-2, 2, 0.25)
)

func (f *flat97) Serialize(s *serialize.Stream) {
	serialize.Enum(s, "f001", &f.f001, 0, 5)
	serialize.Int(s, "f002", &f.f002, -2384, 2384)
	serialize.Int(s, "f003", &f.f003, 0, 2)
	serialize.Int(s, "f004", &f.f004, -2747, 2747)
	serialize.Int(s, "f005", &f.f005, -3660, 3660)
	serialize.Int(s, "f006", &f.f006, 0, 161321)
	serialize.Int(s, "f007", &f.f007, 0, 7)
	serialize.Int(s, "f008", &f.f008, -37, 37)
	serialize.Int(s, "f009", &f.f009, 0, 222)
	serialize.Int(s, "f010", &f.f010, -3815, 3815)
	serialize.Int(s, "f011", &f.f011, -172, 172)
	s.Bool("f012", &f.f012)
	if f.f012 {
		serialize.Int(s, "f013", &f.f013, -3578, 3578)
		serialize.Bits(s, "f014", &f.f014, 64)
		s.Bool("f015", &f.f015)
		s.Quantized("f016", &f.f016, &quant1)
		serialize.Int(s, "f017", &f.f017, 0, 2)
	}
	s.Bool("f018", &f.f018)
	serialize.Bits(s, "f019", &f.f019, 64)
	s.Quantized("f020", &f.f020, &quant2)
	serialize.Bits(s, "f021", &f.f021, 12)
	serialize.Bits(s, "f022", &f.f022, 4)
	s.Quantized("f023", &f.f023, &quant1)
	s.Bool("f024", &f.f024)
	serialize.Int(s, "f025", &f.f025, 0, 7)
	serialize.Int(s, "f026", &f.f026, -3320, 3320)
	serialize.Bits(s, "f027", &f.f027, 64)
	serialize.Int(s, "f028", &f.f028, -708, 708)
	serialize.Int(s, "f029", &f.f029, 0, 234397)
	serialize.Bits(s, "f030", &f.f030, 30)
	s.Float32("f031", &f.f031)
	serialize.Int(s, "f032", &f.f032, 0, 10402)
	serialize.Bits(s, "f033", &f.f033, 21)
	s.Bool("f034", &f.f034)
	s.Bool("f035", &f.f035)
	serialize.Bits(s, "f036", &f.f036, 25)
	s.Bool("f037", &f.f037)
	serialize.Bits(s, "f038", &f.f038, 9)
	s.Float64("f039", &f.f039)
	serialize.Int(s, "f040", &f.f040, -2309, 2309)
	serialize.Bits(s, "f041", &f.f041, 9)
	s.Float32("f042", &f.f042)
	s.Bool("f043", &f.f043)
	if f.f043 {
		serialize.Int(s, "f044", &f.f044, 0, 2)
		serialize.Bits(s, "f045", &f.f045, 64)
		serialize.Int(s, "f046", &f.f046, 0, 252755)
		s.Quantized("f047", &f.f047, &quant3)
	}
	s.Float32("f048", &f.f048)
	serialize.Bits(s, "f049", &f.f049, 18)
	s.Bool("f050", &f.f050)
	if f.f050 {
		s.Bool("f051", &f.f051)
		s.Float32("f052", &f.f052)
		s.Bool("f053", &f.f053)
		s.Bool("f054", &f.f054)
	}
	serialize.Bits(s, "f055", &f.f055, 64)
	serialize.Int(s, "f056", &f.f056, 0, 509)
	serialize.Int(s, "f057", &f.f057, -6, 6)
	s.Float32("f058", &f.f058)
	s.Bool("f059", &f.f059)
	s.Float32("f060", &f.f060)
	serialize.Int(s, "f061", &f.f061, -6002209, 6002209)
	serialize.Int(s, "f062", &f.f062, -227, 227)
	s.Float64("f063", &f.f063)
	serialize.Int(s, "f064", &f.f064, 0, 87142)
	serialize.Int(s, "f065", &f.f065, 0, 395)
	serialize.Int(s, "f066", &f.f066, -4875262, 4875262)
	s.Float32("f067", &f.f067)
	s.Float32("f068", &f.f068)
	serialize.Int(s, "f069", &f.f069, -8188078, 8188078)
	serialize.Bits(s, "f070", &f.f070, 5)
	serialize.Enum(s, "f071", &f.f071, 0, 5)
	s.Quantized("f072", &f.f072, &quant4)
	serialize.Bits(s, "f073", &f.f073, 19)
	s.Bool("f074", &f.f074)
	if f.f074 {
		serialize.Int(s, "f075", &f.f075, 0, 194)
		serialize.Bits(s, "f076", &f.f076, 64)
		serialize.Int(s, "f077", &f.f077, -131, 131)
		s.Bool("f078", &f.f078)
		serialize.Int(s, "f079", &f.f079, -203, 203)
	}
	serialize.Int(s, "f080", &f.f080, 0, 795)
	serialize.Int(s, "f081", &f.f081, -57264, 57264)
	serialize.Int(s, "f082", &f.f082, -5, 5)
	serialize.Bits(s, "f083", &f.f083, 30)
	s.Quantized("f084", &f.f084, &quant3)
	s.Float64("f085", &f.f085)
	s.Bool("f086", &f.f086)
	s.Bool("f087", &f.f087)
	serialize.Bits(s, "f088", &f.f088, 4)
	serialize.Bits(s, "f089", &f.f089, 30)
	serialize.Int(s, "f090", &f.f090, 0, 107046)
	serialize.Int(s, "f091", &f.f091, 0, 2)
	serialize.Bits(s, "f092", &f.f092, 12)
	s.Float32("f093", &f.f093)
	serialize.Int(s, "f094", &f.f094, -429345, 429345)
	serialize.Bits(s, "f095", &f.f095, 4)
	serialize.Int(s, "f096", &f.f096, -39, 39)
	serialize.Bits(s, "f097", &f.f097, 25)
}
