// A harness for go-osc: a packet as its Server takes it from a datagram.
package main

import (
	"fmt"

	"github.com/hypebeast/go-osc/osc"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	p, err := osc.ParsePacket(string(packet))
	if err != nil || p == nil {
		return false, nil
	}
	values = map[string]any{}
	switch p := p.(type) {
	case *osc.Message:
		message(values, "body.", p)
	case *osc.Bundle:
		if len(p.Bundles) > 0 {
			break // the order of messages and bundles is not kept
		}
		for i, m := range p.Messages {
			message(values, fmt.Sprintf("body.elements[%d].content.", i), m)
		}
	}
	return true, values
}

// message gives the address and the arguments of a message.
func message(values map[string]any, path string, m *osc.Message) {
	values[path+"address"] = m.Address
	for i, a := range m.Arguments {
		at := fmt.Sprintf("%sargument%d.", path, i)
		switch a := a.(type) {
		case int32, int64, float32, float64:
			values[at+"value"] = a
		case string:
			values[at+"value.text"] = a
		case []byte:
			values[at+"value.data"] = a
		}
	}
}
