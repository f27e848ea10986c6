package line

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The bounds of a Profile.
const (
	MaxDelay     = time.Minute // of Delay, Jitter and Queue
	MaxBurst     = 10_000      // packets
	MinBandwidth = 1000        // bit/s
	MaxBandwidth = 100e9       // bit/s
)

const (
	usualQueue = 500 * time.Millisecond // of a Profile with Bandwidth and without Queue
	hold       = 500 * time.Millisecond // after which a packet that Reorder holds leaves although none has overtaken it
	headers    = 28                     // bytes of IPv4 and UDP, which go over the line as well
)

// Profile says how bad a direction is. The zero one is perfect.
type Profile struct {
	Delay     time.Duration // of each packet
	Jitter    time.Duration // each packet's delay is drawn from Delay ± Jitter, evenly; what is below zero is zero
	Drop      float64       // share of the packets that are lost, 0..1
	Burst     float64       // mean of packets lost in a row (Gilbert and Elliott); below 1: each is lost for itself
	Reorder   float64       // share of the packets that the next one overtakes, 0..1
	Duplicate float64       // share of the packets that leave twice, 0..1
	Bandwidth int64         // bit/s, with the 28 bytes of headers that each packet has; 0: no bound
	Queue     time.Duration // how long a packet waits for Bandwidth at most, and else is lost; 0: 500ms
}

// Setting is a value of a Profile as flags and files have it.
type Setting struct {
	Name    string // delay
	Usage   string // of a flag; the value's name is in backticks
	Example string

	want string
	set  func(*Profile, string) bool
}

// Settings are all there are.
func Settings() []Setting { return slices.Clone(settings) }

const wantTime = "want a time, 0s..1m"

var settings = []Setting{
	{"delay", "each packet is under way for `TIME` longer", "80ms", wantTime, func(p *Profile, s string) bool { return setTime(&p.Delay, s) }},
	{"jitter", "of --delay: each packet takes up to `TIME` more or less", "20ms", wantTime, func(p *Profile, s string) bool { return setTime(&p.Jitter, s) }},
	{"drop", "lose a `SHARE` of the packets at random", "5%", wantShare, func(p *Profile, s string) bool { return setShare(&p.Drop, s) }},
	{"burst", "lose `N` packets in a row on average, and --drop in all", "4", fmt.Sprintf("want 0..%d packets", MaxBurst), func(p *Profile, s string) bool {
		n, err := strconv.ParseFloat(s, 64)
		p.Burst = n
		return err == nil && n >= 0 && n <= MaxBurst
	}},
	{"reorder", "let the next packet overtake a `SHARE` of them", "2%", wantShare, func(p *Profile, s string) bool { return setShare(&p.Reorder, s) }},
	{"duplicate", "pass a `SHARE` of the packets on twice", "1%", wantShare, func(p *Profile, s string) bool { return setShare(&p.Duplicate, s) }},
	{"bandwidth", "pass on `RATE` at most, in kbit, mbit or gbit a second", "256kbit", "want a rate, 1kbit..100gbit", func(p *Profile, s string) bool { return setRate(&p.Bandwidth, s) }},
	{"queue", "of --bandwidth: lose what would wait for longer than `TIME`", "200ms", wantTime, func(p *Profile, s string) bool { return setTime(&p.Queue, s) }},
}

const wantShare = "want 0%..100%"

// Set gives a setting a value. The error says what the setting wants.
func (p *Profile) Set(name, value string) error {
	at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if at < 0 {
		return errors.New("there is no such setting")
	}
	if s := settings[at]; !s.set(p, value) {
		return fmt.Errorf("%s, such as %s", s.want, s.Example)
	}
	return nil
}

func setTime(d *time.Duration, s string) (ok bool) {
	value, err := time.ParseDuration(s)
	*d = value
	return err == nil && value >= 0 && value <= MaxDelay
}

func setShare(share *float64, s string) (ok bool) {
	number, percent := strings.CutSuffix(s, "%")
	value, err := strconv.ParseFloat(number, 64)
	*share = value / 100
	return percent && err == nil && value >= 0 && value <= 100
}

func setRate(rate *int64, s string) (ok bool) {
	for i, unit := range []string{"kbit", "mbit", "gbit"} {
		number, of := strings.CutSuffix(s, unit)
		if !of {
			continue
		}
		value, err := strconv.ParseFloat(number, 64)
		value *= math.Pow(1000, float64(i+1))
		if err != nil || !(value >= MinBandwidth && value <= MaxBandwidth) {
			return false
		}
		*rate = int64(value)
		return true
	}
	return false
}

// Check is an error about settings that contradict each other.
func (p *Profile) Check() error {
	if least := math.Ceil(p.Drop/(1-p.Drop) - 1e-9); p.Burst > 1 && p.Drop < 1 && p.Burst < least {
		return fmt.Errorf("runs of losses are longer than burst %v where %v%% are lost: want at least %v", p.Burst, 100*p.Drop, least)
	}
	for _, of := range []struct {
		name, other string
		without     bool
	}{
		{"jitter", "delay", p.Jitter > 0 && p.Delay == 0},
		{"burst", "drop", p.Burst > 0 && p.Drop == 0},
		{"queue", "bandwidth", p.Queue > 0 && p.Bandwidth == 0},
	} {
		if of.without {
			return fmt.Errorf("%s means nothing without %s", of.name, of.other)
		}
	}
	return nil
}

// Delays reports whether packets may be on the way for some time.
func (p *Profile) Delays() bool {
	return p.Delay > 0 || p.Jitter > 0 || p.Reorder > 0 || p.Bandwidth > 0
}
