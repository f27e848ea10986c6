protocol breaks
order lsb
packet {
    k uint8
    a switch k {
        1: A
        break //! there is no `break`: an arm ends by itself; remove it
        2: A break //! there is no `break`: an arm ends by itself; remove it
        3: A; break; //! there is no `break`: an arm ends by itself; remove it
        4: break //! there is no `break`: an arm that holds nothing says so; write `empty`
        5: { break } //! there is no `break`: a body ends by itself; remove it
        6: {
            x uint8
            break; //! there is no `break`: a body ends by itself
        }
        case 7: break; //! an arm is written without `case` //! there is no `break`
        default: fallthrough //! there is no `fallthrough`
    }
    break switch k { default: empty }
    return uint8
}
