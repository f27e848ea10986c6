package main

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

// handmade is a packet of testdata/packets.txt.
type handmade struct {
	protocol, verdict, what string
	data                    []byte
	fields                  [][2]string
	but                     string // why tshark's verdict is another
}

func readHandmade(t *testing.T) (list []*handmade) {
	t.Helper()
	text, err := os.ReadFile("testdata/packets.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || first == "#":
		case first == "=":
			p := list[len(list)-1]
			for _, run := range strings.Fields(rest) {
				digits, times, repeated := strings.Cut(run, "*")
				data, err := hex.DecodeString(digits)
				n := 1
				if repeated && err == nil {
					n, err = strconv.Atoi(times)
				}
				if err != nil {
					t.Fatalf("%q: %v", run, err)
				}
				p.data = append(p.data, bytes.Repeat(data, n)...)
			}
		case first == "but":
			list[len(list)-1].but = rest
		case strings.Contains(line, ": "):
			verdict, what, _ := strings.Cut(rest, ": ")
			list = append(list, &handmade{protocol: first, verdict: verdict, what: what})
		default:
			p := list[len(list)-1]
			p.fields = append(p.fields, [2]string{first, rest})
		}
	}
	return list
}

// judged is what we say of a packet, in the words of the file.
func judged(err error, trace *decode.Trace) string {
	switch {
	case err != nil:
		r := trace.Reject()
		return strings.TrimSpace(r.Kind.String() + " " + withoutIndexes(r.Path()))
	case len(trace.Notes) > 0:
		n := &trace.Notes[0]
		return strings.TrimSpace(n.Kind.String() + " " + withoutIndexes(n.Path()))
	}
	return "accept"
}

// refused reports whether a verdict of the file is that of a packet that is refused.
func refused(verdict string) bool {
	kind, _, _ := strings.Cut(verdict, " ")
	return !slices.Contains([]string{"accept", "ignored-bits", "unlisted-value", "non-canonical"}, kind)
}

// What a protocol's text says of a packet is what the schema says: the verdict, and the values.
func TestGalleryPackets(t *testing.T) {
	for _, p := range readHandmade(t) {
		t.Run(p.protocol+"/"+p.what, func(t *testing.T) {
			d := loadDecoder(t, p.protocol)
			var trace decode.Trace
			err := d.Decode(p.data, decode.FromUnknown, &trace)
			if got := judged(err, &trace); got != p.verdict {
				t.Errorf("%x: want %s, got %s", p.data, p.verdict, got)
			}
			if err != nil {
				return
			}
			if again, err := decode.NewEncoder(d).Append(nil, decode.Replay(&trace), decode.FromUnknown); err != nil || !bytes.Equal(again, p.data) {
				t.Errorf("%x: encodes to %x, %v", p.data, again, err)
			}
			values := map[string]string{}
			for f := range trace.Fields() {
				values[f.Path()] = plain(f.Value())
			}
			for _, f := range p.fields {
				if got, ok := values[f[0]]; !ok || got != f[1] {
					t.Errorf("%s: want %s, got %s", f[0], f[1], cmp.Or(got, "nothing"))
				}
			}
		})
	}
}

// allFields are the fields of an exhibit, and those that no capture has.
func (e exhibit) allFields() map[string]string {
	all := maps.Clone(e.fields)
	maps.Copy(all, beyond[e.name])
	return all
}

// beyond are tshark's fields of what no capture of the gallery has; as exhibit.fields.
var beyond = map[string]map[string]string{
	"artnet": {
		"artnet.diag_data.priority": "body.level", "artnet.diag_data.length": "body.length", "artnet.address.swin_1": "body.sw_in[]", "artnet.address.swin_2": "body.sw_in[]",
		"artnet.address.swin_3": "body.sw_in[]", "artnet.address.swin_4": "body.sw_in[]", "artnet.address.command": "body.command",
		"artnet.input.num_ports": "body.ports", "artnet.input.input_1": "body.inputs[]", "artnet.input.input_2": "body.inputs[]", "artnet.input.input_3": "body.inputs[]",
		"artnet.input.input_4": "body.inputs[]", "artnet.tod_request.net": "body.net", "artnet.tod_request.command": "body.command",
		"artnet.tod_request.ad_count": "body.count", "artnet.tod_data.port": "body.port", "artnet.tod_data.net": "body.net", "artnet.tod_data.command_response": "body.response",
		"artnet.tod_data.uid_total": "body.total", "artnet.tod_data.block_count": "body.block", "artnet.tod_data.uid_count": "body.count",
		"artnet.tod_control.net": "body.net", "artnet.tod_control.command": "body.command", "artnet.rdm.net": "body.net", "artnet.rdm.command": "body.command",
		"artnet.rdm_sub.command_class": "body.class", "artnet.rdm_sub.param_id": "body.parameter", "artnet.rdm_sub.sub_device": "body.first", "artnet.rdm_sub.sub_count": "body.count",
		"artnet.ip_prog.command": "body.command", "artnet.ip_prog.sm": "@body.mask", "artnet.ip_prog.port": "body.port", "artnet.ip_prog_reply.sm": "@body.mask",
		"artnet.ip_prog_reply.port": "body.port", "artnet.ip_prog_reply.status": "body.status", "artnet.trigger.oemcode": "body.oem", "artnet.trigger.key": "body.key", "artnet.trigger.subkey": "body.subkey",
		"artnet.firmware_master.type": "body.type", "artnet.firmware_reply.type": "body.type", "artnet.firmware_master.block_id": "body.block",
	},
	"ptp": {
		"ptp.v2.sig.tlv.tlvType": "tlvs[].type", "ptp.v2.sig.tlv.lengthField": "tlvs[].size", "ptp.v2.sig.tlv.messageType": "tlvs[].value.message",
		"ptp.v2.sig.tlv.logInterMessagePeriod": "tlvs[].value.period", "ptp.v2.sig.tlv.durationField": "tlvs[].value.duration", "ptp.v2.sig.tlv.renewalInvited": "tlvs[].value.renewal",
		"ptp.v2.sig.targetportidentity": "#body.target.clock", "ptp.v2.sig.targetportid": "body.target.port",
		"ptp.v2.an.tlvType": "tlvs[].type", "ptp.v2.an.lengthField": "tlvs[].size", "ptp.v2.an.pathsequence": "#tlvs[].value.path[]", "ptp.v2.an.atoi.keyField": "tlvs[].value.key",
		"ptp.v2.an.atoi.currentOffset": "tlvs[].value.offset", "ptp.v2.an.atoi.jumpSeconds": "tlvs[].value.jump", "ptp.v2.an.atoi.timeOfNextJump": "#tlvs[].value.next",
		"ptp.v2.an.atoi.displayName.length": "tlvs[].value.name.len",
		"ptp.v2.mm.targetportidentity":      "#body.target.clock", "ptp.v2.mm.targetportid": "body.target.port",
		"ptp.v2.mm.tlvType": "tlvs[].type", "ptp.v2.mm.lengthField": "tlvs[].size", "ptp.v2.mm.managementId": "tlvs[].value.id", "ptp.v2.mm.managementErrorId": "tlvs[].value.error",
	},
	"stun": {
		"stun.att.change-ip": "attributes[].value.change_ip", "stun.att.change-port": "attributes[].value.change_port", "stun.att.channelnum": "attributes[].value.channel",
		"stun.att.unknown": "attributes[].value.unknown[]", "stun.att.priority": "attributes[].value.priority", "stun.att.tie-breaker": "#attributes[].value.tie_breaker",
		"stun.att.cache-timeout": "attributes[].value.timeout",
	},
	"coap": {"coap.opt.delta": "options[].delta", "coap.opt.length": "options[].length", "coap.payload": "%payload"},
	"dhcp": {"dhcp.option.dhcp": "options[].value.type", "dhcp.option.client_last_transaction_time": "options[].value.seconds",
		"dhcp.option.associated_ip_option": "@options[].value.addresses[]"},
	"dns": {
		"dns.svcb.svcpriority": "records[].data.priority", "dns.svcb.targetname": ".records[].data.target", "dns.dname": ".records[].data.target",
		"dns.svcb.svcparam.key": "records[].data.params[].key", "dns.svcb.svcparam.value.length": "records[].data.params[].length",
		"dns.svcb.svcparam.mandatory.key": "records[].data.params[].value.keys[]", "dns.svcb.svcparam.alpn.length": "records[].data.params[].value.ids[].len",
		"dns.svcb.svcparam.alpn": "%records[].data.params[].value.ids[].id", "dns.svcb.svcparam.port": "records[].data.params[].value.port",
		"dns.svcb.svcparam.ipv4hint.ip": "@records[].data.params[].value.addresses[]", "dns.svcb.svcparam.ipv6hint.ip": "@records[].data.params[].value.addresses[]",
		"dns.loc.size": "#records[].data.diameter", "dns.loc.horizontal_precision": "#records[].data.horizontal", "dns.loc.vertical_precision": "#records[].data.vertical",
		"dns.loc.latitude": "#records[].data.latitude", "dns.loc.longitude": "#records[].data.longitude", "dns.loc.altitude": "#records[].data.altitude",
		"dns.loc.version":        "records[].data.version",
		"dns.rrsig.type_covered": "records[].data.covered", "dns.rrsig.algorithm": "records[].data.algorithm", "dns.rrsig.labels": "records[].data.labels",
		"dns.rrsig.original_ttl": "#records[].data.ttl", "dns.rrsig.signature_expiration": "#records[].data.expiration",
		"dns.rrsig.signature_inception": "#records[].data.inception", "dns.rrsig.key_tag": "records[].data.key_tag",
		"dns.rrsig.signers_name": ".records[].data.signer", "dns.rrsig.signature": "records[].data.signature",
		"dns.dnskey.flags": "#records[].data.key_flags", "dns.dnskey.protocol": "records[].data.protocol", "dns.dnskey.algorithm": "records[].data.algorithm",
		"dns.dnskey.public_key": "records[].data.key", "dns.nsec.next_domain_name": ".records[].data.next",
		"dns.ds.key_id": "records[].data.key_tag", "dns.ds.algorithm": "records[].data.algorithm", "dns.ds.digest_type": "records[].data.digests",
		"dns.ds.digest": "records[].data.digest", "dns.nsec3.algo": "records[].data.algorithm", "dns.nsec3.flags": "#records[].data.set",
		"dns.nsec3.iterations": "records[].data.iterations", "dns.nsec3.salt_length": "records[].data.salt.len", "dns.nsec3.salt_value": "records[].data.salt.data",
		"dns.nsec3.hash_length": "records[].data.hash.len", "dns.nsec3.hash_value": "%records[].data.hash.data",
		"dns.tlsa.certificate_usage": "records[].data.usage", "dns.tlsa.selector": "records[].data.selector", "dns.tlsa.matching_type": "records[].data.matching",
		"dns.tlsa.certificate_association_data": "%records[].data.data", "dns.caa.flags": "#records[].data.set", "dns.caa.tag": "%records[].data.tag.text",
		"dns.caa.value": "%records[].data.value", "dns.naptr.order": "records[].data.rank", "dns.naptr.preference": "records[].data.preference",
		"dns.naptr.flags": "%records[].data.letters.text", "dns.naptr.service": "%records[].data.services.text", "dns.naptr.regex_length": "records[].data.regexp.len",
		"dns.naptr.replacement": ".records[].data.replacement", "dns.hinfo.cpu": "%records[].data.cpu.text", "dns.hinfo.os": "%records[].data.os.text",
	},
	"ntp": {
		"ntp.ctrl.flags2.r": "control.response", "ntp.ctrl.flags2.error": "control.error", "ntp.ctrl.flags2.more": "control.more",
		"ntp.ctrl.flags2.opcode": "control.opcode", "ntp.ctrl.sequence": "control.sequence", "ntp.ctrl.status": "control.status",
		"ntp.ctrl.associd": "control.association", "ntp.ctrl.offset": "control.offset", "ntp.ctrl.count": "control.count",
		"ntp.priv.flags.r": "private.response", "ntp.priv.flags.more": "private.more", "ntp.priv.auth": "private.authenticated", "ntp.priv.seq": "private.sequence",
		"ntp.priv.impl": "private.implementation", "ntp.priv.reqcode": "private.request", "ntp.priv.err": "#private.error",
		"ntp.priv.numitems": "#private.count", "ntp.priv.itemsize": "#private.size",
	},
}

// tshark says the same of them: well-formed where we accept, malformed where we refuse, but for what the file gives the
// reason of. The values that both show are the same.
func TestGalleryPacketsBesideTshark(t *testing.T) {
	need.Program(t, need.Tshark, "tshark")
	list := readHandmade(t)
	for _, g := range exhibits {
		if g.fields == nil {
			continue
		}
		if more := beyond[g.name]; more != nil {
			g.fields = more // that captures differ in what is known is said for captures
		}
		var file bytes.Buffer
		w := pcap.NewWriter(&file, pcap.Section{})
		var sent []*handmade
		var ours []said
		compared := g.paths(nil)
		d := loadDecoder(t, g.name)
		port := d.Plan().Schema.Ports[0]
		for _, p := range list {
			if p.protocol != g.name {
				continue
			}
			n := len(sent) + 1
			if err := w.WriteUDP(int64(n)*1e9, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), 40000),
				netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, byte(n)}), port), p.data); err != nil {
				t.Fatal(err)
			}
			sent = append(sent, p)
			var trace decode.Trace
			if d.Decode(p.data, decode.FromUnknown, &trace) == nil {
				ours = append(ours, g.fieldsOf(int64(n), &trace, compared)...)
			}
		}
		if len(sent) == 0 {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "packets.pcapng")
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			good := runTshark(t, append([]string{"-r", path, "-T", "fields", "-e", "frame.number", "-Y", cmp.Or(g.proto, g.name) + " && !_ws.malformed"}, g.args...)...)
			taken := map[string]bool{}
			for _, n := range strings.Fields(string(good)) {
				taken[n] = true
			}
			for i, p := range sent {
				if theirs := taken[fmt.Sprint(i+1)]; (theirs == refused(p.verdict)) != (p.but != "") {
					t.Errorf("%s: we say %s, tshark well-formed: %t, the file gives the reason %q", p.what, p.verdict, theirs, p.but)
				}
			}
			theirs := slices.DeleteFunc(tsharkFields(t, path, g), func(s said) bool { return refused(sent[s.frame-1].verdict) })
			sameFields(t, theirs, ours, 0, nil)
		})
	}
}
