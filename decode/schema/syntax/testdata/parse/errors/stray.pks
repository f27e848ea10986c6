protocol stray
order lsb
struct A {
    ) l uint8 //! want an item, got `)`
    b uint8
} ) //! want the end of the line, got `)`
packet { a A } } //! this `}` closes nothing
