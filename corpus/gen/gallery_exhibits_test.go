package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
)

// exhibit is a built-in of the gallery, or an example.
type exhibit struct {
	name    string
	example bool   // its files are in corpus/examples
	proto   string // as tshark calls it, where that is another name
	// fields are what is compared: tshark's field and our path, without indexes, or several. What occurs several times in
	// a packet is compared in order. After a # the bytes that tshark took are compared as a number, where it shows
	// another unit, after a % in hex; after an @ is an address or a time, of which the texts are compared that both
	// show; after a dot is a domain name, to which it sets no dot, and blanks are themselves. nil: the other reader is
	// the library itself, whose .fields have our paths.
	fields map[string]string
	least  int64    // packets in the capture, 0 where there is none
	args   []string // tshark's, to decode other ports
	// inside lists tshark's fields whose parts are not compared: what it knows from earlier packets, or decrypts.
	inside  []string
	differs []difference
	joined  [][2]string // beginnings of our paths that it has one name for
	// stricter: it finds mistakes in what we take for bytes, so generated packets may be malformed for it, for the reason.
	stricter string
	// skip tells generated packets in which it reads more than the schema says. 500 others are well-formed for it.
	skip func(*decode.Trace) bool
	// loose: generated packets are well-formed for tshark; that it has their fields cannot be asked for, for the reason.
	loose string
	// firm are those of our paths that are compared of generated packets all the same.
	firm []string
}

// difference is what the other reader has otherwise, by its own mistake or because it knows more than the packet says.
type difference struct {
	frames       []int64 // in each of these; nil: in each of the capture
	path         string
	theirs, ours string // "": it has none there
	why          string
}

// odd lists the frames in which a client asks.
func odd(last int64) (frames []int64) {
	for n := int64(1); n <= last; n += 2 {
		frames = append(frames, n)
	}
	return frames
}

// upTo is a file with the numbers from 1, a line each.
func upTo(n int) (text []byte) {
	for i := range n {
		text = fmt.Appendf(text, "%d\n", i+1)
	}
	return text
}

// is reports whether it is this that the two readers have at one place; "" where one of them has nothing.
func (d difference) is(frame int64, path, theirs, ours string) bool {
	return d.path == path && d.theirs == theirs && d.ours == ours && (d.frames == nil || slices.Contains(d.frames, frame))
}

// The gallery: built-ins that describe other people's protocols. corpus/gen/NAME.sh has recorded real programs to
// corpus/NAME.pcap, and what another reader says of the capture is in corpus/NAME.fields. So a mistake in a schema
// cannot hide in packets that were made from the schema.
var gallery = []exhibit{
	{name: "artnet", least: 25, fields: map[string]string{
		"artnet.header.opcode": "opcode", "artnet.header.protver": "body.version",
		"artnet.poll.talktome": "body.flags", "artnet.poll.diag_priority": "body.priority",
		"artnet.poll_reply.port_nr":  "body.port",
		"artnet.poll_reply.versinfo": "body.firmware", "artnet.poll_reply.netswitch": "body.net_switch",
		"artnet.poll_reply.subswitch": "body.sub_switch", "artnet.poll_reply.oem": "body.oem",
		"artnet.poll_reply.status": "body.status", "artnet.poll_reply.esta_man": "body.maker",
		"artnet.poll_reply.num_ports":    "body.ports",
		"artnet.poll_reply.port_types_1": "body.port_types[]", "artnet.poll_reply.port_types_2": "body.port_types[]",
		"artnet.poll_reply.port_types_3": "body.port_types[]", "artnet.poll_reply.port_types_4": "body.port_types[]",
		"artnet.poll_reply.good_input_1": "body.good_input[]", "artnet.poll_reply.good_input_2": "body.good_input[]",
		"artnet.poll_reply.good_input_3": "body.good_input[]", "artnet.poll_reply.good_input_4": "body.good_input[]",
		"artnet.poll_reply.swin_1": "body.sw_in[]", "artnet.poll_reply.swin_2": "body.sw_in[]",
		"artnet.poll_reply.swin_3": "body.sw_in[]", "artnet.poll_reply.swin_4": "body.sw_in[]",
		"artnet.poll_reply.mac": "@body.mac", "artnet.output.sequence": "body.sequence",
		"artnet.output.physical": "body.physical", "artnet.output.universe": "body.universe",
		"artnet.output.length": "body.length", "dmx_chan.data_filter": "body.data",
	}, skip: artnetKnows},
	{name: "coap", least: 48, args: []string{"-d", "udp.port==5683,coap"}, fields: map[string]string{
		"coap.version": "version", "coap.type": "type", "coap.token_len": "token_length", "coap.code": "code", "coap.mid": "message_id",
		"coap.token": "token", "coap.opt.delta": "options[].delta", "coap.opt.length": "options[].length",
		"coap.opt.delta_ext": "options[].further", "coap.opt.length_ext": "options[].longer",
		"coap.opt.uri_path": "options[].value", "coap.opt.uri_query": "options[].value", "coap.opt.etag": "options[].value",
		"coap.opt.unknown": "options[].value", "coap.opt.ctype": "#options[].value.uint", "coap.opt.accept": "#options[].value.uint",
		"coap.opt.max_age": "#options[].value.uint", "coap.opt.size1": "#options[].value.uint", "coap.opt.observe": "#options[].value.uint",
		"coap.opt.block_number": "options[].value.block", "coap.opt.block_mflag": "options[].value.more", "coap.opt.block_size": "options[].value.size",
		"coap.opt.end_marker": "marker", "coap.payload": "%payload", "coap.block_payload": "%payload",
	}, differs: []difference{
		{[]int64{18, 20, 22, 24, 26}, "options[].value.size", "4", "", "it shows the size of all blocks as that of one"},
		{[]int64{18, 20, 22, 24, 26}, "options[].value.uint", "", "292", "the same"},
		{[]int64{15, 26}, "payload", fmt.Sprintf("%x", upTo(100)), "", "it shows all blocks together, too"},
	}, joined: [][2]string{
		{"options[].delta8", "options[].further"}, {"options[].delta16", "options[].further"},
		{"options[].length8", "options[].longer"}, {"options[].length16", "options[].longer"},
	}, stricter: "it minds the lengths of options", loose: "the same",
		firm: []string{"version", "type", "token_length", "code", "message_id"}},
	{name: "dhcp", least: 18, differs: []difference{
		{path: "options[].code", theirs: "0", ours: "255", why: "it shows the type of the end option as 0"},
		{odd(19), "chaddr", "02:00:5e:10:00:01", "", "it knows that the client's id is an address, too"},
	}, fields: map[string]string{
		"dhcp.hw.mac_addr": "@chaddr",
		"dhcp.type":        "op", "dhcp.hw.len": "hardware_size", "dhcp.hops": "hops", "dhcp.id": "xid", "dhcp.secs": "secs",
		"dhcp.flags.bc": "broadcast", "dhcp.ip.client": "@ciaddr", "dhcp.ip.your": "@yiaddr", "dhcp.ip.server": "@siaddr", "dhcp.ip.relay": "@giaddr",
		"dhcp.hw.addr_padding": "chaddr_rest", "dhcp.cookie": "#cookie", "dhcp.option.type": "options[].code", "dhcp.option.length": "options[].length",
		"dhcp.option.dhcp": "options[].value.type", "dhcp.option.ip_address_lease_time": "options[].value.seconds",
		"dhcp.option.renewal_time_value": "options[].value.seconds", "dhcp.option.rebinding_time_value": "options[].value.seconds",
		"dhcp.option.subnet_mask": "@options[].value.address", "dhcp.option.broadcast_address": "@options[].value.address",
		"dhcp.option.dhcp_server_id": "@options[].value.address", "dhcp.option.requested_ip_address": "@options[].value.address",
		"dhcp.option.router": "@options[].value.addresses[]", "dhcp.option.domain_name_server": "@options[].value.addresses[]",
		"dhcp.option.ntp_server": "@options[].value.addresses[]", "dhcp.option.hostname": "options[].value.text",
		"dhcp.option.domain_name": "options[].value.text", "dhcp.option.dhcp_max_message_size": "options[].value.size",
	}, stricter: "it knows parts of options that are bytes to us", loose: "the same",
		firm: []string{"op", "hardware_size", "hops", "xid", "broadcast", "ciaddr", "yiaddr", "siaddr", "giaddr"}},
	{name: "dns", least: 35, differs: []difference{
		{[]int64{12}, "records[].name", "", "_sip._udp.example.org.", "it shows the parts of a service's name"},
		{[]int64{34, 35, 36, 37}, "records[].name", "", `a\032server\032of\032the\032gallery._http._tcp.local.`, "the same"},
	}, joined: [][2]string{{"answers[]", "records[]"}, {"authorities[]", "records[]"}, {"additional[]", "records[]"}}, fields: map[string]string{
		"dns.id": "id", "dns.flags.response": "response", "dns.flags.opcode": "opcode", "dns.flags.truncated": "truncated",
		"dns.flags.recdesired": "recursion", "dns.flags.checkdisable": "unchecked", "dns.count.queries": "qd", "dns.count.answers": "an",
		"dns.count.auth_rr": "ns", "dns.count.add_rr": "ar", "dns.qry.name": ".questions[].name", "dns.qry.type": "questions[].type",
		"dns.resp.name": ".records[].name", "dns.resp.type": "records[].type", "dns.resp.ttl": "records[].ttl", "dns.resp.len": "records[].size",
		"dns.a": "@records[].data.address", "dns.aaaa": "@records[].data.address", "dns.cname": ".records[].data.target",
		"dns.ptr.domain_name": ".records[].data.target", "dns.srv.target": ".records[].data.target", "dns.srv.port": "records[].data.port",
		"dns.srv.priority": "records[].data.priority", "dns.srv.weight": "records[].data.weight", "dns.mx.preference": "records[].data.preference",
		"dns.mx.mail_exchange": ".records[].data.exchange", "dns.txt.length": "records[].data.strings[].len",
		"dns.soa.mname": ".records[].data.mname", "dns.soa.serial_number": "records[].data.serial",
		"dns.rr.udp_payload_size": "records[].payload", "dns.resp.ext_rcode": "records[].high_rcode", "dns.resp.edns0_version": "records[].version",
		"dns.resp.z.do": "records[].dnssec", "dns.opt.code": "records[].options[].code", "dns.opt.len": "records[].options[].length",
		"dns.opt.client.family": "records[].options[].value.family", "dns.opt.client.netmask": "records[].options[].value.source",
		"dns.opt.client.scope": "records[].options[].value.scope", "dns.opt.client.addr4": "%records[].options[].value.address",
		"dns.opt.client.addr6": "%records[].options[].value.address", "dns.opt.cookie.client": "%records[].options[].value.client",
		"dns.opt.cookie.server": "%records[].options[].value.server",
	}, skip: dnsKnows, loose: "it shows fewer flags of a query, and the parts of a service's name",
		firm: []string{"id", "response", "opcode", "truncated", "recursion", "ar"}},
	{name: "enet", least: 40},
	{name: "mavlink", least: 29},
	{name: "ntp", least: 18, differs: []difference{
		{odd(17), "ref_time", "NULL", "2036-02-07T06:28:16.000000Z", "it knows that a time of 0 is none"},
		{odd(17), "origin", "NULL", "2036-02-07T06:28:16.000000Z", "the same"},
		{odd(17), "receive", "NULL", "2036-02-07T06:28:16.000000Z", "the same"},
	}, fields: map[string]string{
		"ntp.flags.li": "leap", "ntp.flags.vn": "version", "ntp.flags.mode": "mode", "ntp.stratum": "stratum", "ntp.ppoll": "poll",
		"ntp.rootdelay": "#root_delay", "ntp.rootdispersion": "#root_disp", "ntp.refid": "#ref_id", "ntp.reftime": "#ref_time @ref_time",
		"ntp.org": "#origin @origin", "ntp.rec": "#receive @receive", "ntp.xmt": "#transmit @transmit", "ntp.keyid": "#key_id", "ntp.mac": "digest",
	}, skip: ntpKnows, loose: "it reads modes and extensions further than we do",
		firm: []string{"version", "mode"}},
	{name: "quic", least: 25, args: []string{"-d", "udp.port==4433,quic", "-d", "udp.port==443,quic"},
		differs: []difference{
			{[]int64{10}, "packets[].type", "0", "", "it reads a version that it does not know as it reads version 1"},
			{[]int64{10}, "packets[].body.token_length.value", "0", "", "the same"},
			{[]int64{10}, "packets[].body.length.value", "1153", "", "the same"},
		}, inside: []string{"quic.short"}, skip: quicKnows, loose: "it decrypts", fields: map[string]string{
			"quic.long.packet_type": "packets[].type", "quic.version": "packets[].version",
			"quic.dcil": "packets[].dcid_length", "quic.dcid": "packets[].dcid", "quic.scil": "packets[].scid_length", "quic.scid": "packets[].scid",
			"quic.token_length": "packets[].body.token_length.value", "quic.token": "packets[].body.token", "quic.length": "packets[].body.length.value",
			"quic.retry_token": "packets[].body.retry_token", "quic.retry_integrity_tag": "packets[].body.integrity_tag", "quic.supported_version": "packets[].supported[]",
		}},
	{name: "rtcp", least: 13, differs: []difference{{[]int64{13}, "reports[].count", "", "0", "extended reports have none: it is reserved"}}, joined: [][2]string{
		{"reports[].body.blocks[].ssrc", "reports[].body.ssrc"}, {"reports[].body.chunks[].ssrc", "reports[].body.ssrc"},
		{"reports[].body.sources[]", "reports[].body.ssrc"}, {"reports[].body.chunks[].items[].", "reports[].body."},
		{"reports[].body.reason", "reports[].body.text"},
	}, fields: map[string]string{
		"rtcp.version": "reports[].version", "rtcp.padding": "reports[].padding", "rtcp.rc": "reports[].count", "rtcp.sc": "reports[].count",
		"rtcp.app.subtype": "reports[].count", "rtcp.rtpfb.fmt": "reports[].count", "rtcp.psfb.fmt": "reports[].count",
		"rtcp.pt": "reports[].type", "rtcp.length": "reports[].words", "rtcp.senderssrc": "reports[].body.sender", "rtcp.mediassrc": "reports[].body.media",
		"rtcp.ssrc.identifier": "reports[].body.ssrc", "rtcp.timestamp.ntp": "#reports[].body.ntp @reports[].body.ntp",
		"rtcp.timestamp.rtp": "reports[].body.rtp", "rtcp.sender.packetcount": "reports[].body.packets", "rtcp.sender.octetcount": "reports[].body.octets",
		"rtcp.ssrc.fraction": "reports[].body.blocks[].fraction_lost", "rtcp.ssrc.cum_nr": "reports[].body.blocks[].lost",
		"rtcp.ssrc.ext_high": "reports[].body.blocks[].highest_seq", "rtcp.ssrc.jitter": "reports[].body.blocks[].jitter",
		"rtcp.ssrc.lsr": "reports[].body.blocks[].last_sr", "rtcp.ssrc.dlsr": "reports[].body.blocks[].delay",
		"rtcp.sdes.type": "reports[].body.kind", "rtcp.sdes.length": "reports[].body.len", "rtcp.sdes.text": "reports[].body.text",
		"rtcp.app.name": "reports[].body.name", "rtcp.app.data_str": "%reports[].body.data", "rtcp.app.data": "%reports[].body.data", "rtcp.padding.data": "reports[].fill",
		"rtcp.padding.count": "reports[].pad_count", "rtcp.xr.bt": "reports[].body.extended[].type", "rtcp.xr.bs": "reports[].body.extended[].specific",
		"rtcp.xr.bl": "reports[].body.extended[].words",
	}, args: []string{"-d", "udp.port==5005,rtcp"}, skip: rtcpKnows},
	{name: "rtp", least: 45, args: []string{"-d", "udp.port==5004,rtp"}, stricter: "it reads payloads of types it knows", loose: "the same",
		inside:  []string{"fake-field-wrapper"}, // the payload's types
		firm:    []string{"version", "padding", "extension", "csrc_count", "marker", "payload_type", "sequence", "timestamp", "ssrc"},
		differs: []difference{{[]int64{48}, "ext.elements[].id", "", "0", "it does not show what pads extensions"}}, fields: map[string]string{
			"rtp.version": "version", "rtp.padding": "padding", "rtp.ext": "extension", "rtp.cc": "csrc_count", "rtp.marker": "marker",
			"rtp.p_type": "payload_type", "rtp.seq": "sequence", "rtp.timestamp": "timestamp", "rtp.ssrc": "ssrc", "rtp.csrc.item": "csrc[]",
			"rtp.ext.profile": "profile", "rtp.ext.len": "words", "rtp.ext.rfc5285.id": "ext.elements[].id",
			"rtp.ext.rfc5285.data": "ext.elements[].data", "rtp.payload": "payload", "rtp.padding.data": "fill", "rtp.padding.count": "pad_count",
		}},
	{name: "stun", least: 80, args: []string{"-d", "udp.port==3478,stun"}, joined: [][2]string{
		{"fingerprint_type", "attributes[].type"}, {"fingerprint_size", "attributes[].size"}, {"attributes[].value.reason", "attributes[].value.text"},
	}, fields: map[string]string{
		"stun.type": "type", "stun.length": "length", "stun.cookie": "#cookie", "stun.id": "id",
		"stun.att.type": "attributes[].type", "stun.att.length": "attributes[].size", "stun.att.family": "attributes[].value.family",
		"stun.att.port-xord": "#attributes[].value.x_port", "stun.att.port": "attributes[].value.port",
		"stun.att.ipv4-xord": "#attributes[].value.x_address", "stun.att.ipv4": "@attributes[].value.address",
		"stun.att.username": "attributes[].value.text", "stun.att.realm": "attributes[].value.text", "stun.att.nonce": "attributes[].value.text",
		"stun.att.software": "attributes[].value.text", "stun.att.error.reason": "attributes[].value.text",
		"stun.att.error.class": "attributes[].value.class", "stun.att.error": "attributes[].value.number",
		"stun.att.lifetime": "attributes[].value.lifetime", "stun.att.hmac": "attributes[].value.hmac", "stun.att.transp": "attributes[].value.protocol",
		"stun.att.even-port.reserve-next": "attributes[].value.next", "stun.att.token": "attributes[].value.token",
		"stun.value": "attributes[].value.data", "stun.att.crc32": "fingerprint",
	}, skip: stunKnows},
	{name: "tftp", least: 35, fields: map[string]string{
		"tftp.opcode": "op", "tftp.source_file": "body.filename", "tftp.destination_file": "body.filename",
		"tftp.type": "body.mode", "tftp.block": "body.block",
		"tftp.option.name": "body.options[].name", "tftp.option.value": "body.options[].value",
		"tftp.error.code": "body.code", "tftp.error.message": "body.message",
	}},
}

// dnsKnows reports whether a packet has data of a type that is bytes in the schema and means something to tshark.
func dnsKnows(trace *decode.Trace) bool {
	kind := uint64(0)
	for f := range trace.Fields() {
		if path := f.Path(); strings.HasSuffix(path, "].type") {
			kind = f.Value().Uint()
		} else if strings.HasSuffix(path, "].data.data") && (kind < 512 || kind >= 1<<15) {
			return true
		}
	}
	return false
}

// ntpKnows reports whether a packet is a control message or a private one: tshark knows what each request holds.
func ntpKnows(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		if f.Path() == "mode" {
			return f.Value().Uint() > 5
		}
	}
	return false
}

// stunSame are the attributes that tshark shows as the schema does: it has others as bytes, or by another format.
var stunSame = []uint64{
	0x1, 0x3, 0x6, 0x8, 0x9, 0xa, 0xc, 0xd, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x20, 0x22, 0x24, 0x25,
	0x8022, 0x8023, 0x8027, 0x8028, 0x8029, 0x802a, 0x802b, 0x802c,
}

// stunKnows reports whether a message has attributes that tshark reads otherwise, or data that may be RTP for it, or is none
// for it, as its method has more than 8 bits; data of a channel has other fields.
func stunKnows(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		switch path := withoutIndexes(f.Path()); path {
		case "method":
			if f.Value().Uint() > 0xff {
				return true
			}
		case "channel":
			return true
		case "attributes[].value.data":
			if b := f.Value().Bytes(); len(b) > 0 && b[0]>>6 == 2 {
				return true
			}
		case "attributes[].type":
			if !slices.Contains(stunSame, f.Value().Uint()) {
				return true
			}
		}
	}
	return false
}

// artnetKnows reports whether a packet is one whose body tshark does not read, or hands to another dissector.
func artnetKnows(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		if f.Path() == "opcode" {
			return slices.Contains([]uint64{0x2400, 0x5100, 0x8300, 0x9700}, f.Value().Uint())
		}
	}
	return false
}

// quicKnows reports whether a datagram has a packet of a version that tshark reads as version 1, or bytes behind its packets.
func quicKnows(trace *decode.Trace) bool {
	for f := range trace.Fields() {
		if path := withoutIndexes(f.Path()); path == "packets[].unknown" || path == "ignored" {
			return true
		}
	}
	return false
}

// rtcpKnows reports whether a packet has what is bytes in the schema and means something to tshark: extensions,
// feedback, extended reports, private descriptions, that a time of 0 is none. It also knows padding after descriptions
// only, names of four letters, and no types but these.
func rtcpKnows(trace *decode.Trace) bool {
	padding, kind := false, uint64(0)
	for f := range trace.Fields() {
		switch path := withoutIndexes(f.Path()); path {
		case "reports[].padding":
			padding = f.Value().Bool()
		case "reports[].type":
			kind = f.Value().Uint()
			if kind < 200 || kind > 206 || padding && kind != 202 {
				return true
			}
		case "reports[].body.chunks[].items[].kind":
			if f.Value().Uint() == 8 {
				return true
			}
		case "reports[].body.ntp":
			if f.Value().Uint()>>32 == 0 {
				return true
			}
		case "reports[].body.name":
			if len(f.Value().Bytes()) < 4 {
				return true
			}
		case "reports[].body.more", "reports[].body.fci":
			if f.Width() > 0 {
				return true
			}
		}
	}
	return false
}
