protocol t
order lsb
packet {
    a uint8
    b switch a, { //! a switch has one tag; remove the `,`
        1: empty
    }
    c switch a, a { //! a switch has one tag; nest two switches
        1: empty
    }
}
