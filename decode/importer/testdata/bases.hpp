// Packed structs that are made from others.
#include <cstdint>
#pragma pack(push, 1)
namespace game {
struct Header {
    uint16_t id; // of the packet
    uint8_t flags : 3, kind : 2;
};
struct Timed : public Header { uint32_t tick; };
struct Empty {};
struct Spot : Empty { int16_t x, y; };
class [[nodiscard]] Shot final : public game::Timed {
public:
    uint8_t id;
    Spot spots[2];
    Header of;
};
}
#pragma pack(pop)
