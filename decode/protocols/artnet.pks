// Art-Net 4: lighting, DMX512 over UDP. From "Specification for the Art-Net 4 Ethernet Communication Protocol"; numbers are
// little-endian where it says nothing else. What has an opcode that is not listed is bytes, with a note: receivers ignore it.
//
// Not here: what RDM packets hold (ANSI E1.20), VLC in ArtNzs, and the bodies of opcodes that the specification only
// reserves or that few send: media, video, files, directories, MAC addresses, data requests, ArtTimeSync; they are bytes.
protocol artnet
order lsb
port 6454
max datagram 1500

open enum OpCode : uint16 {
    Poll           = 0x2000
    PollReply      = 0x2100
    DiagData       = 0x2300
    Command        = 0x2400
    DataRequest    = 0x2700
    DataReply      = 0x2800
    Dmx            = 0x5000
    Nzs            = 0x5100
    Sync           = 0x5200
    Address        = 0x6000
    Input          = 0x7000
    TodRequest     = 0x8000
    TodData        = 0x8100
    TodControl     = 0x8200
    Rdm            = 0x8300
    RdmSub         = 0x8400
    Media          = 0x9000
    MediaPatch     = 0x9100
    MediaControl   = 0x9200
    MediaReply     = 0x9300
    TimeCode       = 0x9700
    TimeSync       = 0x9800
    Trigger        = 0x9900
    Directory      = 0x9A00
    DirectoryReply = 0x9B00
    VideoSetup     = 0xA010
    VideoPalette   = 0xA020
    VideoData      = 0xA040
    MacMaster      = 0xF000
    MacSlave       = 0xF100
    FirmwareMaster = 0xF200
    FirmwareReply  = 0xF300
    FileTnMaster   = 0xF400
    FileFnMaster   = 0xF500
    FileFnReply    = 0xF600
    IpProg         = 0xF800
    IpProgReply    = 0xF900
}

packet {
    id     bytes(8) == "Art-Net\0"
    opcode OpCode
    body switch opcode {
        Poll: {
            version  uint16 be in 14..65535
            flags    uint8
            priority uint8
            targets  bytes(rest, max 8) // the ports and the maker that shall answer
        }
        PollReply: {
            address      bytes(4) @ipv4
            port         uint16
            firmware     uint16 be
            net_switch   uint8
            sub_switch   uint8
            oem          uint16 be
            ubea_version uint8
            status       uint8
            maker        uint16
            short_name   bytes(18) @text
            long_name    bytes(64) @text
            report       bytes(64) @text
            ports        uint16 be in 0..4
            port_types   [4]uint8
            good_input   [4]uint8
            good_output  [4]uint8
            sw_in        [4]uint8
            sw_out       [4]uint8
            video        uint8
            macro        uint8
            remote       uint8
            spare        bytes(3)
            style        uint8
            mac          bytes(6) @mac
            bind_address bytes(4) @ipv4
            bind_index   uint8
            status2      uint8
            newer        bytes(rest, max 40) // grows from version to version
        }
        Dmx: {
            version  uint16 be in 14..65535
            sequence uint8 // 1..255 for each universe, 0 where there is none
            physical uint8
            universe uint16 in 0..0x7FFF
            length   uint16 be in 2..512
            require length % 2 == 0
            data bytes(length)
        }
        Nzs: {
            version    uint16 be in 14..65535
            sequence   uint8
            start_code uint8 != 0
            universe   uint16 in 0..0x7FFF
            length     uint16 be in 1..512
            data       bytes(length)
        }
        Sync: {
            version uint16 be in 14..65535
            aux     bytes(2)
        }
        DiagData: {
            version uint16 be in 14..65535
            filler  uint8
            level   uint8
            logical uint8 // the port that it is about
            filler3 uint8
            length  uint16 be in 0..512
            text    bytes(length) @text
        }
        Command: {
            version uint16 be in 14..65535
            maker   uint16 be
            length  uint16 be in 0..512
            text    bytes(length) @text
        }
        Address: {
            version    uint16 be in 14..65535
            to_net     uint8
            bind_index uint8
            short_name bytes(18) @text
            long_name  bytes(64) @text
            sw_in      [4]uint8
            sw_out     [4]uint8
            to_sub     uint8
            acn        uint8 // the priority for sACN; once of a video switch
            command    uint8
        }
        Input: {
            version    uint16 be in 14..65535
            filler     uint8
            bind_index uint8
            ports      uint16 be in 0..4
            inputs     [4]uint8
        }
        TodRequest: {
            version uint16 be in 14..65535
            spare   bytes(9)
            net     uint8
            command uint8
            count   uint8 in 0..32
            address [count]uint8
            unused  bytes(rest, max 32) // the array has 32 places; some send those that they use
        }
        TodData: {
            version     uint16 be in 14..65535
            rdm_version uint8
            port        uint8
            spare       bytes(6)
            bind_index  uint8
            net         uint8
            response    uint8
            address     uint8
            total       uint16 be
            block       uint8
            count       uint8 in 0..200
            devices     [count]bytes(6)
        }
        TodControl: {
            version uint16 be in 14..65535
            spare   bytes(9)
            net     uint8
            command uint8
            address uint8
        }
        Rdm: {
            version     uint16 be in 14..65535
            rdm_version uint8
            spare       bytes(8)
            net         uint8
            command     uint8
            address     uint8
            rdm         bytes(rest, max 256) // without its start code, 0xCC
        }
        RdmSub: {
            version     uint16 be in 14..65535
            rdm_version uint8
            filler      uint8
            device      bytes(6)
            spare       uint8
            class       uint8
            parameter   uint16 be
            first       uint16 be
            count       uint16 be in 0..512
            spare2      bytes(4)
            values      [rest, max 512]uint16 be // as many as count, or none, as the class says
        }
        TimeCode: {
            version uint16 be in 14..65535
            filler  uint8
            stream  uint8
            frames  uint8 in 0..29
            seconds uint8 in 0..59
            minutes uint8 in 0..59
            hours   uint8 in 0..23
            type    uint8 in 0..3
        }
        Trigger: {
            version uint16 be in 14..65535
            filler  bytes(2)
            oem     uint16 be
            key     uint8
            subkey  uint8
            payload bytes(512)
        }
        FirmwareMaster: {
            version uint16 be in 14..65535
            filler  bytes(2)
            type    uint8
            block   uint8
            words   uint32 be // of the whole file
            spare   bytes(20)
            payload bytes(1024)
        }
        FirmwareReply: {
            version uint16 be in 14..65535
            filler  bytes(2)
            type    uint8
            spare   bytes(21)
        }
        IpProg: {
            version uint16 be in 14..65535
            filler  bytes(2)
            command uint8
            filler4 uint8
            address bytes(4) @ipv4
            mask    bytes(4) @ipv4
            port    uint16 be
            gateway bytes(4) @ipv4
            spare   bytes(4)
        }
        IpProgReply: {
            version uint16 be in 14..65535
            filler  bytes(4)
            address bytes(4) @ipv4
            mask    bytes(4) @ipv4
            port    uint16 be
            status  uint8
            filler5 uint8
            gateway bytes(4) @ipv4
            spare   bytes(2)
        }
        default: {
            version uint16 be
            other   bytes(rest, max 1488)
        }
    }
}
