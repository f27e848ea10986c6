#!/usr/bin/env bash
# Records QUIC: ngtcp2's server and client. A handshake, version negotiation, and a Retry.
. "$(dirname "$0")/record.sh"
need gtlsserver ngtcp2-server
need gtlsclient ngtcp2-client
need openssl openssl

cd "$recording"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 3650 -subj /CN=localhost -batch 2>openssl
mkdir www
echo hello >www/index.html
client() { timeout 10 gtlsclient -q --exit-on-first-stream-close "$@" 127.0.0.1 4433 https://127.0.0.1/index.html; }

record
gtlsserver -q -d www 127.0.0.1 4433 key cert &
server=$!
listening 4433
client
client --version 0x1a2a3a4a
kill "$server"
wait "$server" || true
gtlsserver -q -d www --validate-addr 127.0.0.1 4433 key cert &
listening 4433
client
stop_recording
