#!/usr/bin/env bash
# Records STUN and TURN: coturn's server, and its clients for both.
only='udp.port == 3478 && !(udp.payload[0] & C0)'
. "$(dirname "$0")/record.sh"
need turnserver coturn
need turnutils_uclient coturn

cd "$recording"
record
turnserver -a -n --no-cli --no-tls --no-dtls -L 127.0.0.1 -E 127.0.0.1 --allow-loopback-peers -u alice:secret -r example.org \
  --log-file stdout --simple-log --pidfile "$recording/pid" -b "$recording/db" >server 2>&1 &
listening 3478
timeout 10 turnutils_stunclient 127.0.0.1 >/dev/null
timeout 30 turnutils_uclient -s -u alice -w secret -y -n 2 -m 2 -l 50 127.0.0.1 >/dev/null
stop_recording
