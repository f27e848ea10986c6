package main

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// exhibits are the gallery and the examples of which tshark reads something.
var exhibits = slices.Concat(gallery, exampleGallery)

// The examples that another reader knows. What no program at hand sends has no capture: of that the generated packets
// are held against tshark alone.
var exampleGallery = []exhibit{
	{name: "bfd", example: true, least: 60, loose: "it reads no authentication of a length that its kind has not",
		firm: []string{"version", "diagnostic", "state", "poll", "final", "authenticated", "multiplier", "length", "my_discriminator", "min_tx", "min_rx"}, fields: map[string]string{
			"bfd.version": "version", "bfd.diag": "diagnostic", "bfd.sta": "state", "bfd.flags.p": "poll", "bfd.flags.f": "final",
			"bfd.flags.c": "control_plane", "bfd.flags.a": "authenticated", "bfd.flags.d": "demand", "bfd.flags.m": "multipoint",
			"bfd.detect_time_multiplier": "multiplier", "bfd.message_length": "length", "bfd.my_discriminator": "#my_discriminator",
			"bfd.your_discriminator": "#your_discriminator", "bfd.desired_min_tx_interval": "min_tx", "bfd.required_min_rx_interval": "min_rx",
			"bfd.required_min_echo_interval": "min_echo_rx", "bfd.auth.type": "auth_type", "bfd.auth.len": "auth_length", "bfd.auth.key": "key_id",
			"bfd.auth.seq_num": "auth.sequence", "bfd.checksum": "auth.digest",
		}, joined: [][2]string{{"auth.hash", "auth.digest"}}},
	{name: "geneve", example: true, stricter: "it reads the frame inside", fields: map[string]string{
		"geneve.version": "version", "geneve.flags.oam": "control", "geneve.flags.critical": "critical", "geneve.proto_type": "type",
		"geneve.vni": "#network", "geneve.option.class": "options[].class", "geneve.option.type.critical": "options[].critical",
		"geneve.option.unknown.data": "%options[].data",
	}},
	{name: "ptp", example: true, least: 25, stricter: "it reads TLVs of kinds that it knows", loose: "the same",
		firm: []string{"kind", "length", "domain", "flags", "source.clock", "source.port", "sequence", "control", "log_interval"}, fields: map[string]string{
			"ptp.v2.majorsdoid": "major_sdo", "ptp.v2.messagetype": "kind", "ptp.v2.minorversionptp": "minor_version", "ptp.v2.versionptp": "version",
			"ptp.v2.messagelength": "length", "ptp.v2.domainnumber": "domain", "ptp.v2.minorsdoid": "minor_sdo", "ptp.v2.flags": "flags",
			"ptp.v2.clockidentity": "#source.clock", "ptp.v2.sourceportid": "source.port", "ptp.v2.sequenceid": "sequence",
			"ptp.v2.controlfield": "control", "ptp.v2.logmessageperiod": "log_interval",
			"ptp.v2.sdr.origintimestamp.seconds": "body.origin.seconds", "ptp.v2.sdr.origintimestamp.nanoseconds": "body.origin.nanoseconds",
			"ptp.v2.fu.preciseorigintimestamp.seconds": "body.origin.seconds", "ptp.v2.fu.preciseorigintimestamp.nanoseconds": "body.origin.nanoseconds",
			"ptp.v2.an.origintimestamp.seconds": "body.origin.seconds", "ptp.v2.an.origintimestamp.nanoseconds": "body.origin.nanoseconds",
			"ptp.v2.dr.receivetimestamp.seconds": "body.received.seconds", "ptp.v2.dr.receivetimestamp.nanoseconds": "body.received.nanoseconds",
			"ptp.v2.dr.requestingsourceportidentity": "#body.requesting.clock", "ptp.v2.dr.requestingsourceportid": "body.requesting.port",
			"ptp.v2.an.origincurrentutcoffset": "body.utc_offset", "ptp.v2.an.priority1": "body.priority1", "ptp.v2.an.priority2": "body.priority2",
			"ptp.v2.an.grandmasterclockclass": "body.class", "ptp.v2.an.grandmasterclockaccuracy": "body.accuracy",
			"ptp.v2.an.grandmasterclockvariance": "body.variance", "ptp.v2.an.grandmasterclockidentity": "#body.grandmaster",
			"ptp.v2.an.localstepsremoved": "body.steps", "ptp.v2.timesource": "body.source",
			"ptp.v2.mm.targetportidentity": "#body.target.clock", "ptp.v2.mm.targetportid": "body.target.port",
			"ptp.v2.mm.startingboundaryhops": "body.start_hops", "ptp.v2.mm.boundaryhops": "body.hops", "ptp.v2.mm.action": "body.action",
		}},
	{name: "raknet", example: true, least: 16, args: []string{"-d", "udp.port==19132,raknet"}, stricter: "it reads the messages inside",
		loose: "it reads the messages inside, which it takes for older ones", firm: []string{"kind"}, inside: []string{"raknet.system.message", "raknet.server.address", "raknet.client.address"},
		joined: [][2]string{{"body.client", "body.guid"}, {"body.server", "body.guid"}},
		fields: map[string]string{
			"raknet.offline.message.id": "kind", "raknet.packet.type": "kind", "raknet.offline_message.data_id": "body.magic",
			"raknet.client.guid": "#body.guid", "raknet.server_id": "#body.guid", "raknet.proto_ver": "body.protocol", "raknet.MTU": "body.mtu",
			"raknet.timestamp": "body.time", "raknet.use_encryption": "body.security", "raknet.server_id_str_len": "body.size", "raknet.server_id_str": "body.name",
			"raknet.NACK.record_count": "body.count", "raknet.range.max_equals_to_min": "body.records[].single", "raknet.range.packet_number.min": "body.records[].first",
			"raknet.packet_number": "body.sequence", "raknet.message.reliability": "body.frames[].reliability", "raknet.message.has_split_packet": "body.frames[].split",
			"raknet.payload.length": "body.frames[].length", "raknet.reliable.number": "body.frames[].message", "raknet.ordering.index": "body.frames[].order",
			"raknet.ordering.channel": "body.frames[].channel", "raknet.split.count": "body.frames[].parts", "raknet.split.id": "body.frames[].part_of",
			"raknet.split.index": "body.frames[].part",
		}},
	{name: "sacn", example: true, proto: "acn", least: 20, args: []string{"--enable-heuristic", "acn", "-o", "acn.dmx_enable:TRUE"}, stricter: "it reads more levels than there are", skip: sacnKnows, joined: [][2]string{
		{"root.length", "lengths"}, {"framing.length", "lengths"}, {"body.dmp.length", "lengths"},
	}, fields: map[string]string{
		"acn.preamble_size": "preamble", "acn.postamble_size": "postamble", "acn.cid": "@sender", "acn.dmx.source_name": "body.source",
		"acn.dmx.priority": "body.priority", "acn.dmx.seq_number": "body.sequence", "acn.dmx.universe": "body.universe",
		"acn.dmx.start_code2": "body.start", "acn.protocol_id": "vector", "acn.dmx_vector": "body.vector", "acn.dmp_vector": "body.vector2", "acn.dmx.reserved": "body.synced_with",
		"acn.pdu.length": "lengths", "acn.dmx.options": "body.options", "acn.dmx.first_property_address": "body.first", "acn.dmx.increment": "body.increment",
		"acn.dmx.count": "body.count",
	}},
	{name: "sflow", example: true, stricter: "it reads the headers that were sampled", fields: map[string]string{
		"sflow_245.version": "version", "sflow_245.agenttype": "agent.kind", "sflow_245.agent": "@agent.ipv4", "sflow_245.agent.v6": "@agent.ipv6", "sflow_245.sub_agent_id": "sub_agent",
		"sflow_245.sequence_number": "sequence", "sflow_245.sysuptime": "uptime", "sflow_245.numsamples": "count",
	}},
	{name: "quake3", example: true, stricter: "it wants a NUL after the text of a command", skip: quake3Connected, fields: map[string]string{
		"quake3.connectionless.marker": "mark",
	}},
	{name: "vxlan", example: true, least: 10, stricter: "it reads the frame inside", loose: "the same", firm: []string{"valid", "network"}, fields: map[string]string{
		"vxlan.flag_i": "valid", "vxlan.vni": "network",
	}},
	{name: "wireguard", example: true, proto: "wg", fields: map[string]string{
		"wg.type": "kind", "wg.sender": "body.sender", "wg.receiver": "body.receiver", "wg.ephemeral": "%body.ephemeral",
		// it shows nothing of what is sealed but that it is there

		"wg.mac1": "body.mac1", "wg.mac2": "body.mac2", "wg.nonce": "body.nonce", "wg.encrypted_cookie": "body.cookie", "wg.counter": "body.counter",
	}},
}

// quake3Connected reports whether a packet is of a connection: tshark says nothing of its header.
func quake3Connected(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		return f.Value().Uint() != 0xffffffff
	}
	return true
}

// sacnKnows reports whether a packet is none of levels.
func sacnKnows(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		if f.Path() == "vector" {
			return f.Value().Uint() != 4
		}
	}
	return true
}
