protocol namespaces
order lsb
packet {
    k Kind
    a switch k {
        Kind::Hello: empty //! there are no namespaces; a case is written `Kind.Hello`
        Kind::Input: A //! there are no namespaces
    }
    if k == Kind::Hello { b uint8 } //! there are no namespaces
    std::string c //! there are no namespaces
    d std::vector //! there are no namespaces
    e Foo::Bar //! there are no namespaces
    f [4]Foo::Bar //! there are no namespaces
}
