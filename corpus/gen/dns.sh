#!/usr/bin/env bash
# Records DNS: dnsmasq asked by dig, and mDNS between two of python3-zeroconf.
. "$(dirname "$0")/record.sh"
need dnsmasq dnsmasq-base
need dig bind9-dnsutils
need "$python" python3-zeroconf

record
dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --port=53 --user=root --pid-file= --listen-address=127.0.0.1 \
  --bind-interfaces --local=/example.org/ --auth-zone=zone.test --auth-server=ns.zone.test --auth-soa=2026,hostmaster.zone.test \
  --host-record=www.example.org,192.0.2.1,2001:db8::1 --host-record=mail.example.org,192.0.2.25 --cname=web.example.org,www.example.org \
  --mx-host=example.org,mail.example.org,10 --mx-host=example.org,www.example.org,20 --ptr-record=1.2.0.192.in-addr.arpa,www.example.org \
  --txt-record=example.org,"v=spf1 -all",second --srv-host=_sip._udp.example.org,www.example.org,5060,1,2 \
  --host-record=a.zone.test,192.0.2.7 --log-facility=- 2>"$recording/server" &
listening 53
ask() { dig +tries=1 +time=2 @127.0.0.1 "$@" >/dev/null; }
ask www.example.org A
ask +noedns www.example.org AAAA
ask +noedns web.example.org A
ask example.org MX
ask +nocookie example.org TXT
ask _sip._udp.example.org SRV
ask -x 192.0.2.1
ask nothing.example.org A
ask +dnssec zone.test SOA
ask zone.test NS
ask a.zone.test ANY
ask elsewhere.invalid A
ask +nsid +subnet=192.0.2.0/24 www.example.org A
ask +subnet=2001:db8::/56 +cookie=0102030405060708 www.example.org AAAA
ask +nocookie +padding=64 +ednsopt=65001:abcdef +dnssec web.example.org A
ask +keepalive +bufsize=512 +cookie=0102030405060708a1a2a3a4a5a6a7a8 mail.example.org A
ip link set lo multicast on
ip route add 224.0.0.0/4 dev lo
timeout 30 "$python" - <<END
import socket, time
from zeroconf import ServiceInfo, Zeroconf
one, two = Zeroconf(interfaces=["127.0.0.1"]), Zeroconf(interfaces=["127.0.0.1"])
info = ServiceInfo("_http._tcp.local.", "a server of the gallery._http._tcp.local.", addresses=[socket.inet_aton("192.0.2.9")],
    port=8080, properties={"path": "/x", "empty": ""}, server="gallery.local.")
one.register_service(info)
assert two.get_service_info("_http._tcp.local.", info.name, 3000).port == 8080
one.unregister_service(info)
two.close(); one.close()
END
stop_recording
