protocol noswitch
order lsb
packet {
    t uint8
    body t { //! unknown type `t`
        1: uint8
        2: uint8
        default: empty
    }
    1: uint8 //! an arm outside a switch
    2: uint8
    default: empty
    b uint8
    default: empty //! an arm outside a switch
}
