#!/usr/bin/env bash
# Records RTCP: ffmpeg sends sound and pictures with sender reports, scapy what a receiver would say.
only='udp.port == 5005'
. "$(dirname "$0")/record.sh"
need ffmpeg ffmpeg
need "$python" python3-scapy

cd "$recording"
cat >session.sdp <<END
v=0
o=- 0 0 IN IP4 127.0.0.1
s=gallery
c=IN IP4 127.0.0.1
t=0 0
m=audio 5004 RTP/AVP 97
a=rtpmap:97 opus/48000/2
END
record
timeout 22 ffmpeg -loglevel quiet -protocol_whitelist file,udp,rtp -i session.sdp -f null - || true &
listening 5004
timeout 60 ffmpeg -loglevel error -re -f lavfi -i sine=frequency=440:sample_rate=48000 -t 18 -c:a libopus -b:a 6k \
  -frame_duration 60 -f rtp rtp://127.0.0.1:5004 >/dev/null
"$python" - <<END
import socket
from scapy.contrib.rtcp import RTCP, ReceptionReport, SDESChunk, SDESItem, SenderInfo
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def send(*packets): s.sendto(b"".join(bytes(p) for p in packets), ("127.0.0.1", 5005))
def block(n): return ReceptionReport(sourcesync=n, fraction_lost=25, cumulative_lost=300, highest_seqnum_recv=70000, interarrival_jitter=9,
    last_SR_timestamp=0x12345678, delay_since_last_SR=6553)
sender = SenderInfo(ntp_timestamp=0xeeae3e6080000000, rtp_timestamp=160000, sender_packet_count=10, sender_octet_count=1600)
report = RTCP(packet_type=200, count=2, length=18, sourcesync=1, sender_info=sender, report_blocks=[block(2), block(3)])
send(report, RTCP(packet_type=202, length=6, count=1, sdes_chunks=[SDESChunk(sourcesync=1, items=[SDESItem(chunk_type=1, value=b"gallery"), SDESItem(chunk_type=6, value=b"scapy")])]) / b"\0\0\0\0")
send(RTCP(packet_type=201, count=1, length=7, sourcesync=4, report_blocks=[block(1)]))
send(RTCP(packet_type=201, length=1, sourcesync=5))
END
stop_recording
