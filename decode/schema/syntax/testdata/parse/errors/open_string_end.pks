protocol open
order lsb
packet { check "end } //! the string has no closing quote on its line
