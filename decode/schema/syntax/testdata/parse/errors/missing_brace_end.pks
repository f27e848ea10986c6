protocol missing
order lsb
packet {
    a uint8
    if a == 1 {
        b uint8
    } //! missing `}`: the `{` at 3:8 is not closed
