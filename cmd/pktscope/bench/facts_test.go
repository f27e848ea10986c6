package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

func TestScriptFactsRefuses(t *testing.T) {
	for name, out := range map[string]string{"nothing": "", "a warning last": "{\"packets\":1}\nwarning", "another type": `{"packets":"1"}`} {
		if f, err := scriptFacts([]byte(out)); err == nil {
			t.Errorf("%s: want an error, got %+v", name, f)
		}
	}
	f, err := scriptFacts([]byte("WARNING: old\n" + `{"packets":3,"refused":1,"accepted":{"64":2},"x":5,"y":6,"health":7}` + "\n"))
	if err != nil || f.Packets != 3 || f.Refused != 1 || f.Accepted["64"] != 2 || f.X != 5 || f.Y != 6 || f.Health != 7 {
		t.Errorf("got %+v %v", f, err)
	}
}

func TestTsharkFacts(t *testing.T) {
	for name, out := range map[string]string{
		"too few columns": "1\t20\t\t0x0001\n", "no type": "1\t20\t\t\t\t\t\n", "no number": "1\t20\t\t0x0040\t1,b\t1\t1\n", "two packets' types": "1\t20\t\t1,2\t\t\t\n",
	} {
		if f, err := tsharkFacts([]byte(out)); err == nil {
			t.Errorf("%s: want an error, got %+v", name, f)
		}
	}
	got, err := tsharkFacts([]byte("1\t59\t\t0x0010\t\t\t\n2\t8\t\t\t\t\t\n3\t50\t1\t0x0040\t1,2\t3\t4\n4\t50\t\t0x0040\t167,1835\t200,361\t100\n"))
	want := facts{4, 2, map[string]int{"16": 1, "64": 1}, 2002, 561, 100}
	if err != nil || want.differ(got) != "" {
		t.Errorf("want %+v, got %+v %v", want, got, err)
	}
}

func TestSum(t *testing.T) {
	var packet any
	if err := json.Unmarshal([]byte(`{"x":1,"body":{"players":[{"x":2,"y":3,"health":4},{"x":5,"id":9}],"reason":"x"},"damage":8}`), &packet); err != nil {
		t.Fatal(err)
	}
	var f facts
	if f.sum(packet); f.X != 8 || f.Y != 3 || f.Health != 4 {
		t.Errorf("got %+v", f)
	}
}

func TestDiffer(t *testing.T) {
	same := func() *facts { return &facts{3, 1, map[string]int{"64": 2}, 5, 6, 7} }
	if d := same().differ(same()); d != "" {
		t.Errorf("equal ones differ: %s", d)
	}
	for want, change := range map[string]func(*facts){
		"refused":  func(f *facts) { f.Refused = 0 },
		"packets":  func(f *facts) { f.Packets = 4 },
		"accepted": func(f *facts) { f.Accepted = map[string]int{"64": 1, "1": 1} },
		"5 6 7":    func(f *facts) { f.Health = 8 },
	} {
		other := same()
		if change(other); !strings.Contains(same().differ(other), want) {
			t.Errorf("want %q in %q", want, same().differ(other))
		}
	}
}

func TestMessageTypes(t *testing.T) {
	if len(messageTypes) != 15 || !maps.Equal(map[string]string{"a": messageTypes["Snapshot"], "b": messageTypes["PlayerDied"]}, map[string]string{"a": "64", "b": "161"}) {
		t.Errorf("got %v", messageTypes)
	}
}
