#!/usr/bin/env bash
# Records DHCP: dnsmasq as the server, busybox as the client in a namespace of its own, at the other end of a veth pair.
only='udp.port == 67'
. "$(dirname "$0")/record.sh"
need dnsmasq dnsmasq-base
need busybox busybox

cd "$recording"
ip link add server type veth peer name client
unshare --net sleep 100 &
other=$!
for _ in $(seq 100); do [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.05; done
ip link set client netns "$other"
ip addr add 10.77.0.1/24 dev server
ip link set server up
nsenter -t "$other" --net ip link set client address 02:00:5e:10:00:01 up
cat >applied <<END
#!/bin/sh
# What udhcpc asks for is applied, so that it can renew.
case \$1 in
bound | renew) ip addr replace "\$ip/24" dev client ;;
deconfig) ip addr flush dev client ;;
esac
END
chmod 755 . applied

record server
dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 --user=root --pid-file= --interface=server --bind-interfaces --leasefile-ro \
  --dhcp-range=10.77.0.50,10.77.0.60,255.255.255.0,120 --dhcp-authoritative --no-ping --dhcp-option=option:router,10.77.0.1 \
  --dhcp-option=option:dns-server,10.77.0.1,10.77.0.2 --dhcp-option=option:domain-name,gallery.test \
  --dhcp-option=option:ntp-server,10.77.0.3 --dhcp-boot=boot.img,bootserver,10.77.0.1 --log-facility=- 2>server-log &
listening 67
client() { nsenter -t "$other" --net timeout 20 busybox udhcpc -f -i client -s "$recording/applied" "$@" 2>/dev/null || true; }
client -q -n -t 3 -T 1 -x hostname:player -V game-console
client -q -n -t 3 -T 1 -R -r 10.77.0.55 -O ntpsrv -O 43 # -R: it releases when it ends
client -q -n -t 1 -T 1 -r 10.99.0.9 -A 1 -F player.gallery.test
client -n -t 3 -T 1 -R & # and renews on a signal
sleep 3
renewing=$(pgrep -n busybox)
kill -USR1 "$renewing"
sleep 1
kill -USR2 "$renewing"
sleep 1
kill -TERM "$renewing"
stop_recording
