protocol //! want the protocol's name, got the end of the line
order lsb
