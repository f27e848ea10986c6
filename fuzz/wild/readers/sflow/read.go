// A harness for the sFlow of goflow2: a datagram as its pipe decodes it.
package main

import (
	"bytes"
	"fmt"

	"github.com/netsampler/goflow2/v2/decoders/sflow"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	var p sflow.Packet
	if err := sflow.DecodeMessageVersion(bytes.NewBuffer(packet), &p); err != nil {
		return false, nil
	}
	values = map[string]any{
		"agent.type":  p.IPVersion,
		"agent.value": []byte(p.AgentIP),
		"sub_agent":   p.SubAgentId,
		"sequence":    p.SequenceNumber,
		"uptime":      p.Uptime,
		"count":       p.SamplesCount,
	}
	for i, s := range p.Samples {
		sample(values, fmt.Sprintf("samples[%d].", i), s)
	}
	return true, values
}

func sample(values map[string]any, at string, s any) {
	header := func(h sflow.SampleHeader) {
		values[at+"kind"], values[at+"length"] = h.Format, h.Length
		values[at+"body.sequence"], values[at+"body.source_type"], values[at+"body.source_index"] = h.SampleSequenceNumber, h.SourceIdType, h.SourceIdValue
	}
	switch s := s.(type) {
	case sflow.FlowSample:
		header(s.Header)
		values[at+"body.rate"], values[at+"body.pool"], values[at+"body.drops"] = s.SamplingRate, s.SamplePool, s.Drops
		values[at+"body.input_format"], values[at+"body.input"] = s.Input>>30, s.Input&(1<<30-1)
		values[at+"body.output_format"], values[at+"body.output"] = s.Output>>30, s.Output&(1<<30-1)
		flows(values, at, s.FlowRecordsCount, s.Records)
	case sflow.ExpandedFlowSample:
		header(s.Header)
		values[at+"body.rate"], values[at+"body.pool"], values[at+"body.drops"] = s.SamplingRate, s.SamplePool, s.Drops
		values[at+"body.input_format"], values[at+"body.input"] = s.InputIfFormat, s.InputIfValue
		values[at+"body.output_format"], values[at+"body.output"] = s.OutputIfFormat, s.OutputIfValue
		flows(values, at, s.FlowRecordsCount, s.Records)
	case sflow.DropSample:
		header(s.Header)
		values[at+"body.drops"], values[at+"body.input"], values[at+"body.output"], values[at+"body.reason"] = s.Drops, s.Input, s.Output, s.Reason
		flows(values, at, s.FlowRecordsCount, s.Records)
	case sflow.CounterSample:
		header(s.Header)
		values[at+"body.record_count"] = s.CounterRecordsCount
		for i, r := range s.Records {
			if r.Data == nil {
				break
			}
			counter(values, fmt.Sprintf("%sbody.records[%d].", at, i), r)
		}
	}
}

func flows(values map[string]any, at string, count uint32, records []sflow.FlowRecord) {
	values[at+"body.record_count"] = count
	for i, r := range records {
		if r.Data == nil { // it was announced, and is not there
			return
		}
		flow(values, fmt.Sprintf("%sbody.records[%d].", at, i), r)
	}
}

func flow(values map[string]any, at string, r sflow.FlowRecord) {
	values[at+"kind"], values[at+"length"] = r.Header.DataFormat, r.Header.Length
	give := func(name string, value any) { values[at+"data."+name] = value }
	addressed := func(p sflow.SampledIPBase) {
		give("frame", p.Length)
		give("protocol", p.Protocol)
		give("source", []byte(p.SrcIP))
		give("destination", []byte(p.DstIP))
		give("source_port", p.SrcPort)
		give("destination_port", p.DstPort)
		give("tcp_flags", p.TcpFlags)
	}
	switch d := r.Data.(type) {
	case sflow.SampledHeader:
		give("protocol", d.Protocol)
		give("frame", d.FrameLength)
		give("stripped", d.Stripped)
		give("size", d.OriginalLength)
		if len(d.HeaderData) >= int(d.OriginalLength) { // with its padding
			give("header", d.HeaderData[:d.OriginalLength])
		}
	case sflow.SampledEthernet:
		give("frame", d.Length)
		give("source", []byte(d.SrcMac))
		give("destination", []byte(d.DstMac))
		give("type", d.EthType)
	case sflow.SampledIPv4:
		addressed(d.SampledIPBase)
		give("service", d.Tos)
	case sflow.SampledIPv6:
		addressed(d.SampledIPBase)
		give("priority", d.Priority)
	case sflow.ExtendedSwitch:
		give("source_vlan", d.SrcVlan)
		give("source_priority", d.SrcPriority)
		give("destination_vlan", d.DstVlan)
		give("destination_priority", d.DstPriority)
	case sflow.ExtendedRouter:
		give("next_hop.type", d.NextHopIPVersion)
		give("next_hop.value", []byte(d.NextHop))
		give("source_mask", d.SrcMaskLen)
		give("destination_mask", d.DstMaskLen)
	case sflow.ExtendedGateway:
		give("next_hop.type", d.NextHopIPVersion)
		give("next_hop.value", []byte(d.NextHop))
		give("as", d.AS)
		give("source_as", d.SrcAS)
		give("source_peer", d.SrcPeerAS)
		give("path_count", d.ASDestinations)
		if d.ASDestinations > 0 {
			give("paths[0].type", d.ASPathType)
			give("paths[0].count", d.ASPathLength)
			for i, as := range d.ASPath {
				give(fmt.Sprintf("paths[0].as[%d]", i), as)
			}
		}
		give("community_count", d.CommunitiesLength)
		for i, c := range d.Communities {
			give(fmt.Sprintf("communities[%d]", i), c)
		}
		give("preference", d.LocalPref)
	case sflow.EgressQueue:
		give("queue", d.Queue)
	case sflow.ExtendedACL:
		give("number", d.Number)
		give("name", d.Name)
		give("direction", d.Direction)
	case sflow.ExtendedFunction:
		give("symbol", d.Symbol)
	}
}

func counter(values map[string]any, at string, r sflow.CounterRecord) {
	values[at+"kind"], values[at+"length"] = r.Header.DataFormat, r.Header.Length
	names, numbers := []string(nil), []any(nil)
	switch d := r.Data.(type) {
	case sflow.IfCounters:
		names = []string{"index", "type", "speed", "direction", "status", "in_octets", "in_unicast", "in_multicast", "in_broadcast", "in_discards", "in_errors",
			"in_unknown", "out_octets", "out_unicast", "out_multicast", "out_broadcast", "out_discards", "out_errors", "promiscuous"}
		numbers = []any{d.IfIndex, d.IfType, d.IfSpeed, d.IfDirection, d.IfStatus, d.IfInOctets, d.IfInUcastPkts, d.IfInMulticastPkts, d.IfInBroadcastPkts,
			d.IfInDiscards, d.IfInErrors, d.IfInUnknownProtos, d.IfOutOctets, d.IfOutUcastPkts, d.IfOutMulticastPkts, d.IfOutBroadcastPkts, d.IfOutDiscards,
			d.IfOutErrors, d.IfPromiscuousMode}
	case sflow.EthernetCounters:
		names = []string{"alignment_errors", "fcs_errors", "single_collision", "many_collisions", "sqe_test_errors", "deferred", "late_collisions", "excessive",
			"internal_transmit", "carrier_sense", "too_long", "internal_receive", "symbol_errors"}
		numbers = []any{d.Dot3StatsAlignmentErrors, d.Dot3StatsFCSErrors, d.Dot3StatsSingleCollisionFrames, d.Dot3StatsMultipleCollisionFrames,
			d.Dot3StatsSQETestErrors, d.Dot3StatsDeferredTransmissions, d.Dot3StatsLateCollisions, d.Dot3StatsExcessiveCollisions,
			d.Dot3StatsInternalMacTransmitErrors, d.Dot3StatsCarrierSenseErrors, d.Dot3StatsFrameTooLongs, d.Dot3StatsInternalMacReceiveErrors,
			d.Dot3StatsSymbolErrors}
	}
	for i, name := range names {
		values[at+"data."+name] = numbers[i]
	}
}
