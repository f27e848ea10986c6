// nothing here //! the file does not say its protocol
