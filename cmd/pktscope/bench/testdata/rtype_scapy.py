"""R-Type for scapy, as one would write it: python3 rtype_scapy.py CAPTURE PACKETS [facts].

Reads the first PACKETS packets of CAPTURE and counts those it refuses. Scapy reads whatever is there, so that what a
reader must refuse is asked afterwards. With "facts" it also prints what it read, as JSON, to be held against pktscope.
"""

import json
import sys

from scapy.config import conf
from scapy.fields import (BitField, ByteField, FieldLenField, LongField, PacketListField, ShortField, StrFixedLenField,
                          XShortField)
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, bind_layers
from scapy.utils import PcapReader


class Element(Packet):
    """Something in a list: what follows it is the next one's."""

    def extract_padding(self, s):
        return b"", s


class Player(Element):
    fields_desc = [ByteField("id", 0), ShortField("x", 0), ShortField("y", 0), ByteField("health", 0),
                   ByteField("alive", 0), ShortField("last_acked_input_seq", 0), ByteField("ship_skin", 1)]


class Missile(Element):
    fields_desc = [ShortField("id", 0), ByteField("owner_id", 0), ShortField("x", 0), ShortField("y", 0)]


class Enemy(Element):
    fields_desc = [ShortField("id", 0), ShortField("x", 0), ShortField("y", 0), ByteField("health", 0),
                   ByteField("enemy_type", 0)]


def counted(name, element):
    return [FieldLenField(name + "_count", None, fmt="B", count_of=name),
            PacketListField(name, [], element, count_from=lambda pkt: getattr(pkt, name + "_count"))]


class Body(Packet):
    """What a message carries; size is its bytes where they are fixed."""
    size = 0

    def wrong(self):
        return False


class HeartBeat(Body):
    pass


class JoinGame(Body):
    size = 39
    fields_desc = [StrFixedLenField("token", b"", 32), ByteField("ship_skin", 1), StrFixedLenField("room_code", b"", 6)]

    def wrong(self):
        return not 1 <= self.ship_skin <= 6 or ragged(self.room_code)


class JoinGameNack(Body):
    size = 64
    fields_desc = [StrFixedLenField("reason", b"", 64)]

    def wrong(self):
        return ragged(self.reason)


class PlayerId(Body):
    size = 1
    fields_desc = [ByteField("player_id", 0)]


class PlayerInput(Body):
    size = 4
    fields_desc = [BitField("reserved", 0, 11), BitField("shoot", 0, 1), BitField("right", 0, 1), BitField("left", 0, 1),
                   BitField("down", 0, 1), BitField("up", 0, 1), ShortField("sequence_num", 0)]

    def wrong(self):
        return self.reserved != 0


class MissileSpawned(Body):
    size = 7
    fields_desc = Missile.fields_desc


class Destroyed(Body):
    size = 2
    fields_desc = [ShortField("id", 0)]


class PlayerDamaged(Body):
    size = 3
    fields_desc = [ByteField("player_id", 0), ByteField("damage", 0), ByteField("new_health", 0)]

    def wrong(self):
        return self.new_health > 100


class Snapshot(Body):
    fields_desc = (counted("players", Player) + counted("missiles", Missile) + counted("enemies", Enemy)
                   + counted("enemy_missiles", Missile))

    def wrong(self):
        for most, name in (4, "players"), (32, "missiles"), (16, "enemies"), (32, "enemy_missiles"):
            count = getattr(self, name + "_count")
            if count > most or count != len(getattr(self, name)):  # a list ends where the packet does
                return True
        for p in self.players:
            if p.health > 100 or p.alive > 1 or not 1 <= p.ship_skin <= 6:
                return True
        return False


class RType(Packet):
    fields_desc = [XShortField("type", 1), ShortField("sequence_num", 0), LongField("timestamp", 0)]


BODIES = {
    0x0001: HeartBeat, 0x0002: HeartBeat, 0x0010: JoinGame, 0x0011: PlayerId, 0x0012: JoinGameNack, 0x0040: Snapshot,
    0x0061: PlayerInput, 0x0070: PlayerId, 0x0071: PlayerId, 0x0080: HeartBeat, 0x0081: MissileSpawned,
    0x0082: Destroyed, 0x0091: Destroyed, 0x00A0: PlayerDamaged, 0x00A1: PlayerId,
}
for number, body in BODIES.items():
    bind_layers(RType, body, type=number)
bind_layers(UDP, RType, sport=4124)
bind_layers(UDP, RType, dport=4124)


def ragged(text):
    """Text that is no UTF-8, or with something behind its end."""
    text, _, rest = text.partition(b"\0")
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return rest.strip(b"\0") != b""


def snapshot_size(body):
    return 4 + 10 * len(body.players) + 7 * len(body.missiles) + 8 * len(body.enemies) + 7 * len(body.enemy_missiles)


def accepts(udp):
    """Whether a correct reader takes the datagram. What is missing or left over shows in the lengths alone."""
    size = udp.len - 8
    if not 12 <= size <= 1200:
        return False
    message = udp.payload
    kind = BODIES.get(message.type)
    if kind is None:
        return False
    if kind is HeartBeat:
        return size == 12
    body = message.payload
    if type(body) is not kind:
        return False
    if size - 12 != (snapshot_size(body) if kind is Snapshot else kind.size):
        return False
    return not body.wrong()


def add(facts, udp):
    message = udp.payload
    name = str(message.type)
    facts["accepted"][name] = facts["accepted"].get(name, 0) + 1
    body = message.payload
    if isinstance(body, Snapshot):
        for p in body.players + body.missiles + body.enemies + body.enemy_missiles:
            facts["x"] += p.x
            facts["y"] += p.y
        for p in body.players + body.enemies:
            facts["health"] += p.health
    elif isinstance(body, MissileSpawned):
        facts["x"] += body.x
        facts["y"] += body.y


def main():
    conf.layers.filter([Ether, IP, IPv6, UDP, RType, Player, Missile, Enemy, *BODIES.values()])
    facts = {"packets": 0, "refused": 0, "accepted": {}, "x": 0, "y": 0, "health": 0}
    wanted = int(sys.argv[2])
    with PcapReader(sys.argv[1]) as capture:
        for frame in capture:
            if facts["packets"] == wanted:
                break
            facts["packets"] += 1
            udp = frame[UDP]
            if not accepts(udp):
                facts["refused"] += 1
            elif len(sys.argv) > 3:
                add(facts, udp)
    print(json.dumps(facts))


main()
