protocol gaffer
order lsb

struct RigidBody {
    position    vec3(float(-1000..1000, 0.001))
    orientation quat smallest3(10)
    at_rest     bool
    if !at_rest {
        linear_velocity  vec3(float(-10..10, 0.01))
        angular_velocity vec3(float(-20..20, 0.01))
    }
}

packet {
    crc  crc32(prefix 0x44551177 : uint32)
    type int(0..3)
    body switch type {
        0: { objects subset(bitmap)   [64]RigidBody }
        1: { objects subset(index)    [64]RigidBody }
        2: { objects subset(sentinel) [64]RigidBody }
        3: { objects subset(relative) [64]RigidBody }
    }
    check "end of packet"
}
