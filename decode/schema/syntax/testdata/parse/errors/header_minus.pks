protocol game-net //! a name has `_`, not `-`
order lsb
