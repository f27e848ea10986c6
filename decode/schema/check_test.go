package schema

import "testing"

// TestCheckAcceptsExamples: the examples of the language page and one file with everything pass without a word, and
// keep what the plan compiler takes for granted.
func TestCheckAcceptsExamples(t *testing.T) {
	for _, tt := range okCorpus(t) {
		s, diags := Load(tt.name, tt.src, nil)
		for _, d := range diags {
			t.Errorf("%s", d.AppendText(nil, tt.name, tt.src))
		}
		if s == nil {
			t.Errorf("%s: no schema", tt.name)
			continue
		}
		for _, e := range auditSchema(s) {
			t.Errorf("%s: %s", tt.name, e)
		}
	}
}

func fieldOf(s *Struct, name string) *Field {
	fields := map[string]*Field{}
	indexFields(s.Items, fields)
	return fields[name]
}

// find gives a field of the packet.
func find(t *testing.T, s *Schema, name string) *Field {
	t.Helper()
	f := fieldOf(s.Packet, name)
	if f == nil {
		t.Fatalf("no field %s", name)
	}
	return f
}

func load(t *testing.T, src string) *Schema {
	t.Helper()
	s, diags := Load("t", []byte(src), nil)
	if s == nil {
		t.Fatal(diags)
	}
	return s
}

// Sizes are the least and the most bits, alignment counted as 0 and as its most.
func TestSizesOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		order, typ string
		min, max   uint64
	}{
		{"lsb", "bool", 1, 1},
		{"lsb", "bool8", 8, 8},
		{"lsb", "bits(13)", 13, 13},
		{"lsb", "bits(n)", 0, 9},
		{"lsb", "int(5..5)", 0, 0},
		{"lsb", "int(0..n)", 0, 4},
		{"lsb", "int(-1..n)", 1, 4},
		{"lsb", "int(-4000..4000)", 13, 13},
		{"lsb", "float(0..10, 0.01)", 10, 10},
		{"lsb", "varint(1)", 8, 8},
		{"lsb", "varint(7)", 8, 8},
		{"lsb", "varint(8)", 8, 16},
		{"lsb", "zigzag(64)", 8, 80},
		{"lsb", "vec3(uint16)", 48, 48},
		{"lsb", "quat smallest3(9)", 29, 29},
		{"lsb", "string(16)", 4, 4 + 7 + 15*8},
		{"bousk", "string(16)", 4, 4 + 15*8},
		{"lsb", "string(1)", 0, 7},
		{"lsb", "wstring(5)", 3, 3 + 4*32},
		{"lsb", "cstring(5)", 8, 7 + 40},
		{"lsb", "dnsname", 8, 7 + 256*8},
		{"lsb", "char(5)", 40, 47},
		{"bousk", "char(5)", 40, 40},
		{"lsb", "bytes(5)", 40, 47},
		{"lsb", "bytes(n)", 0, 7 + 9*8},
		{"lsb", "bytes(n - 3)", 0, 7 + 6*8},
		{"lsb", "bytes(n + 1, max 4)", 8, 7 + 4*8},
		{"lsb", "bytes(rest, max 4)", 0, 7 + 4*8},
		{"lsb", "optional uint8", 1, 9},
		{"lsb", "[3]uint8", 24, 24},
		{"lsb", "[n]uint8", 0, 72},
		{"lsb", "[n + 2]uint8", 16, 88},
		{"lsb", "[2..5]uint8", 2 + 16, 2 + 40},
		{"lsb", "[..5]uint8", 3, 3 + 40},
		{"lsb", "[until it == 0, max 5]uint8", 8, 40},
		{"lsb", "[while rest > 3, max 5]uint8", 0, 40},
		{"lsb", "subset(bitmap) [8]uint8", 8, 8 + 64},
		{"lsb", "subset(index) [8]uint8", 4, 4 + 8*(3+8)},
		{"lsb", "subset(sentinel) [8]uint8", 4, 9*4 + 64},
		{"lsb", "subset(relative) [8]uint8", 6, 2*9 + 64},
		{"lsb", "relative(n)", 1, 38},
		{"lsb", "{ if n > 3 { a uint8 } else { b uint16 } }", 8, 16},
		{"lsb", "{ if n > 3 { a uint8 } }", 0, 8},
		{"lsb", "{ within(n) { a bytes(rest, max 9) } }", 0, 7 + 72},
		{"lsb", "{ within(n) { a uint16 } }", 16, 7 + 72},
		{"lsb", "{ within(n bits) { a bits(2) } }", 2, 9},
		{"lsb", "{ align(32), check 1, check \"x\" }", 64, 31 + 32 + 7 + 32},
		{"bousk", "{ align(32), check 1, check \"x\" }", 64, 31 + 32 + 32},
		{"lsb", "{ reserved(100) }", 100, 100},
		{"lsb", "switch n { 1: uint8, 2: empty, default: uint64 }", 0, 64},
	} {
		s := load(t, "protocol t\norder "+tt.order+"\npacket {\n    n uint8 in 0..9\n    it "+tt.typ+"\n}\n")
		// n comes first and takes 8 bits.
		if got := (size{s.Packet.MinBits - 8, s.Packet.MaxBits - 8}); got != (size{tt.min, tt.max}) {
			t.Errorf("%s %s: %d..%d bits, want %d..%d", tt.order, tt.typ, got.min, got.max, tt.min, tt.max)
		}
	}
}

// ladderBits against every way to pass d slots: the single step is the least, as the size of an empty subset claims.
func TestLadderBits(t *testing.T) {
	for d, want := range map[uint64]uint64{1: 1, 2: 4, 5: 4, 6: 6, 13: 6, 14: 8, 29: 8, 30: 10, 61: 10, 62: 12, 125: 12, 126: 6, 127: 7, 1000: 16} {
		if got := ladderBits(d); got != want {
			t.Errorf("a step of %d takes %d bits, want %d", d, got, want)
		}
	}
	for end := uint64(2); end <= 300; end++ {
		// A step short of the end takes its own tier, the last tier holds 126..end; each element takes at least one
		// bit.
		step := func(d uint64) uint64 {
			if d <= 125 {
				return ladderBits(d)
			}
			return ladderBits(end)
		}
		least := make([]uint64, end+1)
		for d := uint64(1); d <= end; d++ {
			least[d] = step(d)
			for first := uint64(1); first < d; first++ {
				least[d] = min(least[d], step(first)+1+least[d-first])
			}
		}
		if got := sizeOf(&SubsetType{Kind: SubsetRelative, N: end - 1, Elem: &Value{MinBits: 1, MaxBits: 1}}, LSB).min; least[end] != got {
			t.Fatalf("%d slots can be passed in %d bits, want %d", end, least[end], got)
		}
	}
}

// Whether the bytes run the other way than the order's own.
func TestByteOrders(t *testing.T) {
	for _, tt := range []struct {
		order, typ string
		want       bool
	}{
		{"lsb", "uint16", false}, {"lsb", "uint16 le", false}, {"lsb", "uint16 be", true},
		{"msb", "uint16", false}, {"msb", "uint16 le", true}, {"msb", "uint16 be", false},
		{"bousk", "uint16 le", false}, {"bousk", "uint16 be", true},
		{"lsb", "uint8 be", false}, {"msb", "bits(24) le", true}, {"msb", "float64 le", true},
		{"msb", "[3]vec2(uint32) le", true}, {"lsb", "Plain be", true}, {"msb", "Plain", false},
		// The declaration's own byte order is in the enum's base; a field's Swap is what differs from that.
		{"lsb", "Big", false}, {"lsb", "Big be", false}, {"lsb", "Big le", true},
	} {
		s := load(t, "protocol t\norder "+tt.order+"\nenum Plain : uint16 { A = 1 }\nenum Big : uint16 be { A = 1 }\n"+
			"packet {\n    it "+tt.typ+"\n}\n")
		if got := innermost(find(t, s, "it").Value).Swap; got != tt.want {
			t.Errorf("%s %s: swap %v, want %v", tt.order, tt.typ, got, tt.want)
		}
	}
	s := load(t, "protocol t\norder lsb\nenum Big : uint16 be { A = 1 }\nstruct S order msb { it Big }\npacket { s S, it Big }\n")
	if !s.Enums[0].Base.Swap || find(t, s, "it").Value.Swap {
		t.Error("in the file's order the base says it all")
	}
	if f := fieldOf(s.Structs[0], "it"); !f.Value.Swap {
		t.Error("in msb `be` is the order's own: the field has to undo the base's swap")
	}
}

func TestModelOfRType(t *testing.T) {
	var src []byte
	for _, tt := range okCorpus(t) {
		if tt.name == "rtype.pks" {
			src = tt.src
		}
	}
	s := load(t, string(src))
	if s.Order != MSB || s.MaxDatagram != 1200 || len(s.Ports) != 1 || s.Ports[0] != 4124 || s.Timeout != 2e9 {
		t.Errorf("head: %v %d %v %d", s.Order, s.MaxDatagram, s.Ports, s.Timeout)
	}
	body := find(t, s, "body").Switch
	if body.Enum == nil || body.Enum.Name != "MessageType" || body.HasDefault || len(body.Arms) != 14 {
		t.Errorf("body: %+v", body)
	}
	snapshot := body.Arms[5]
	if snapshot.Label != "Snapshot" || snapshot.Annotations.From != Server || snapshot.Annotations.Every != 50e6 {
		t.Errorf("snapshot: %+v", snapshot)
	}
	// "At most 632 bytes with the header."
	if s.Packet.MinBits != 12*8 || s.Packet.MaxBits != 632*8 {
		t.Errorf("the packet takes %d..%d bits, want %d..%d", s.Packet.MinBits, s.Packet.MaxBits, 12*8, 632*8)
	}
	players := fieldOf(snapshot.Value.Type.(*StructRef).Struct, "players").Value.Type.(*ArrayType)
	if players.Max != 4 || players.Count.Text != "player_count" {
		t.Errorf("players: %+v", players)
	}
	ack := fieldOf(players.Elem.Type.(*StructRef).Struct, "last_acked_input_seq").Annotations.Ack
	if ack == nil || ack.Struct.Name != "PlayerInput" || ack.Field.Name != "sequence_num" {
		t.Errorf("ack: %+v", ack)
	}
}
