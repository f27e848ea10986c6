// A host of libenet on loopback, and what it does with datagrams from a peer that is connected. A line of stdin is
// "connect", which connects the peer anew, or a datagram in hex. The answer is lines, the last of them "done":
//
//   connected PEER SESSION PEER SESSION   how the peer calls the host in its headers, how the host calls the peer
//   receive CHANNEL FLAGS DATA            the host's events; data in hex
//   disconnect DATA
//   sent DATAGRAM                         what it sends, in hex
//   state IN OUT INTERVAL ACCELERATION DECELERATION   what it keeps of the peer's bandwidth and throttle
//   stranger IN OUT INTERVAL ACCELERATION DECELERATION USER   the same of another one that asks for a connection; it is
//                                         forgotten after that
//
// It ends with stdin, or 20 s behind a line.

#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANNELS = 72, OTHERS = 5, LONG = 600000 };

static ENetHost *host, *client;
static ENetAddress at;
static ENetPeer *peer, *there; // the client's, and the host's of it
static enet_uint32 given, taken; // datagrams that went through the client's socket past the client

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "enet_host: %s\n", what);
  exit(3);
}

// meet connects a peer. It is not pinged and does not time out, as only this program speaks for it.
static void meet(void) {
  ENetEvent e;
  int met = 0;
  there = NULL;
  need((peer = enet_host_connect(client, &at, CHANNELS, 0)) != NULL, "no peer is free");
  for (int i = 0; i < 2000 && (!met || !there); i++) {
    while (enet_host_service(client, &e, 1) > 0)
      if (e.type == ENET_EVENT_TYPE_CONNECT) met = 1;
    while (enet_host_service(host, &e, 1) > 0)
      if (e.type == ENET_EVENT_TYPE_CONNECT) there = e.peer;
  }
  need(met && there, "the peer is not connected");
  for (int i = 0; host->totalSentPackets != client->totalReceivedPackets + taken || client->totalSentPackets + given != host->totalReceivedPackets; i++) {
    need(i < 2000, "datagrams are lost");
    need(enet_host_service(client, &e, 1) <= 0 && enet_host_service(host, &e, 1) <= 0, "events behind the handshake");
  }
  ENetPeer *both[] = {peer, there};
  for (int i = 0; i < 2; i++) {
    enet_peer_ping_interval(both[i], LONG);
    enet_peer_timeout(both[i], 1 << 30, LONG, LONG);
  }
}

static void hex(const enet_uint8 *data, size_t size) {
  for (size_t i = 0; i < size; i++) printf("%02x", data[i]);
  putchar('\n');
}

// answers prints the next datagrams that the host has sent.
static void answers(enet_uint32 count) {
  static enet_uint8 data[ENET_PROTOCOL_MAXIMUM_MTU];
  while (count-- > 0) {
    enet_uint32 wait = ENET_SOCKET_WAIT_RECEIVE;
    ENetAddress from;
    ENetBuffer buffer = {.data = data, .dataLength = sizeof data};
    need(enet_socket_wait(client->socket, &wait, 2000) == 0, "wait for an answer");
    int n = enet_socket_receive(client->socket, &from, &buffer, 1);
    need(n > 0, "an answer is lost");
    taken++;
    printf("sent ");
    hex(data, n);
  }
}

static void state(const char *word, const ENetPeer *p) {
  printf("%s %u %u %u %u %u", word, p->incomingBandwidth, p->outgoingBandwidth, p->packetThrottleInterval, p->packetThrottleAcceleration,
         p->packetThrottleDeceleration);
}

// take gives the host a datagram of the peer.
static void take(enet_uint8 *data, size_t size) {
  enet_uint32 sent = host->totalSentPackets, received = host->totalReceivedPackets, wait = ENET_SOCKET_WAIT_RECEIVE;
  ENetBuffer buffer = {.data = data, .dataLength = size};
  need(enet_socket_send(client->socket, &at, &buffer, 1) == (int)size, "send");
  given++;
  need(enet_socket_wait(host->socket, &wait, 2000) == 0, "wait for the datagram");
  ENetEvent e;
  for (int i = 0; i < 300 && enet_host_service(host, &e, 0) > 0; i++) {
    need(e.peer == there, "an event of another peer");
    if (e.type == ENET_EVENT_TYPE_RECEIVE) {
      printf("receive %u %u ", e.channelID, e.packet->flags);
      hex(e.packet->data, e.packet->dataLength);
      enet_packet_destroy(e.packet);
    } else if (e.type == ENET_EVENT_TYPE_DISCONNECT) {
      printf("disconnect %u\n", e.data);
    }
  }
  need(host->totalReceivedPackets == received + 1, "the datagram is lost");
  answers(host->totalSentPackets - sent);
  for (ENetPeer *p = there + 1; p < host->peers + host->peerCount; p++) {
    if (p->state != ENET_PEER_STATE_DISCONNECTED) {
      state("stranger", p);
      printf(" %u\n", p->eventData);
      enet_peer_reset(p);
    }
    p->incomingSessionID = p->outgoingSessionID = 0xff; // as if it had never been there
  }
  state("state", there);
  putchar('\n');
}

int main(void) {
  alarm(20); // for each line
  need(enet_initialize() == 0, "enet_initialize");
  need(enet_address_set_host_ip(&at, "127.0.0.1") == 0, "127.0.0.1");
  need((host = enet_host_create(&at, OTHERS + 3, CHANNELS, 0, 0)) != NULL, "no host");
  need((client = enet_host_create(NULL, OTHERS + 1, CHANNELS, 0, 0)) != NULL, "no client");
  at.port = host->address.port;
  host->mtu = ENET_PROTOCOL_MAXIMUM_MTU; // versions differ in what they grant above it
  for (int i = 0; i < OTHERS; i++) meet(); // so ours is not number 0
  static char line[2 * ENET_PROTOCOL_MAXIMUM_MTU + 2];
  static enet_uint8 data[ENET_PROTOCOL_MAXIMUM_MTU];
  for (int connected = 0; fgets(line, sizeof line, stdin);) {
    alarm(20);
    if (strcmp(line, "connect\n") == 0) {
      if (connected++) {
        enet_peer_reset(peer);
        enet_peer_reset(there);
      }
      meet();
      printf("connected %u %u %u %u\n", peer->outgoingPeerID, peer->outgoingSessionID, peer->incomingPeerID, peer->incomingSessionID);
      state("state", there);
      putchar('\n');
    } else {
      size_t size = 0;
      unsigned byte;
      while (size < sizeof data && sscanf(line + 2 * size, "%2x", &byte) == 1) data[size++] = byte;
      need(connected && size > 0, "want a datagram of a peer");
      take(data, size);
    }
    puts("done");
    fflush(stdout);
  }
  enet_host_destroy(client);
  enet_host_destroy(host);
  return 0;
}
