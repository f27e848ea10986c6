protocol bom //! the file starts with a byte order mark; save it as UTF-8 without one
order lsb
packet { a uint8 }
