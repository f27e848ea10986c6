#!/usr/bin/env bash
# Records BFD: BIRD at both ends of a veth pair, without a password, with one, and with two kinds of hashes.
into=examples only="udp.port == 3784"
. "$(dirname "$0")/record.sh"
need bird bird2

ip link add one type veth peer name two
unshare --net sleep 100 &
other=$!
sleep 0.5
ip link set two netns $other
ip addr add 192.0.2.1/24 dev one
ip link set one up
nsenter --net=/proc/$other/ns/net ip addr add 192.0.2.2/24 dev two
nsenter --net=/proc/$other/ns/net ip link set two up
sleep 0.5
peer() { # number, the other's address, interface
  cat >"$recording/$1.conf" <<END
router id 192.0.2.$1;
protocol device { }
protocol bfd {
  interface "$3" { min rx interval 300 ms; min tx interval 400 ms; idle tx interval 1 s; multiplier 5; $auth };
  neighbor $2;
}
END
}
record one
for auth in '' 'authentication simple; password "gallery" { id 1; };' 'authentication keyed md5; password "gallery" { id 7; };' \
  'authentication meticulous keyed sha1; password "gallery" { id 255; };'; do
  peer 1 192.0.2.2 one
  peer 2 192.0.2.1 two
  timeout 3 bird -f -c "$recording/1.conf" -s "$recording/1.ctl" >/dev/null 2>&1 &
  timeout 3 nsenter --net=/proc/$other/ns/net bird -f -c "$recording/2.conf" -s "$recording/2.ctl" >/dev/null 2>&1 || true
  sleep 0.5
done
stop_recording
