protocol "px" //! the protocol's name stands without quotes; remove the quotes
order lsb
