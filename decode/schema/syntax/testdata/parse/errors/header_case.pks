protocol gameNet x //! is in snake_case; write `game_net` //! want the end of the line, got `x`
order lsb
