protocl x //! unknown declaration `protocl`; did you mean `protocol`?
order lsb
packet { a uint8 @unit("px } //! the string has no closing quote on its line
}
