// Bit fields, with a name and without, and arrays of the standard library.
#include <array>
#pragma pack(push, 1)
enum Mode : int8_t { Off = -1, On = 1 };
enum Kind { A, B };
struct Player {
    uint8_t id;
    int16_t yaw : 9; // in steps
    uint8_t : 2;
    bool alive : 1;
    Mode mode : 2;
    Kind kind : 2, : 3, far : 1;
    unsigned int : 2;
    uint32_t : 0;
    uint32_t ammo : 7;
    std::array<uint8_t, 4> items{};
    std::array<std::array<int16_t, 2>, 3> spots, more;
    std::uint8_t data[sizeof(3)];
    alignas(1) uint16_t port;
    char tone;
    char pitch : 4 {1};
    bool operator<(const Player& p) const { return id < p.id; }
    Player(int a) : id(a) {}
};
#pragma pack(pop)
