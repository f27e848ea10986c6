order lsb
protocol late //! the `protocol` line comes first; move it to the top
packet { a uint8 }
