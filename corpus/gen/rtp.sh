#!/usr/bin/env bash
# Records RTP: ffmpeg sends sound (Opus) and pictures (H.264), scapy what ffmpeg never sends: padding, an extension,
# contributing sources.
only='udp.dstport == 5004'
. "$(dirname "$0")/record.sh"
need ffmpeg ffmpeg
need "$python" python3-scapy

record
sound 2
timeout 20 ffmpeg -loglevel error -re -f lavfi -i testsrc=size=64x48:rate=10 -t 1 -c:v libx264 -g 5 -f rtp rtp://127.0.0.1:5004 >/dev/null
"$python" - <<END
import socket
from scapy.layers.rtp import RTP, RTPExtension
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def send(packet): s.sendto(bytes(packet), ("127.0.0.1", 5004))
at = dict(payload_type=96, timestamp=160000, sourcesync=0x01020304)
send(RTP(sequence=1, padding=1, **at) / b"payload\0\0\0\4")
send(RTP(sequence=2, padding=1, **at) / (b"payload" + bytes(200) + b"\xc9"))
send(RTP(sequence=3, sync=[0x11111111, 0x22222222], numsync=2, marker=1, **at) / b"mixed")
send(RTP(sequence=4, extension=1, **at) / RTPExtension(header_id=0xbede, header_len=2, header=[0x10ff2200, 0x01330000]) / b"payload")
send(RTP(sequence=5, extension=1, **at) / RTPExtension(header_id=0x1234, header_len=1, header=[0xdeadbeef]) / b"payload")
send(RTP(sequence=6, padding=1, sync=[0x33333333], numsync=1, **at) / b"\1")
END
stop_recording
