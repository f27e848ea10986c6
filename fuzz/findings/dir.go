package findings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

// Dir is a directory of findings. It is for one goroutine.
type Dir struct {
	path   string
	root   *os.Root
	schema *schema.Schema
	origin *Origin
	saved  *report.Origin
	back   string            // the way from path to where the program runs; "" when path is not below that
	names  map[string]string // of the files of findings, by what they are named for
	taken  map[string]bool   // those names
}

// Origin says what findings are about, in the words of pktscope's command line, and who writes them.
type Origin struct {
	Protocol []string // -p and -D
	Target   string   // the spec of --target
	Flags    []string // --target and what belongs to it; none for pktscope's own decoder
	Version  string   // of the program
}

// Replay is the command that shows a finding again, without its packets.
func (o *Origin) Replay() []string {
	return append(append([]string{"pktscope", "audit"}, o.Protocol...), o.Flags...)
}

// Create opens a directory for findings of the protocol that decoder decodes, and makes it where there is none. It must
// be closed.
func Create(path string, decoder *decode.Decoder, o Origin) (*Dir, error) {
	d := &Dir{path: path, schema: decoder.Plan().Schema, origin: &o, names: map[string]string{}, taken: map[string]bool{}}
	d.saved = &report.Origin{
		Protocol: d.schema.Name, Target: o.Target, Replay: o.Replay(), Kept: d.Capture, Plan: decoder.Plan(), Version: o.Version,
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	var err error
	if d.root, err = os.OpenRoot(path); err != nil {
		return nil, err
	}
	d.back = wayBack(path)
	return d, nil
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Capture is the name of the capture that has a finding's packets.
func (d *Dir) Capture(f *fuzz.Finding) string {
	return filepath.Join(d.path, d.nameOf(f)+".pcapng")
}

// nameOf is the name of a finding's files, without their endings. It has no line of the reader's source in it, so that
// it stays when that is edited; crashes at other lines of one function have a number.
func (d *Dir) nameOf(f *fuzz.Finding) string {
	base := baseOf(f)
	if name, ok := d.names[base+f.Key()]; ok {
		return name
	}
	name := base
	for n := 2; n < maxOfFunction && d.isOther(name, f); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	d.names[base+f.Key()], d.taken[name] = name, true
	return name
}

// maxOfFunction is how many crashes of one function have files of their own.
const maxOfFunction = 100

// isOther reports whether the files of a name are those of another crash: of this run, or of an earlier one at another
// line, if the packet broke another rule, too. A crash of the same rule at another line has moved.
func (d *Dir) isOther(name string, f *fuzz.Finding) bool {
	if d.taken[name] {
		return true
	}
	file, err := d.root.Open(name + ".json")
	if err != nil {
		return false
	}
	defer file.Close()
	var there report.SavedFinding
	text, err := io.ReadAll(io.LimitReader(file, report.MaxFinding))
	if err != nil || json.Unmarshal(text, &there) != nil {
		return false
	}
	return there.Cause != f.Cause && (there.Rule != f.Rule || there.Reject != rejectWord(f))
}

// rejectWord is what a finding's packet deserves, as it is saved; "" for a valid one.
func rejectWord(f *fuzz.Finding) string {
	if f.Reject == reject.None {
		return ""
	}
	return f.Reject.String()
}

// baseOf is a name without the number.
func baseOf(f *fuzz.Finding) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(f.Identity())) // a hash takes everything
	var place []byte
	for _, c := range []byte(oracle.PathRule(f.Path)) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
			place = append(place, c)
		}
	}
	if len(place) == 0 {
		place = []byte("packet")
	}
	return fmt.Sprintf("%v-%s-%08x", f.Kind, place[:min(len(place), 64)], h.Sum32())
}

// Write writes a finding's files, those that are not there yet.
func (d *Dir) Write(f *fuzz.Finding) error {
	name := d.nameOf(f)
	capture, err := d.packets(f)
	if err != nil {
		return err
	}
	files := []struct {
		ending string
		text   []byte
	}{
		{".pcapng", capture},
		{".json", report.AppendFinding(nil, d.saved, f)},
		{".sh", d.script(name, f)},
		{"_test.go", goTest(name, d.schema.Name, f)},
	}
	if report.Withheld(d.saved.Plan, f) {
		files = files[:3] // a test would show the packet
	}
	for _, file := range files {
		err := saved.WriteIn(d.root, name+file.ending, file.text, saved.OwnerOnly|saved.MustBeNew)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// packets are the packets of a finding as a capture: Read tells from it who sent them.
func (d *Dir) packets(f *fuzz.Finding) ([]byte, error) {
	var b bytes.Buffer
	capture, ends := pcap.NewWriter(&b, pcap.Section{Application: "pktscope"}), pcap.NewSynthetic(portOf(d.schema))
	for _, p := range append(f.Before[:len(f.Before):len(f.Before)], decode.Packet{Data: f.Packet, From: f.From}) {
		src, dst := decode.Ends(p.From, ends.Client, ends.Server)
		if err := capture.WriteUDP(ends.Time(0, false), src, dst, p.Data, f.Kind.String()+": "+syntax.EscapeText(f.What())); err != nil {
			return nil, err
		}
	}
	err := capture.Close()
	return b.Bytes(), err
}

// portOf is a protocol's port; 0 where it has none.
func portOf(s *schema.Schema) uint16 {
	if len(s.Ports) == 0 {
		return 0
	}
	return s.Ports[0]
}
