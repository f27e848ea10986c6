// A harness for go-coap: a message as its servers and clients take it from a datagram.
package main

import (
	"context"
	"fmt"

	"github.com/plgd-dev/go-coap/v3/message/pool"
	"github.com/plgd-dev/go-coap/v3/udp/coder"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	m := pool.NewMessage(context.Background())
	n, err := m.UnmarshalWithDecoder(coder.DefaultCoder, packet)
	if err != nil {
		return false, nil
	}
	values = map[string]any{
		"type":       int(m.Type()),
		"code":       int(m.Code()),
		"message_id": m.MessageID(),
		"token":      []byte(m.Token()),
		"@bits":      8 * n,
	}
	for i, o := range m.Options() {
		values[fmt.Sprintf("options[%d].number", i)] = int(o.ID)
	}
	if m.Body() != nil {
		payload, err := m.ReadBody()
		if err != nil {
			return false, nil
		}
		values["payload"] = payload
	}
	return true, values
}
