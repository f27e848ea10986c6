package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// facts is what a reader of R-Type read, as far as readers can be compared by it. The scripts in testdata print it as
// JSON.
type facts struct {
	Packets  int            `json:"packets"`
	Refused  int            `json:"refused"`
	Accepted map[string]int `json:"accepted"` // by the number of the message type
	// The sums of every x, y and health of the accepted packets' players, missiles and enemies.
	X      int64 `json:"x"`
	Y      int64 `json:"y"`
	Health int64 `json:"health"`
}

// differ says where other reads something else, "" where it does not.
func (f *facts) differ(other *facts) string {
	switch {
	case f.Packets != other.Packets || f.Refused != other.Refused:
		return fmt.Sprintf("want %d of %d packets refused, got %d of %d", f.Refused, f.Packets, other.Refused, other.Packets)
	case !maps.Equal(f.Accepted, other.Accepted):
		return fmt.Sprintf("want accepted packets %v, got %v", f.Accepted, other.Accepted)
	case f.X != other.X || f.Y != other.Y || f.Health != other.Health:
		return fmt.Sprintf("want sums %d %d %d, got %d %d %d", f.X, f.Y, f.Health, other.X, other.Y, other.Health)
	}
	return ""
}

// scriptFacts are what a script prints in its last line.
func scriptFacts(out []byte) (*facts, error) {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	f := new(facts)
	if err := json.Unmarshal(lines[len(lines)-1], f); err != nil {
		return nil, err
	}
	return f, nil
}

// pktscopeFacts are what pktscope reads.
func pktscopeFacts(ctx context.Context, program, capture string) (*facts, error) {
	out, err := command(ctx, "", program, "decode", "-q", "-T", "json", capture)
	if err != nil {
		return nil, err
	}
	f := &facts{Accepted: map[string]int{}}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var packet struct {
			Case    string         `json:"case"`
			Verdict string         `json:"verdict"`
			Fields  map[string]any `json:"fields"`
		}
		if err := d.Decode(&packet); err != nil {
			return nil, err
		}
		f.Packets++
		if packet.Verdict != "accept" {
			f.Refused++
			continue
		}
		number, ok := messageTypes[packet.Case]
		if !ok {
			return nil, fmt.Errorf("pktscope: no message type is called %q", packet.Case)
		}
		f.Accepted[number]++
		f.sum(packet.Fields)
	}
	return f, nil
}

// sum adds what a packet holds, however deep.
func (f *facts) sum(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			f.sum(element)
		}
	case map[string]any:
		for name, field := range v {
			n, isNumber := field.(float64)
			switch {
			case !isNumber:
				f.sum(field)
			case name == "x":
				f.X += int64(n)
			case name == "y":
				f.Y += int64(n)
			case name == "health":
				f.Health += int64(n)
			}
		}
	}
}

// messageTypes gives the numbers of R-Type's messages by their names.
var messageTypes = func() map[string]string {
	all := map[string]string{}
	for n := range 256 {
		number := strconv.Itoa(n)
		if name := rtype.MessageType(n).String(); name != number {
			all[name] = number
		}
	}
	return all
}()

// tsharkFields are the columns that tsharkFacts reads.
var tsharkFields = []string{"frame.number", "udp.length", "rtype.bad", "rtype.type", "rtype.x", "rtype.y", "rtype.health"}

// tsharkFacts are what tshark printed, a packet a line: the columns with tabs between them, several values with commas.
func tsharkFacts(out []byte) (*facts, error) {
	f := &facts{Accepted: map[string]int{}}
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != len(tsharkFields) {
			return nil, fmt.Errorf("tshark: want %d columns, got %q", len(tsharkFields), line)
		}
		f.Packets++
		if columns[1] == "8" || columns[2] != "" { // an empty datagram comes to no dissector
			f.Refused++
			continue
		}
		kind, err := strconv.ParseUint(columns[3], 0, 16)
		if err != nil {
			return nil, fmt.Errorf("tshark: packet %s: %w", columns[0], err)
		}
		f.Accepted[strconv.FormatUint(kind, 10)]++
		for i, sum := range []*int64{&f.X, &f.Y, &f.Health} {
			for number := range strings.SplitSeq(columns[4+i], ",") {
				if number == "" {
					continue
				}
				n, err := strconv.ParseInt(number, 0, 64)
				if err != nil {
					return nil, fmt.Errorf("tshark: packet %s: %w", columns[0], err)
				}
				*sum += n
			}
		}
	}
	return f, nil
}
