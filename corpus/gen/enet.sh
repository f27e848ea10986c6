#!/usr/bin/env bash
# Records ENet: a server and a client of libenet (at port 40010), which exchange packets of all kinds. What is in them
# is said by libenet's own structs, out of <enet/protocol.h>.
. "$(dirname "$0")/record.sh"
need gcc gcc
cd "$recording"
cat >enet.c <<'END'
#include <enet/enet.h>
#include <enet/protocol.h>
#include <stdio.h>
#include <string.h>

static void serve(ENetHost *server, ENetHost *client, ENetPeer **peer, int rounds) {
  ENetEvent e;
  while (rounds-- > 0) {
    while (enet_host_service(server, &e, 1) > 0) {
      if (e.type == ENET_EVENT_TYPE_CONNECT) *peer = e.peer;
      if (e.type != ENET_EVENT_TYPE_RECEIVE) continue;
      enet_peer_send(e.peer, e.channelID, enet_packet_create(e.packet->data, e.packet->dataLength, e.packet->flags & 11));
      enet_packet_destroy(e.packet);
    }
    while (enet_host_service(client, &e, 1) > 0)
      if (e.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(e.packet);
  }
}

static int play(void) {
  ENetAddress at = {0, 40010};
  enet_address_set_host_ip(&at, "127.0.0.1");
  ENetHost *server = enet_host_create(&at, 4, 3, 100000, 200000), *client = enet_host_create(NULL, 1, 3, 0, 50000);
  if (!server || !client) return 1;
  ENetPeer *back = NULL, *peer = enet_host_connect(client, &at, 3, 0x12345678);
  serve(server, client, &back, 20);
  if (!back) return 1;
  static char text[5000];
  for (size_t i = 0; i < sizeof text; i++) text[i] = "gallery "[i % 8];
  static const int kinds[] = {ENET_PACKET_FLAG_RELIABLE, 0, ENET_PACKET_FLAG_UNSEQUENCED, ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT};
  for (int i = 0; i < 12; i++) {
    enet_peer_send(peer, i % 3, enet_packet_create(text + i, i * i, kinds[i % 4]));
    if (i % 3 == 2) serve(server, client, &back, 5);
  }
  enet_peer_send(peer, 1, enet_packet_create(text, 3000, ENET_PACKET_FLAG_RELIABLE));
  enet_peer_send(peer, 2, enet_packet_create(text, 2000, ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT));
  serve(server, client, &back, 20);
  enet_peer_throttle_configure(peer, 4000, 3, 1);
  enet_host_bandwidth_limit(client, 30000, 60000);
  enet_peer_ping(peer);
  serve(server, client, &back, 600);
  enet_peer_disconnect(peer, 77);
  serve(server, client, &back, 20);
  return 0;
}

static unsigned frame;
#define SAY(path, value) printf("%u %s %lu\n", frame, path, (unsigned long)(value))
#define SAY16(path, field) SAY(path, ENET_NET_TO_HOST_16(field))
#define SAY32(path, field) SAY(path, ENET_NET_TO_HOST_32(field))
#define COMMON(c)                                               \
  SAY16("commands[].body.to.peer", (c).outgoingPeerID);            \
  SAY("commands[].body.to.incoming_session", (c).incomingSessionID); \
  SAY("commands[].body.to.outgoing_session", (c).outgoingSessionID); \
  SAY32("commands[].body.to.mtu", (c).mtu);                        \
  SAY32("commands[].body.to.window", (c).windowSize);              \
  SAY32("commands[].body.to.channels", (c).channelCount);          \
  SAY32("commands[].body.to.incoming_bandwidth", (c).incomingBandwidth); \
  SAY32("commands[].body.to.outgoing_bandwidth", (c).outgoingBandwidth); \
  SAY32("commands[].body.to.interval", (c).packetThrottleInterval); \
  SAY32("commands[].body.to.acceleration", (c).packetThrottleAcceleration); \
  SAY32("commands[].body.to.deceleration", (c).packetThrottleDeceleration)

static void say(unsigned char *data, size_t size) {
  ENetProtocolHeader *h = (void *)data;
  unsigned id = ENET_NET_TO_HOST_16(h->peerID);
  SAY("peer", id & ENET_PROTOCOL_MAXIMUM_PEER_ID);
  SAY("session", (id & ENET_PROTOCOL_HEADER_SESSION_MASK) >> ENET_PROTOCOL_HEADER_SESSION_SHIFT);
  SAY("compressed", (id & ENET_PROTOCOL_HEADER_FLAG_COMPRESSED) != 0);
  size_t at = 2;
  if (id & ENET_PROTOCOL_HEADER_FLAG_SENT_TIME) { SAY16("sent_time", h->sentTime); at = 4; }
  while (at < size) {
    ENetProtocol *c = (void *)(data + at);
    unsigned kind = c->header.command & ENET_PROTOCOL_COMMAND_MASK;
    static const size_t sizes[] = {0, sizeof c->acknowledge, sizeof c->connect, sizeof c->verifyConnect, sizeof c->disconnect, sizeof c->ping,
      sizeof c->sendReliable, sizeof c->sendUnreliable, sizeof c->sendFragment, sizeof c->sendUnsequenced, sizeof c->bandwidthLimit,
      sizeof c->throttleConfigure, sizeof c->sendFragment};
    SAY("commands[].acknowledge", (c->header.command & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE) != 0);
    SAY("commands[].unsequenced", (c->header.command & ENET_PROTOCOL_COMMAND_FLAG_UNSEQUENCED) != 0);
    SAY("commands[].command", kind);
    SAY("commands[].channel", c->header.channelID);
    SAY16("commands[].sequence", c->header.reliableSequenceNumber);
    at += sizes[kind];
    switch (kind) {
    case ENET_PROTOCOL_COMMAND_ACKNOWLEDGE:
      SAY16("commands[].body.received", c->acknowledge.receivedReliableSequenceNumber);
      SAY16("commands[].body.received_time", c->acknowledge.receivedSentTime);
      break;
    case ENET_PROTOCOL_COMMAND_CONNECT:
      COMMON(c->connect);
      SAY("commands[].body.to.connect_id", c->connect.connectID);
      SAY32("commands[].body.user", c->connect.data);
      break;
    case ENET_PROTOCOL_COMMAND_VERIFY_CONNECT:
      COMMON(c->verifyConnect);
      SAY("commands[].body.to.connect_id", c->verifyConnect.connectID);
      break;
    case ENET_PROTOCOL_COMMAND_DISCONNECT: SAY32("commands[].body.user", c->disconnect.data); break;
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
      SAY16("commands[].body.length", c->sendReliable.dataLength);
      at += ENET_NET_TO_HOST_16(c->sendReliable.dataLength);
      break;
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
      SAY16("commands[].body.unreliable", c->sendUnreliable.unreliableSequenceNumber);
      SAY16("commands[].body.length", c->sendUnreliable.dataLength);
      at += ENET_NET_TO_HOST_16(c->sendUnreliable.dataLength);
      break;
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
      SAY16("commands[].body.group", c->sendUnsequenced.unsequencedGroup);
      SAY16("commands[].body.length", c->sendUnsequenced.dataLength);
      at += ENET_NET_TO_HOST_16(c->sendUnsequenced.dataLength);
      break;
    case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
      SAY16("commands[].body.start", c->sendFragment.startSequenceNumber);
      SAY16("commands[].body.length", c->sendFragment.dataLength);
      SAY32("commands[].body.count", c->sendFragment.fragmentCount);
      SAY32("commands[].body.number", c->sendFragment.fragmentNumber);
      SAY32("commands[].body.total", c->sendFragment.totalLength);
      SAY32("commands[].body.offset", c->sendFragment.fragmentOffset);
      at += ENET_NET_TO_HOST_16(c->sendFragment.dataLength);
      break;
    case ENET_PROTOCOL_COMMAND_BANDWIDTH_LIMIT:
      SAY32("commands[].body.incoming_bandwidth", c->bandwidthLimit.incomingBandwidth);
      SAY32("commands[].body.outgoing_bandwidth", c->bandwidthLimit.outgoingBandwidth);
      break;
    case ENET_PROTOCOL_COMMAND_THROTTLE_CONFIGURE:
      SAY32("commands[].body.interval", c->throttleConfigure.packetThrottleInterval);
      SAY32("commands[].body.acceleration", c->throttleConfigure.packetThrottleAcceleration);
      SAY32("commands[].body.deceleration", c->throttleConfigure.packetThrottleDeceleration);
      break;
    }
  }
}

int main(int argc, char **argv) {
  if (enet_initialize()) return 1;
  if (argc == 1) return play();
  unsigned v = enet_linked_version();
  printf("# libenet %u.%u.%u\n", ENET_VERSION_GET_MAJOR(v), ENET_VERSION_GET_MINOR(v), ENET_VERSION_GET_PATCH(v));
  static unsigned char head[24], record[16], data[65536];
  FILE *f = fopen(argv[1], "rb");
  if (!f || !fread(head, 24, 1, f)) return 1;
  while (fread(record, 16, 1, f)) {
    size_t size = record[8] | record[9] << 8 | record[10] << 16;
    if (size < 42 || size > sizeof data || !fread(data, size, 1, f)) return 1;
    frame++;
    say(data + 42, size - 42); // behind Ethernet, IPv4 and UDP
  }
  return 0;
}
END
gcc -Wall -o enet enet.c -lenet
record
timeout 60 ./enet
stop_recording
./enet all.pcap >fields
