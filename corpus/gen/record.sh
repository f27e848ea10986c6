# What the scripts that record the gallery share; each sources it first. Nobody runs them in CI.
#
#   corpus/gen/NAME.sh      records corpus/NAME.pcap and writes corpus/NAME.fields
#
# A script runs twice. The outer run makes a network namespace with nothing but loopback, and a PID namespace: when the
# inner run ends, or after two minutes, the kernel ends all processes in it and removes both. The outer run then keeps
# the UDP datagrams of the protocol and asks tshark what is in them. The inner run ($recording is set) is what stands
# behind `. record.sh` in the script. Where it writes $recording/fields, that is what another reader than tshark said.
# $only, set before, is a display filter that chooses datagrams; into=examples records for corpus/examples.
#
# shellcheck shell=bash
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # the one that Debian's packages are for
name=$(basename "$0" .sh)

# need reports the Debian package of a program that is not installed.
need() { command -v "$1" >/dev/null || { echo "$name.sh: no $1: install $2" >&2; exit 2; }; }

# record captures an interface from here on; stop_recording ends it once all is written.
record() {
  tcpdump -i "${1:-lo}" --immediate-mode -U -w "$recording/all.pcap" udp 2>"$recording/tcpdump" &
  recorder=$!
  for _ in $(seq 100); do grep -q listening "$recording/tcpdump" && return; sleep 0.05; done
  echo "$name.sh: tcpdump does not listen" >&2; exit 2
}
stop_recording() { sleep 0.5; kill -INT "$recorder"; wait "$recorder" || true; }

# listening waits until a UDP port is open.
listening() {
  for _ in $(seq 100); do ss -Hlun "sport = :$1" | grep -q . && return; sleep 0.05; done
  echo "$name.sh: nothing listens at port $1" >&2; exit 2
}

# sound plays so many seconds of Opus over RTP to port 5004, at which something listens.
sound() {
  printf '%s\n' v=0 'o=- 0 0 IN IP4 127.0.0.1' s=gallery 'c=IN IP4 127.0.0.1' 't=0 0' 'm=audio 5004 RTP/AVP 97' \
    a=rtpmap:97\ opus/48000/2 >"$recording/session.sdp"
  timeout $(($1 + 5)) ffmpeg -loglevel quiet -protocol_whitelist file,udp,rtp -i "$recording/session.sdp" -f null - || true &
  listening 5004
  timeout 60 ffmpeg -loglevel error -re -f lavfi -i sine=frequency=440:sample_rate=48000 -t "$1" -c:a libopus -b:a 6k \
    -frame_duration 60 -f rtp rtp://127.0.0.1:5004 >/dev/null
}

if [ -z "${recording:-}" ]; then
  need tshark tshark
  need tcpdump tcpdump
  recording=$(mktemp -d)
  export recording
  trap 'rm -rf "$recording"' EXIT
  timeout 120 unshare --net --pid --fork --kill-child --mount-proc bash -c 'ip link set lo up && exec "$0"' "$here/$name.sh"
  # Without errors of ICMP, which hold datagrams a second time.
  tshark -n -r "$recording/all.pcap" -Y "udp && !icmp && !icmpv6 && (${only:-udp})" -F pcap -w "$here/../${into:-.}/$name.pcap" 2>/dev/null
  size=$(wc -c <"$here/../${into:-.}/$name.pcap")
  [ "$size" -le 65536 ] || { echo "$name.sh: $size bytes, at most 65536" >&2; exit 2; }
  echo "corpus/${into:-.}/$name.pcap: $size bytes"
  if [ -e "$recording/fields" ]; then
    cp "$recording/fields" "$here/../${into:-.}/$name.fields"
  else
    cd "$here" && UPDATE_FIELDS=$name go test -count=1 -run "TestGalleryBesideTshark/$name\$" .
  fi
  exit
fi
