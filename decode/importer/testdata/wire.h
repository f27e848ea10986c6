/*
 * Commands behind a header, in the shape of C libraries.
 */
#ifndef __WIRE_H__
#define __WIRE_H__

#ifdef _MSC_VER
#pragma pack(push,1)
#define PACKED
#else
#define PACKED __attribute__ ((packed))
#endif

typedef enum _WireCommand
{
   WIRE_COMMAND_NONE               = 0,
   WIRE_COMMAND_ACKNOWLEDGE        = 1,
   WIRE_COMMAND_DISCONNECT         = 4,
   WIRE_COMMAND_PING               = 5,
   WIRE_COMMAND_BANDWIDTH_LIMIT    = 10,
   WIRE_COMMAND_COUNT              = 11,

   WIRE_COMMAND_MASK               = 0x0F
} WireCommand;

typedef struct _WireHeader
{
   enet_uint8 command;
   enet_uint8 channelID;
   enet_uint16 reliableSequenceNumber;
} PACKED WireHeader;

typedef struct _WireAcknowledge
{
   enet_uint16 receivedReliableSequenceNumber;
   enet_uint16 receivedSentTime;
} PACKED WireAcknowledge;

typedef struct _WireDisconnect
{
   enet_uint32 data;
} PACKED WireDisconnect;

typedef struct _WireBandwidthLimit
{
   enet_uint32 incomingBandwidth;
   enet_uint32 outgoingBandwidth;
} PACKED WireBandwidthLimit;

typedef union _Wire
{
   WireHeader header;
   WireAcknowledge acknowledge;
} PACKED Wire;

#endif
