// A harness for libenet: a datagram that a host on loopback has from a peer that is connected. ENet does not say whether it
// takes a datagram, so only crashes, hangs and leaks count. Each packet has a new host.

#include <arpa/inet.h>
#include <enet/enet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int sender = -1;
static struct sockaddr_in sender_address;

static void need(int ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(3);
    }
}

static void begin(void) {
    if (sender >= 0) return;
    need(enet_initialize() == 0, "enet_initialize");
    sender = socket(AF_INET, SOCK_DGRAM, 0);
    need(sender >= 0, "socket");
    sender_address.sin_family = AF_INET;
    sender_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(bind(sender, (struct sockaddr *)&sender_address, sizeof sender_address) == 0, "bind");
    socklen_t size = sizeof sender_address;
    need(getsockname(sender, (struct sockaddr *)&sender_address, &size) == 0, "getsockname");
}

static int read_packet(const uint8_t *data, size_t size) {
    begin();
    ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = 0};
    ENetHost *host = enet_host_create(&address, 4, 8, 0, 0);
    need(host != NULL, "enet_host_create");

    // The peer is what a handshake leaves behind.
    ENetPeer *peer = &host->peers[0];
    peer->channels = enet_malloc(8 * sizeof(ENetChannel));
    peer->channelCount = 8;
    memset(peer->channels, 0, 8 * sizeof(ENetChannel));
    for (int i = 0; i < 8; i++) {
        enet_list_clear(&peer->channels[i].incomingReliableCommands);
        enet_list_clear(&peer->channels[i].incomingUnreliableCommands);
    }
    peer->state = ENET_PEER_STATE_CONNECTED;
    peer->address.host = sender_address.sin_addr.s_addr;
    peer->address.port = ntohs(sender_address.sin_port);
    peer->connectID = 1;
    peer->incomingSessionID = peer->outgoingSessionID = 0;
    host->connectedPeers = 1;

    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(host->address.port)};
    need(sendto(sender, data, size, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)size, "sendto");
    ENetEvent event;
    for (int i = 0; i < 64 && enet_host_service(host, &event, 0) > 0; i++)
        if (event.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(event.packet);
    uint8_t answers[4096];
    while (recv(sender, answers, sizeof answers, MSG_DONTWAIT) >= 0) {
    }
    enet_host_destroy(host);
    return PKS_NO_VERDICT;
}
