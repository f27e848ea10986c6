// A harness for miekg/dns: a message as its servers and clients unpack it.
package main

import (
	"fmt"

	"github.com/miekg/dns"
)

func readPacket(packet []byte) (accepted bool, values map[string]any) {
	var m dns.Msg
	if m.Unpack(packet) != nil {
		return false, nil
	}
	values = map[string]any{
		"id":        m.Id,
		"response":  m.Response,
		"opcode":    m.Opcode,
		"authority": m.Authoritative,
		"truncated": m.Truncated,
		"recursion": m.RecursionDesired,
		"available": m.RecursionAvailable,
		"authentic": m.AuthenticatedData,
		"unchecked": m.CheckingDisabled,
		"rcode":     m.Rcode & 0xF, // with EDNS it has more
	}
	for i, q := range m.Question {
		at := fmt.Sprintf("questions[%d].", i)
		values[at+"type"], values[at+"class"] = q.Qtype, q.Qclass
	}
	records(values, "answers", m.Answer)
	records(values, "authorities", m.Ns)
	records(values, "additional", m.Extra)
	return true, values
}

func records(values map[string]any, list string, records []dns.RR) {
	for i, rr := range records {
		at := fmt.Sprintf("%s[%d].", list, i)
		h := rr.Header()
		values[at+"type"], values[at+"class"], values[at+"ttl"], values[at+"size"] = h.Rrtype, h.Class, h.Ttl, h.Rdlength
		switch rr := rr.(type) {
		case *dns.A:
			if rr.A != nil { // without data there is none
				values[at+"data.address"] = []byte(rr.A.To4())
			}
		case *dns.AAAA:
			if rr.AAAA != nil {
				values[at+"data.address"] = []byte(rr.AAAA)
			}
		case *dns.MX:
			if h.Rdlength > 0 {
				values[at+"data.preference"] = rr.Preference
			}
		case *dns.SRV:
			if h.Rdlength > 0 {
				values[at+"data.priority"], values[at+"data.weight"], values[at+"data.port"] = rr.Priority, rr.Weight, rr.Port
			}
		case *dns.SOA:
			if h.Rdlength > 0 {
				values[at+"data.serial"], values[at+"data.refresh"], values[at+"data.retry"] = rr.Serial, rr.Refresh, rr.Retry
				values[at+"data.expire"], values[at+"data.minimum"] = rr.Expire, rr.Minttl
			}
		}
	}
}
