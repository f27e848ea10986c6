package line

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestShipped(t *testing.T) {
	for _, name := range Names() {
		text, ok := Shipped(name)
		if !ok {
			t.Fatal(name)
		}
		both, err := Parse(text)
		if err != nil || both.Up.Delay == 0 || both.Down.Bandwidth == 0 {
			t.Errorf("%s: %+v, %v", name, both, err)
		}
	}
	if got, want := Summary("lte"), "delay 30ms, jitter 12ms, drop 0.5%, burst 2; up: bandwidth 10mbit; down: bandwidth 40mbit"; got != want {
		t.Errorf("%q", got)
	}
	if _, ok := Shipped("../file"); ok {
		t.Error("a path is a profile")
	}
}

func TestParse(t *testing.T) {
	got, err := Parse([]byte("delay = '80ms'\ndrop = \"5%\"\nburst = 4\n[up]\nbandwidth = '1.5mbit'\n[down]\ndrop = '0%'\nburst = 0\n"))
	up := Profile{Delay: 80 * time.Millisecond, Drop: 0.05, Burst: 4, Bandwidth: 1_500_000}
	if want := (Both{up, Profile{Delay: up.Delay}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"delay":                               "1:5: ",
		"delay = '1ms'\ndelay = '2ms'":        "2:1: ",
		"delay = 80":                          `delay = "80": want a time, 0s..1m, such as 80ms`,
		"delay = '-1ms'":                      "want a time",
		"delay = '61s'":                       "want a time",
		"drop = 0.05":                         `drop = "0.05": want 0%..100%, such as 5%`,
		"drop = 'NaN%'":                       "want 0%..100%",
		"burst = nan\ndrop = '1%'":            `burst = "NaN": want 0..10000 packets`,
		"up = 3":                              "up: want a table, [up]",
		"[up]\nbandwith = '1mbit'":            `up.bandwith = "1mbit": there is no such setting`,
		"[down]\nbandwidth = '1bit'":          "want a rate, 1kbit..100gbit",
		"jitter = '1ms'":                      "jitter means nothing without delay",
		"burst = 2":                           "burst means nothing without drop",
		"drop = '90%'\nburst = 2":             "want at least 9",
		"[[up]]\ndelay = '1ms'":               "up: want a table, [up]",
		"[up.delay]\nx = 1":                   "up.delay: want one value, got a table or a list",
		"delay = ['1ms']":                     "delay: want one value, got a table or a list",
		"[a]\nb = 1":                          "a: want one value, got a table or a list",
		"delay = '" + strings.Repeat("x", 99): "1:",
		strings.Repeat("#", MaxFile+1):        "want at most 65536 bytes",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: want %q, got %v", text, want, err)
		} else if strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("%.60q: not a line: %q", text, err)
		}
	}
}

// Whatever a file says, what Parse takes is a profile that Line takes.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		text, _ := Shipped(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if both, err := Parse(text); err == nil {
			n := NewNetwork(1)
			for i, p := range []Profile{both.Up, both.Down} {
				l := n.Line(p, uint64(i))
				for k := range 20 {
					l.Send(time.Unix(int64(k), 0), text, Usual, func([]byte) {})
				}
			}
		}
	})
}
