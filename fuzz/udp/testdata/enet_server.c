// An echo server of libenet, which logs what the library tells it: ADDRESS PORT LOG.
#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 4 || enet_initialize()) {
    fprintf(stderr, "want ADDRESS PORT LOG, and a library that begins\n");
    return 1;
  }
  ENetAddress at = {0, (enet_uint16)atoi(argv[2])};
  enet_address_set_host_ip(&at, argv[1]);
  ENetHost *host = enet_host_create(&at, 1024, 2, 0, 0);
  if (!host) {
    perror("bind"); // the socket's options and memory for peers aside
    return 1;
  }
  FILE *log = fopen(argv[3], "a");
  if (!log) {
    perror(argv[3]);
    return 1;
  }
  setvbuf(log, NULL, _IOLBF, 0);
  for (ENetEvent e;;) {
    if (enet_host_service(host, &e, 5) <= 0) continue;
    switch (e.type) {
    case ENET_EVENT_TYPE_CONNECT: fprintf(log, "connect\n"); break;
    case ENET_EVENT_TYPE_DISCONNECT: fprintf(log, "disconnect %u\n", (unsigned)e.data); break;
    case ENET_EVENT_TYPE_RECEIVE:
      fprintf(log, "receive %u %zu\n", e.channelID, e.packet->dataLength);
      enet_peer_send(e.peer, e.channelID, enet_packet_create(e.packet->data, e.packet->dataLength, ENET_PACKET_FLAG_RELIABLE));
      enet_packet_destroy(e.packet);
      break;
    default: break;
    }
  }
}
