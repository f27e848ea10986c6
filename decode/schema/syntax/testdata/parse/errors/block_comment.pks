/* //! `/*` starts no comment; comments start with `//`
 * A protocol.
 */
protocol block
order lsb
packet {
    a uint8
}
