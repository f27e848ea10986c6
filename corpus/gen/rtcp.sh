#!/usr/bin/env bash
# Records RTCP: ffmpeg sends sound with sender reports, scapy what a receiver says, and what ffmpeg never sends.
only='udp.port == 5005'
. "$(dirname "$0")/record.sh"
need ffmpeg ffmpeg
need "$python" python3-scapy

record
sound 12
"$python" - <<END
import socket, struct
from scapy.contrib.rtcp import RTCP, ReceptionReport, SDESChunk, SDESItem, SenderInfo
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def send(*packets): s.sendto(b"".join(bytes(p) for p in packets), ("127.0.0.1", 5005))
def block(n): return ReceptionReport(sourcesync=n, fraction_lost=25, cumulative_lost=300, highest_seqnum_recv=70000, interarrival_jitter=9,
    last_SR_timestamp=0x12345678, delay_since_last_SR=6553)
sender = SenderInfo(ntp_timestamp=0xeeae3e6080000000, rtp_timestamp=160000, sender_packet_count=10, sender_octet_count=1600)
report = RTCP(packet_type=200, count=2, length=18, sourcesync=1, sender_info=sender, report_blocks=[block(2), block(3)])
send(report, RTCP(packet_type=202, length=6, count=1, sdes_chunks=[SDESChunk(sourcesync=1, items=[SDESItem(chunk_type=1, value=b"gallery"), SDESItem(chunk_type=6, value=b"scapy")])]) / b"\0\0\0\0")
send(RTCP(packet_type=201, count=1, length=7, sourcesync=4, report_blocks=[block(1)]))
empty = RTCP(packet_type=201, length=1, sourcesync=5)
send(empty)
# What scapy has no classes for. Padding only where tshark knows it: behind a reason and behind descriptions.
def other(kind, count, body, padding=0):
    body += bytes(padding - 1) + bytes([padding]) if padding else b""
    return struct.pack(">BBH", 0x80 | (0x20 if padding else 0) | count, kind, len(body) // 4) + body
send(empty, other(203, 2, struct.pack(">II", 5, 6)))
send(empty, other(203, 1, struct.pack(">IB11s", 5, 11, b"end of show")))
send(other(204, 7, struct.pack(">I4s8s", 5, b"qtsi", b"12345678")))
send(empty, other(205, 1, struct.pack(">IIHH", 5, 1, 40000, 0x8001)))
send(empty, other(206, 1, struct.pack(">II", 5, 1)))
send(empty, other(203, 1, struct.pack(">IB3s", 5, 2, b"ok"), 8))
send(empty, other(202, 1, struct.pack(">IBB7sBBB", 5, 1, 7, b"gallery", 0, 0, 0), 252))
send(empty, other(207, 0, struct.pack(">IBBHII", 5, 4, 0, 2, 0xeeae3e60, 0x80000000)))
END
stop_recording
