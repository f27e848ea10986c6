order lsb //! the file does not say its protocol; begin it with a line like `protocol example`
packet { a uint8 }
