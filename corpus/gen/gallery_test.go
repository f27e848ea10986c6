package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
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
	}},
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
	}, stricter: "it minds the lengths of options", loose: "the same"},
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
	}, skip: dnsKnows, loose: "it shows fewer flags of a query, and the parts of a service's name"},
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
	}, skip: ntpKnows, loose: "it reads modes and extensions further than we do"},
	{name: "quic", least: 25, args: []string{"-d", "udp.port==4433,quic", "-d", "udp.port==443,quic"},
		differs: []difference{
			{[]int64{10}, "packets[].type", "0", "", "it reads a version that it does not know as it reads version 1"},
			{[]int64{10}, "packets[].body.token_length.value", "0", "", "the same"},
			{[]int64{10}, "packets[].body.length.value", "1153", "", "the same"},
		}, inside: []string{"quic.short"}, loose: "tshark reads no version that it does not know, and decrypts", fields: map[string]string{
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

// file is the path of NAME.EXTENSION.
func (e exhibit) file(extension string) string {
	dir := ".."
	if e.example {
		dir = filepath.Join(dir, "examples")
	}
	return filepath.Join(dir, e.name+"."+extension)
}

// paths are the paths that are compared, each with the marks of the ways in which it is.
func (e exhibit) paths(theirs []said) map[string][]string {
	compared := map[string][]string{}
	for _, words := range e.fields {
		for _, word := range strings.Fields(words) {
			path := strings.TrimLeft(word, marks)
			if mark := strings.TrimSuffix(word, path); !slices.Contains(compared[path], mark) {
				compared[path] = append(compared[path], mark)
			}
		}
	}
	for _, s := range theirs {
		if compared[s.path] == nil {
			compared[s.path] = []string{""}
		}
	}
	return compared
}

// marks stand before paths (exhibit.fields).
const marks = "#%@."

// besideTshark lists what tshark reads too, under -short one of it: each takes it a second.
func besideTshark() (list []exhibit) {
	for _, g := range exhibits {
		if g.fields != nil {
			list = append(list, g)
		}
	}
	return list[:need.Rounds(len(list), 1)]
}

// said is one line of a .fields file: frame, path, value.
type said struct {
	frame      int64
	path, text string
}

func (s said) String() string { return fmt.Sprintf("%d %s %s", s.frame, s.path, s.text) }

// Every packet that was recorded is accepted and encodes to itself, and its fields have the values that the other
// reader gave.
func TestGallery(t *testing.T) {
	for _, g := range exhibits {
		t.Run(g.name, func(t *testing.T) {
			if g.least == 0 {
				t.Skip("no program at hand sends it")
			}
			theirs := readFields(t, g)
			compared := g.paths(theirs)
			ours, frames := g.decodeCapture(t, compared)
			if !sameFields(t, theirs, ours, frames, g.differs) {
				return
			}
			for path := range compared {
				if !slices.ContainsFunc(theirs, func(s said) bool { return s.path == path }) {
					t.Errorf("no packet has %s", path)
				}
			}
		})
	}
}

// The recorded fields are what the tshark that is installed says.
//
//	UPDATE_FIELDS=NAME go test -run TestGalleryBesideTshark ./corpus/gen
//
// writes them.
func TestGalleryBesideTshark(t *testing.T) {
	for _, g := range besideTshark() {
		t.Run(g.name, func(t *testing.T) {
			if g.least == 0 {
				t.Skip("no program at hand sends it")
			}
			theirs := tsharkFields(t, g.file("pcap"), g)
			if os.Getenv("UPDATE_FIELDS") == g.name {
				text := "# " + tsharkVersion(t) + "\n"
				for _, line := range theirs {
					text += line.String() + "\n"
				}
				if err := os.WriteFile(g.file("fields"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			sameFields(t, readFields(t, g), theirs, 0, nil)
		})
	}
}

// Packets that the generator makes are well-formed for tshark too, and have the same fields.
func TestGalleryGenerated(t *testing.T) {
	need.Program(t, need.Tshark, "tshark")
	for _, g := range besideTshark() {
		t.Run(g.name, func(t *testing.T) {
			d := loadDecoder(t, g.name)
			path := filepath.Join(t.TempDir(), g.name+".pcapng")
			var file bytes.Buffer
			w := pcap.NewWriter(&file, pcap.Section{})
			var ours []said
			compared := g.paths(nil)
			var trace decode.Trace
			n, count := int64(0), need.Rounds[int64](500, 50)
			made := count
			if g.skip != nil {
				made *= 8
			}
			for p, err := range fuzz.NewGenerator(d).Packets(1, made, nil) {
				if err != nil {
					t.Fatal(err)
				}
				if g.skip != nil && d.Decode(p.Data, p.From, &trace) == nil && g.skip(&trace) {
					continue
				}
				if n == count {
					break
				}
				n++
				// A client of its own for each packet: dissectors remember what was said before.
				client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 40000)
				server := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), d.Plan().Schema.Ports[0])
				src, dst := client, server
				if p.From == decode.Server {
					src, dst = server, client
				}
				if err := w.WriteUDP(n*1e9, src, dst, p.Data); err != nil {
					t.Fatal(err)
				}
				if err := d.Decode(p.Data, p.From, &trace); err != nil {
					t.Fatalf("packet %d: %v", n, err)
				}
				ours = append(ours, g.fieldsOf(n, &trace, compared)...)
			}
			if g.skip != nil && n < count {
				t.Errorf("%d packets, want %d", n, count)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			// Of what only its payload's dissector minds, one in ten may not even get that far.
			not, most := "_ws.malformed || !"+cmp.Or(g.proto, g.name), int64(0)
			if g.stricter != "" {
				not, most = "!"+cmp.Or(g.proto, g.name), n/10
			}
			refused := runTshark(t, append([]string{"-r", path, "-Y", not}, g.args...)...)
			if int64(bytes.Count(refused, []byte("\n"))) > most {
				t.Errorf("tshark takes no %s:\n%s", g.name, refused)
			}
			theirs := tsharkFields(t, path, g)
			if g.loose != "" {
				theirs, ours = only(theirs, g.firm), only(ours, g.firm)
				reached := map[int64]bool{} // of the others it takes none for one
				for _, s := range theirs {
					reached[s.frame] = true
				}
				ours = slices.DeleteFunc(ours, func(s said) bool { return !reached[s.frame] })
				if len(g.firm) > 0 && int64(len(theirs)) < n*9/10*int64(len(g.firm)) {
					t.Errorf("tshark has %d values of %d packets", len(theirs), n)
				}
			}
			sameFields(t, theirs, ours, 0, nil)
		})
	}
}

// only is what was said of some paths.
func only(list []said, paths []string) (kept []said) {
	for _, s := range list {
		if slices.Contains(paths, s.path) {
			kept = append(kept, s)
		}
	}
	return kept
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

// stunKnows reports whether a message has attributes that the schema has no names for, as tshark does, or is none
// for it, as its method has more than 8 bits.
func stunKnows(trace *decode.Trace) bool {
	kind := uint64(0)
	for f := range trace.Fields() {
		switch path := withoutIndexes(f.Path()); path {
		case "method":
			if f.Value().Uint() > 0xff {
				return true
			}
		case "attributes[].type":
			kind = f.Value().Uint()
		case "attributes[].value.data":
			if kind != 0x13 {
				return true
			}
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

// sameFields compares what two readers said, each in its own order within a packet and a field's occurrences in
// theirs, but for what is known to differ: of that all must be there.
func sameFields(t *testing.T, theirs, ours []said, frames int64, differs []difference) bool {
	t.Helper()
	type place struct {
		frame int64
		path  string
	}
	type pair struct{ theirs, ours []string }
	places, order := map[place]*pair{}, []place(nil)
	at := func(s said) *pair {
		p := place{s.frame, s.path}
		if places[p] == nil {
			places[p] = &pair{}
			order = append(order, p)
		}
		return places[p]
	}
	for _, s := range theirs {
		p := at(s)
		p.theirs = append(p.theirs, s.text)
	}
	for _, s := range ours {
		p := at(s)
		p.ours = append(p.ours, s.text)
	}
	first := func(list []string) string {
		if len(list) > 0 {
			return list[0]
		}
		return ""
	}
	const most = 20
	wrong, met := 0, map[int]map[int64]bool{}
	for _, p := range order {
		a, b := places[p].theirs, places[p].ours
		for len(a) > 0 || len(b) > 0 {
			if first(a) == first(b) {
				a, b = a[1:], b[1:]
				continue
			}
			known := slices.IndexFunc(differs, func(d difference) bool {
				return d.is(p.frame, p.path, first(a), first(b)) || d.is(p.frame, p.path, first(a), "") || d.is(p.frame, p.path, "", first(b))
			})
			if known < 0 {
				if wrong++; wrong < most {
					t.Errorf("%d %s: the other reader has %q, pktscope has %q", p.frame, p.path, first(a), first(b))
				}
				a, b = a[min(1, len(a)):], b[min(1, len(b)):]
				continue
			}
			if met[known] == nil {
				met[known] = map[int64]bool{}
			}
			met[known][p.frame] = true
			if differs[known].theirs != "" {
				a = a[1:]
			}
			if differs[known].ours != "" {
				b = b[1:]
			}
		}
	}
	for i, d := range differs {
		want := d.frames
		for n := int64(1); d.frames == nil && n <= frames; n++ {
			want = append(want, n)
		}
		for _, n := range want {
			if !met[i][n] {
				wrong++
				t.Errorf("%d %s: the readers agree, though %s", n, d.path, d.why)
			}
		}
	}
	return wrong == 0
}

// decodeCapture decodes a capture of the gallery and returns the fields, and how many packets there are.
func (e exhibit) decodeCapture(t *testing.T, compared map[string][]string) (ours []said, frames int64) {
	t.Helper()
	d := loadDecoder(t, e.name)
	file, err := os.ReadFile(e.file("pcap"))
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 64<<10 {
		t.Errorf("%d bytes of capture, at most 64 KiB", len(file))
	}
	var trace decode.Trace
	encoder := decode.NewEncoder(d)
	n := int64(0)
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file))); ; n++ {
		dg, err := datagrams.Next()
		if err == io.EOF {
			break
		}
		if err != nil || dg.Cut || dg.LengthMismatch {
			t.Fatalf("packet %d: %v, %+v", n+1, err, dg)
		}
		from := decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port())
		if err := d.Decode(dg.Payload, from, &trace); err != nil {
			t.Errorf("packet %d, %x: %v", dg.N, dg.Payload, err)
			continue
		}
		if again, err := encoder.Append(nil, decode.Replay(&trace), from); err != nil || !bytes.Equal(again, dg.Payload) {
			t.Errorf("packet %d, %x: encodes to %x, %v", dg.N, dg.Payload, again, err)
		}
		ours = append(ours, e.fieldsOf(dg.N, &trace, compared)...)
	}
	if n < e.least {
		t.Errorf("%d packets, want at least %d", n, e.least)
	}
	return ours, n
}

// fieldsOf lists the fields of a packet that are compared.
func (e exhibit) fieldsOf(frame int64, trace *decode.Trace, compared map[string][]string) (list []said) {
	for f := range trace.Fields() {
		path := withoutIndexes(f.Path())
		for _, j := range e.joined {
			if rest, ok := strings.CutPrefix(path, j[0]); ok {
				path = j[1] + rest
			}
		}
		for _, mark := range compared[path] {
			text := plain(f.Value())
			if mark == "@" {
				text = clock(f.Value().String())
			}
			empty := text == "" || e.fields != nil && f.Width() == 0 && trace.Plan.Nodes[f.Node()].Value != nil
			if !empty { // tshark does not mention what is empty, be it a 0
				list = append(list, said{frame, path, text})
			}
		}
	}
	return list
}

// withoutIndexes makes `a[].b` of `a[3].b`.
func withoutIndexes(path string) string {
	var b strings.Builder
	for path != "" {
		before, rest, found := strings.Cut(path, "[")
		b.WriteString(before)
		if found {
			b.WriteString("[]")
			_, rest, _ = strings.Cut(rest, "]")
		}
		path = rest
	}
	return b.String()
}

// plain is a value in the one form that all readers are brought to: whole numbers in decimal, bytes in hex, text as it
// is.
func plain(v decode.Value) string {
	switch v.Form() {
	case plan.FormBytes:
		return fmt.Sprintf("%x", v.Bytes())
	case plan.FormText:
		return line(string(v.Bytes()))
	case plan.FormBool:
		return strconv.FormatUint(v.Uint(), 10)
	case plan.FormFloat:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	default:
		return string(v.AppendNumber(nil))
	}
}

// line brings a text to one line of ASCII: dissectors differ in what they take for a letter.
func line(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch n := utf8.RuneLen(r); {
		case r == utf8.RuneError:
			b.WriteByte('?')
		case r >= 0x80:
			b.WriteString("????"[:n])
		case r < ' ':
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// readFields reads NAME.fields: a comment with the reader's version, then a line for each field.
func readFields(t *testing.T, e exhibit) (list []said) {
	t.Helper()
	text, err := os.ReadFile(e.file("fields"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		frame, rest, _ := strings.Cut(line, " ")
		path, value, ok := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(frame, 10, 64)
		if err != nil || !ok {
			t.Fatalf("%s.fields: %q: want a frame, a path and a value", e.name, line)
		}
		list = append(list, said{n, path, value})
	}
	return list
}

func tsharkVersion(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(string(runTshark(t, "--version")), "\n")
	return strings.TrimSuffix(line, ".")
}

func runTshark(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command(need.Program(t, need.Tshark, "tshark"), append([]string{"-n"}, args...)...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("tshark %q: %v: %s", args, err, stderr.Bytes())
	}
	return out
}

// tsharkFields lists what tshark says of a capture, for the fields that are compared.
func tsharkFields(t *testing.T, path string, g exhibit) (list []said) {
	t.Helper()
	frame, skip := int64(0), 0 // skip: so many elements are open, from the one on that is not looked into
	pdml := runTshark(t, append([]string{"-r", path, "-T", "pdml"}, g.args...)...)
	for d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(pdml, []byte("\uFFFD")))); ; { // tshark cuts long text within a letter
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if _, end := token.(xml.EndElement); end && skip > 0 {
			skip--
		}
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, at := range element.Attr {
			a[at.Name.Local] = at.Value
		}
		if skip > 0 || slices.Contains(g.inside, a["name"]) {
			skip++
			continue
		}
		if element.Name.Local == "packet" {
			frame++
		}
		if a["size"] == "0" { // it is from an earlier packet
			continue
		}
		for _, word := range strings.Fields(g.fields[a["name"]]) {
			path, text := strings.TrimLeft(word, marks), a["show"]
			switch strings.TrimSuffix(word, path) {
			case "#":
				text = shown("0x" + a["value"])
			case "%":
				text = a["value"]
			case "@":
				text = clock(text)
			case ".":
				text = shown(strings.NewReplacer("<Root>", "", " ", `\032`).Replace(text) + ".")
			default:
				text = shown(text)
			}
			if text != "" {
				list = append(list, said{frame, path, text})
			}
		}
	}
}

// clock brings a time that tshark or we show to one form, cut to microseconds, as one rounds and the other cuts; other
// texts are as they are.
func clock(text string) string {
	for _, form := range []string{"Jan _2, 2006 15:04:05.999999999 MST", time.RFC3339Nano} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
	}
	return text
}

// colons is how tshark writes bytes and Ethernet addresses.
var colons = regexp.MustCompile(`^[0-9a-f]{2}(:[0-9a-f]{2})+$`)

// shown brings what tshark shows to the form of plain.
func shown(text string) string {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	if colons.MatchString(text) {
		return strings.ReplaceAll(text, ":", "")
	}
	return line(text)
}
