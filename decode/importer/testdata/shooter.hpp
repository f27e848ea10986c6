// A shooter's packets as they lie in memory.
#ifndef SHOOTER_HPP
#define SHOOTER_HPP
#include <cstdint>
#include <array>

namespace shooter {

#pragma pack(push, 1)

enum class MessageType : uint16_t {
    HeartBeat = 0x0001,
    HeartBeatAck = 0x0002,
    JoinGame = 0x0010, // a client comes
    JoinGameAck = 0x0011,
    JoinGameNack = 0x0012,
    PlayerInput = 0x0061,
    PlayerDied = 0x00A1,
};

struct UDPHeader {
    uint16_t type;
    uint16_t sequence_num;
    uint64_t timestamp;
    static constexpr size_t WIRE_SIZE = 12;
    void to_bytes(uint8_t* buf) const {
        uint16_t net = swap16(type);
        std::memcpy(buf, &net, 2);
    }
};

struct JoinGame {
    uint8_t token[32];
    uint8_t ship_skin; // 1 to 6
    char room_code[6];
};

struct JoinGameAck { uint8_t player_id; };
struct JoinGameNack { char reason[64]; };

struct PlayerInput {
    uint16_t keys;
    uint16_t sequence_num;
};

struct PlayerDied { uint8_t player_id; };

struct Unsent { bool flag; unsigned int wide; float* where; uint8_t low : 3, high : 5; };

#pragma pack(pop)

} // namespace shooter
#endif
