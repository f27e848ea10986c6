#!/usr/bin/env bash
# Records CoAP: libcoap's server and client. Reads and writes, in blocks too, an observation, confirmable and not.
. "$(dirname "$0")/record.sh"
need coap-server-notls libcoap3-bin
need coap-client-notls libcoap3-bin

cd "$recording"
seq 100 >body
client() { timeout 10 coap-client-notls "$@" >/dev/null 2>&1 || true; }

record
coap-server-notls -A 127.0.0.1 -p 5683 -d 10 2>server &
listening 5683
client -m get coap://127.0.0.1/.well-known/core
client -m get coap://127.0.0.1/time
client -m get -N 'coap://127.0.0.1/time?ticks'
client -m put -b 64 -f body -t 0 coap://127.0.0.1/example_data
client -m get -b 64 coap://127.0.0.1/example_data
client -m get -s 2 coap://127.0.0.1/time
# An option of 13 bytes and more has its length in a byte of its own.
client -m put -e hello -t text/plain coap://127.0.0.1/a/long-segment-of-a-path
client -m delete coap://127.0.0.1/a/long-segment-of-a-path
client -m get -T token123 'coap://127.0.0.1/nothing?a=1&b=2'
client -m get -A application/json coap://127.0.0.1/
# Numbers that need one byte and two; the last is critical and unknown, and refused.
client -m get -O 60,x coap://127.0.0.1/
client -m get -O 2048,abc -O 65000,hello coap://127.0.0.1/
client -m get -O 2049,abc coap://127.0.0.1/
stop_recording
