// A harness for pion/rtcp: the packets of a datagram.
package main

import (
	"fmt"

	"github.com/pion/rtcp"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	packets, err := rtcp.Unmarshal(packet)
	if err != nil {
		return false, nil
	}
	values = map[string]any{}
	for i, p := range packets {
		report(values, fmt.Sprintf("reports[%d].body.", i), p)
	}
	return true, values
}

func report(values map[string]any, at string, p rtcp.Packet) {
	switch p := p.(type) {
	case *rtcp.SenderReport:
		values[at+"sender"], values[at+"rtp"], values[at+"packets"], values[at+"octets"] = p.SSRC, p.RTPTime, p.PacketCount, p.OctetCount
		values[at+"more"] = p.ProfileExtensions
		blocks(values, at, p.Reports)
	case *rtcp.ReceiverReport:
		values[at+"sender"], values[at+"more"] = p.SSRC, p.ProfileExtensions
		blocks(values, at, p.Reports)
	case *rtcp.SourceDescription:
		for i, c := range p.Chunks {
			chunk := fmt.Sprintf("%schunks[%d].", at, i)
			values[chunk+"ssrc"] = c.Source
			for k, item := range c.Items {
				values[fmt.Sprintf("%sitems[%d].kind", chunk, k)] = int(item.Type)
				values[fmt.Sprintf("%sitems[%d].text", chunk, k)] = item.Text
			}
		}
	case *rtcp.Goodbye:
		for i, source := range p.Sources {
			values[fmt.Sprintf("%ssources[%d]", at, i)] = source
		}
		if p.Reason != "" {
			values[at+"reason"] = p.Reason
		}
	case *rtcp.ApplicationDefined:
		values[at+"ssrc"], values[at+"name"], values[at+"data"] = p.SSRC, p.Name, p.Data
	}
}

func blocks(values map[string]any, at string, blocks []rtcp.ReceptionReport) {
	for i, b := range blocks {
		block := fmt.Sprintf("%sblocks[%d].", at, i)
		lost := int(b.TotalLost) // it has 24 bits and a sign
		if lost >= 1<<23 {
			lost -= 1 << 24
		}
		values[block+"ssrc"], values[block+"fraction_lost"], values[block+"lost"] = b.SSRC, b.FractionLost, lost
		values[block+"highest_seq"], values[block+"jitter"] = b.LastSequenceNumber, b.Jitter
		values[block+"last_sr"], values[block+"delay"] = b.LastSenderReport, b.Delay
	}
}
