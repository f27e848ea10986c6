protocol missing
order lsb
packet {
    a [4]{
        b uint8 //! missing `}`: the `{` at 4:10 is not closed
