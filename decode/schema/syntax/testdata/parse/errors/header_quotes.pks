protocol "px" //! the protocol's name has no quotes; remove the quotes
order lsb
