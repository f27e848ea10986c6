package wirediff_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/cuts"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/wirediff"
)

// judged are pairs of testdata/over with the figures that a script apart from this code gave for them: it reads the lines
// of `decode -V` of both schemas, and counts sets of first bits in Python. Captures are the first 300 packets of simulated
// sessions. Of a type it has packets that A accepts, common boundaries, A's, B's, fields that are exact, and A's fields.
var judged = []struct {
	capture, a, b  string
	accepted, both int64
	figures        [4]float64 // precision, recall, F1, exact
	types          map[string][6]uint64
}{
	{"mygame", "mygame", "mygame-guess", 300, 206, [4]float64{0.897055, 0.860543, 0.878420, 0.715579}, map[string][6]uint64{
		"Input": {148, 740, 740, 740, 888, 888},
		"State": {150, 3317, 4600, 4177, 2048, 4750},
		"Join":  {2, 6, 10, 6, 6, 12},
	}},
	{"mygame", "mygame-guess", "mygame", 206, 206, [4]float64{0.913341, 0.900000, 0.906622, 0.740648}, map[string][6]uint64{
		"1": {148, 740, 740, 740, 888, 888},
		"2": {56, 1388, 1735, 1679, 862, 1791},
		"0": {2, 6, 6, 10, 6, 8},
	}},
	{"packets", "packets", "packets-guess", 300, 130, [4]float64{0.497729, 0.666667, 0.569942, 0.366485}, map[string][6]uint64{
		"C": {72, 216, 360, 360, 216, 432},
		"B": {130, 1824, 1824, 3258, 520, 1954},
		"A": {98, 196, 490, 588, 196, 588},
	}},
	{"packets", "packets-guess", "packets", 130, 130, [4]float64{1.000000, 0.559853, 0.717828, 0.153483}, map[string][6]uint64{
		"1": {130, 1824, 3258, 1824, 520, 3388},
	}},
	{"rtype", "rtype", "rtype-guess", 300, 300, [4]float64{0.966667, 0.845741, 0.902170, 0.798814}, map[string][6]uint64{
		"PlayerInput":      {135, 540, 540, 675, 540, 675},
		"Snapshot":         {136, 4352, 7576, 4352, 4352, 7712},
		"ShootMissile":     {13, 26, 26, 26, 39, 39},
		"MissileSpawned":   {5, 15, 30, 15, 15, 35},
		"HeartBeat":        {2, 4, 4, 4, 6, 6},
		"MissileDestroyed": {4, 12, 12, 12, 16, 16},
		"PlayerDamaged":    {1, 3, 5, 3, 3, 6},
		"HeartBeatAck":     {4, 8, 8, 8, 12, 12},
	}},
	{"rtype", "rtype-guess", "rtype", 300, 300, [4]float64{0.845741, 0.966667, 0.902170, 0.897727}, map[string][6]uint64{
		"97":  {135, 540, 675, 540, 540, 810},
		"64":  {136, 4352, 4352, 7576, 4352, 4488},
		"128": {13, 26, 26, 26, 39, 39},
		"129": {5, 15, 15, 30, 15, 20},
		"1":   {2, 4, 4, 4, 6, 6},
		"130": {4, 12, 12, 12, 16, 16},
		"160": {1, 3, 3, 5, 3, 4},
		"2":   {4, 8, 8, 8, 12, 12},
	}},
	{"snap", "snap", "snap-guess", 300, 300, [4]float64{1.000000, 0.894737, 0.944444, 0.800000}, map[string][6]uint64{
		"-": {300, 5100, 5700, 5100, 4800, 6000},
	}},
	{"snap", "snap-guess", "snap", 300, 300, [4]float64{0.894737, 1.000000, 0.944444, 0.888889}, map[string][6]uint64{
		"-": {300, 5100, 5100, 5700, 4800, 5400},
	}},
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/over", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func over(t *testing.T, capture io.Reader, a, b string) (*cuts.Score, error) {
	t.Helper()
	var both [2]*decode.Decoder
	for i, name := range []string{a + ".pks", b + ".pks"} {
		d, err := decode.Load(name, fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		both[i] = d
	}
	return wirediff.Over(scan.From(pcap.NewReader(capture)), both[0], both[1])
}

// The score has the figures of the other judge, type by type and to the last packet.
func TestOverAsTheScript(t *testing.T) {
	for _, one := range judged {
		s, err := over(t, bytes.NewReader(fixture(t, one.capture+".pcapng")), one.a, one.b)
		if err != nil {
			t.Fatal(err)
		}
		both := s.Accepted[0] - s.Only[0]
		if s.Packets != 300 || s.Accepted[0] != one.accepted || both != one.both || s.Accepted[1]-s.Only[1] != both || s.Differ != s.Only[0]+s.Only[1] {
			t.Errorf("%s on %s: %+v", one.b, one.a, s)
		}
		for i, got := range []float64{s.Precision, s.Recall, s.F1, s.Exact} {
			if math.Abs(got-one.figures[i]) > 1e-6 {
				t.Errorf("%s on %s: figure %d: want %f, got %f", one.b, one.a, i, one.figures[i], got)
			}
		}
		met := map[string]bool{}
		for i := range s.Types {
			x := &s.Types[i]
			if x.Accepted[0] == 0 {
				continue
			}
			met[x.Name] = true
			if got := [6]uint64{uint64(x.Accepted[0]), x.Common, x.Boundaries[0], x.Boundaries[1], x.Same, x.Fields}; got != one.types[x.Name] {
				t.Errorf("%s on %s: %s: want %v, got %v", one.b, one.a, x.Name, one.types[x.Name], got)
			}
		}
		if len(met) != len(one.types) {
			t.Errorf("%s on %s: types %v", one.b, one.a, met)
		}
	}
}

// The first packet on which the verdicts differ is the first of all, and of its type.
func TestOverFirst(t *testing.T) {
	s, err := over(t, bytes.NewReader(fixture(t, "mygame.pcapng")), "mygame-guess", "mygame")
	if err != nil {
		t.Fatal(err)
	}
	want := cuts.Difference{N: 2, Type: "2", Verdicts: [2]decode.Verdict{decode.Refused, decode.Accepted}, Why: [2]string{"body.tail: nonzero-padding at bit 241", ""}}
	if s.First == nil || *s.First != want {
		t.Errorf("want %+v, got %+v", want, s.First)
	}
	if a, b := wirediff.WorstOver(s); a != broke || b != broke {
		t.Errorf("old %s, new %s", a, b)
	}
}

// A capture that breaks off gives what came before, and why it ended.
func TestOverCutCapture(t *testing.T) {
	all := fixture(t, "snap.pcapng")
	broken := errors.New("the disk is gone")
	s, err := over(t, io.MultiReader(bytes.NewReader(all[:len(all)/2]), iotest.ErrReader(broken)), "snap", "snap-guess")
	if !errors.Is(err, broken) || s.Packets < 100 || s.Packets > 200 || s.Scored != 1 {
		t.Errorf("%v: %+v", err, s)
	}
}
