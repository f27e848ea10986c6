// MAVLink 2: the frames of a datagram, signed or not, with nine of the common messages. Other messages are refused: their
// checksums need a number of their definition (CRC_EXTRA).
//
// From mavlink.io, Serialization and Message Signing, and common.xml. Not here: MAVLink 1, the messages but nine, the
// enums of their fields; signatures are not checked.
//
// A payload of no byte is taken, as readers do, though no sender may trim the first one; zeros that were not trimmed are a note.
protocol mavlink
order lsb
port 14550
max datagram 1400

const Extra = switch {
    0:   50
    1:   124
    2:   137
    24:  24
    30:  39
    33:  104
    74:  20
    77:  143
    253: 83
}

struct Heartbeat {
    custom_mode     uint32
    type            uint8
    autopilot       uint8
    base_mode       uint8
    system_status   uint8
    mavlink_version uint8
}

struct SysStatus {
    onboard_control_sensors_present          uint32
    onboard_control_sensors_enabled          uint32
    onboard_control_sensors_health           uint32
    load                                     uint16
    voltage_battery                          uint16
    current_battery                          int16
    drop_rate_comm                           uint16
    errors_comm                              uint16
    errors_count1                            uint16
    errors_count2                            uint16
    errors_count3                            uint16
    errors_count4                            uint16
    battery_remaining                        int8
    onboard_control_sensors_present_extended uint32
    onboard_control_sensors_enabled_extended uint32
    onboard_control_sensors_health_extended  uint32
}

struct SystemTime {
    time_unix_usec uint64
    time_boot_ms   uint32
}

struct GpsRawInt {
    time_usec          uint64
    lat                int32
    lon                int32
    alt                int32
    eph                uint16
    epv                uint16
    vel                uint16
    cog                uint16
    fix_type           uint8
    satellites_visible uint8
    alt_ellipsoid      int32
    h_acc              uint32
    v_acc              uint32
    vel_acc            uint32
    hdg_acc            uint32
    yaw                uint16
}

struct Attitude {
    time_boot_ms uint32
    roll         float32
    pitch        float32
    yaw          float32
    rollspeed    float32
    pitchspeed   float32
    yawspeed     float32
}

struct GlobalPositionInt {
    time_boot_ms uint32
    lat          int32
    lon          int32
    alt          int32
    relative_alt int32
    vx           int16
    vy           int16
    vz           int16
    hdg          uint16
}

struct VfrHud {
    airspeed    float32
    groundspeed float32
    alt         float32
    climb       float32
    heading     int16
    throttle    uint16
}

struct CommandAck {
    command          uint16
    result           uint8
    progress         uint8
    result_param2    int32
    target_system    uint8
    target_component uint8
}

struct Statustext {
    severity  uint8
    text      bytes(50) @text
    id        uint16
    chunk_seq uint8
}

packet {
    messages [rest, max 64]{
        magic  uint8 == 0xFD
        length uint8
        signed bool
        reserved(7)
        compat uint8
        seq    uint8 @seq
        sysid  uint8
        compid uint8
        msgid  bits(24)
        within(length zeros) {
            payload switch msgid {
                0:   Heartbeat
                1:   SysStatus
                2:   SystemTime
                24:  GpsRawInt
                30:  Attitude
                33:  GlobalPositionInt
                74:  VfrHud
                77:  CommandAck
                253: Statustext
            }
        }
        crc crc16_mcrf4xx(over length.., suffix Extra(msgid) : uint8)
        if signed {
            link      uint8
            timestamp bits(48)
            signature bytes(6)
        }
    }
}
