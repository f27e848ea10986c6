#!/usr/bin/env bash
# Records VXLAN: the tunnels of the kernel at both ends of a veth pair, with datagrams and a VLAN's frame through them.
into=examples only="udp.port == 4789"
. "$(dirname "$0")/record.sh"
need "$python" python3

ip link add one type veth peer name two
unshare --net sleep 60 &
other=$!
sleep 0.5
ip link set two netns $other
there() { nsenter --net=/proc/$other/ns/net "$@"; }
ip addr add 192.0.2.1/24 dev one
ip link set one up
there ip addr add 192.0.2.2/24 dev two
there ip link set two up
record one
ip link add tunnel type vxlan id 4242 dstport 4789 local 192.0.2.1 remote 192.0.2.2
there ip link add tunnel type vxlan id 4242 dstport 4789 local 192.0.2.2 remote 192.0.2.1
ip addr add 198.51.100.1/24 dev tunnel
ip link set tunnel up
there ip addr add 198.51.100.2/24 dev tunnel
there ip link set tunnel up
sleep 0.5
# record.sh leaves out what is ICMP, also in a tunnel.
for i in 1 2 3 4; do
  echo "datagram $i" >/dev/udp/198.51.100.2/9
  there bash -c "head -c $((i * 50)) /dev/zero >/dev/udp/198.51.100.1/9"
done
# A frame of a VLAN, which not every kernel can make.
"$python" - <<END
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("tunnel", 0))
s.send(bytes.fromhex("ffffffffffff02005e100001" "8100" "6007" "0800") + bytes(46))
END
stop_recording
