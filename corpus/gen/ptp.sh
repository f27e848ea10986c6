#!/usr/bin/env bash
# Records PTP: linuxptp's ptp4l as master and as slave, each at its end of a veth pair.
into=examples only="udp.port == 319 || udp.port == 320"
. "$(dirname "$0")/record.sh"
need ptp4l linuxptp

ip link add one type veth peer name two
unshare --net sleep 60 &
other=$!
sleep 0.5
ip link set two netns $other
ip addr add 192.0.2.1/24 dev one
ip link set one up
nsenter --net=/proc/$other/ns/net ip addr add 192.0.2.2/24 dev two
nsenter --net=/proc/$other/ns/net ip link set two up
sleep 0.5
record one
timeout 25 ptp4l -4 -S -i one --priority1 10 --masterOnly 1 >"$recording/one" 2>&1 &
timeout 25 nsenter --net=/proc/$other/ns/net ptp4l -4 -S -i two --slaveOnly 1 --free_running 1 --uds_address "$recording/two.uds" >"$recording/two" 2>&1 &
sleep 14
# What it knows, asked over the network.
timeout 3 nsenter --net=/proc/$other/ns/net pmc -4 -i two 'GET CURRENT_DATA_SET' 'GET TIME_PROPERTIES_DATA_SET' >/dev/null 2>&1 || true
stop_recording
