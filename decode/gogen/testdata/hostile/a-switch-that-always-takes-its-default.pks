protocol one
order lsb
packet {
    tag uint16
    body switch tag { default: uint8 }
    far switch tag {
        0..50000: uint8
        default:  empty
    }
}
