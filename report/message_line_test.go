package report_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/slow/rows"
	"github.com/pktscope/pktscope/report/scan"
)

// What is wrong with a line is said by its tree, and what is another line for the same packet is the same packet: every
// row's and every seed's line, with members and values dropped, doubled, moved and replaced.
func TestSpoiltLines(t *testing.T) {
	for i, r := range rows.Every() {
		for _, order := range r.In() {
			if need.OneIn(i, 6) {
				newLaws(t, rows.Load(t, r.Source(order))).spoil(t, rows.Pack(t, order, r.Packet), r.From, 100)
			}
		}
	}
	for _, name := range corpus.Protocols() {
		l := builtinLaws(t, name)
		for i, seed := range corpus.Seeds(name) {
			if need.OneIn(i, 6) {
				l.spoil(t, seed.Data, decode.FromUnknown, 50)
			}
		}
	}
}

// spoil holds what becomes of a packet's line, changed in some ways.
func (l *laws) spoil(t *testing.T, packet []byte, from decode.Direction, ways int) {
	t.Helper()
	if l.decoder.Decode(packet, from, &l.t) != nil {
		return
	}
	line := bytes.Clone(l.json.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &l.t}))
	random := rand.New(rand.NewPCG(uint64(len(line)), 1))
	for range ways {
		if err := l.asLine(spoilt(random, line)); err != nil {
			t.Error(err)
		}
	}
}

// replacements stand in the place of a value.
var replacements = strings.Fields(`null true 0 1 -1 255 256 1.0 1e2 01 18446744073709551616 "" "1" "ff" "\u0061" [] {} [1] [null] {"a":1} {"value":1,"raw":"1"} "‹secret›"`)

// spoilt is a line with a few changes.
func spoilt(random *rand.Rand, line []byte) []byte {
	line = bytes.Clone(line)
	for range 1 + random.IntN(2) {
		all := piecesOf(line)
		if len(all) == 0 {
			return line
		}
		p, other := all[random.IntN(len(all))], all[random.IntN(len(all))]
		put := func(text string, at piece) { line = slices.Replace(line, at.from, at.to, []byte(text)...) }
		switch random.IntN(6) {
		case 0: // dropped, with one comma
			to := p.to
			if to < len(line) && line[to] == ',' {
				to++
			} else if line[p.from-1] == ',' {
				p.from--
			}
			put("", piece{from: p.from, to: to})
		case 1: // doubled
			put(string(line[p.from:p.to])+","+string(line[p.from:p.to]), p)
		case 2: // another's
			put(string(line[other.from:other.to]), p)
		case 3: // with the next one, in the other order
			if i := slices.IndexFunc(all, func(x piece) bool { return x.from == p.to+1 }); i >= 0 {
				put(string(line[all[i].from:all[i].to])+","+string(line[p.from:p.to]), piece{from: p.from, to: all[i].to})
			}
		case 4: // another value
			put(replacements[random.IntN(len(replacements))], piece{from: p.value, to: p.to})
		default: // white space
			put(" "+string(line[p.from:p.value])+"\t"+string(line[p.value:p.to])+" ", p)
		}
	}
	return line
}

// piece is a member or an element of a line.
type piece struct{ from, value, to int }

// piecesOf are all of a line that is JSON.
func piecesOf(line []byte) (all []piece) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var value func() int
	next := func(at int) int { // what comes after white space, commas and colons
		for at < len(line) && bytes.IndexByte([]byte(" \t\r\n,:"), line[at]) >= 0 {
			at++
		}
		return at
	}
	value = func() int {
		token, err := d.Token()
		if err != nil {
			return -1
		}
		if token == json.Delim('{') || token == json.Delim('[') {
			for d.More() {
				from := next(int(d.InputOffset()))
				start := from
				if token == json.Delim('{') {
					if _, err := d.Token(); err != nil {
						return -1
					}
					start = next(int(d.InputOffset()))
				}
				to := value()
				if to < 0 {
					return -1
				}
				all = append(all, piece{from, start, to})
			}
			if _, err := d.Token(); err != nil {
				return -1
			}
		}
		return int(d.InputOffset())
	}
	value()
	return all
}
