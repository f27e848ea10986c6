protocol 3 //! want the protocol's name, got `3`
order lsb
