// The scenes of "Serialization Strategies": some of a world's rigid bodies, chosen in four ways. What
// moved goes out now, the rest when there is room.
//
// From the article, which is its only specification. Not here: the other ways to send a world that later articles have.
protocol gaffer
order lsb
port 4001

// How many bodies the world has. Both ends must agree: it decides the width of every count and index, and nothing in a
// packet tells.
param MaxObjects = 64 in 1..4096

// Known to both ends and never sent: a packet of another program, or of another version, fails the checksum.
const ProtocolId = 0x44551177

// How a packet says which bodies it has.
enum PacketType : int(0..3) {
    Bitmap   = 0 // a bit for every body: best when most are sent
    Index    = 1 // how many, then the index of each
    Sentinel = 2 // the index of each, then MaxObjects for "no more"
    Relative = 3 // the same with the distance from the one before: one bit for the next body
}

// One body: 96 bits at rest, 165 when it moves.
struct RigidBody {
    // 21 bits a part; the 97151 codes above 2000000 are refused.
    position vec3(float(-1000..1000, 0.001)) @unit("m")
    // Three of the four parts. A reader that believes any three makes a NaN of the fourth.
    orientation quat smallest3(10)
    at_rest     bool
    // What rests has no velocities; a reader sets them to zero.
    if !at_rest {
        linear_velocity  vec3(float(-10..10, 0.01)) @unit("m/s")
        angular_velocity vec3(float(-20..20, 0.01)) @unit("rad/s")
    }
}

packet {
    crc  crc32(prefix ProtocolId : uint32)
    type PacketType
    // Indexes only rise. One that repeats or falls, or a short step past the last body, is a write outside the array in
    // a reader that trusts it.
    body switch type {
        Bitmap:   { objects subset(bitmap)   [MaxObjects]RigidBody }
        Index:    { objects subset(index)    [MaxObjects]RigidBody }
        Sentinel: { objects subset(sentinel) [MaxObjects]RigidBody }
        Relative: { objects subset(relative) [MaxObjects]RigidBody }
    }
    check "end of packet"
}
