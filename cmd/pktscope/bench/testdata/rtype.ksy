# R-Type for Kaitai Struct, with what a reader must refuse as far as `valid` can say it: not that text has nothing behind its
# end, and not that a packet ends where its last field does, which kaitai.js asks.
meta:
  id: rtype
  endian: be
  bit-endian: be
seq:
  - {id: type, type: u2, enum: message_type, valid: {in-enum: true}}
  - {id: sequence_num, type: u2}
  - {id: timestamp, type: u8}
  - id: body
    type:
      switch-on: type
      cases:
        'message_type::join_game': join_game
        'message_type::join_game_ack': player_id
        'message_type::join_game_nack': join_game_nack
        'message_type::snapshot': snapshot
        'message_type::player_input': player_input
        'message_type::player_join': player_id
        'message_type::player_leave': player_id
        'message_type::missile_spawned': missile_state
        'message_type::missile_destroyed': destroyed
        'message_type::enemy_destroyed': destroyed
        'message_type::player_damaged': player_damaged
        'message_type::player_died': player_id
enums:
  message_type:
    0x0001: heart_beat
    0x0002: heart_beat_ack
    0x0010: join_game
    0x0011: join_game_ack
    0x0012: join_game_nack
    0x0040: snapshot
    0x0061: player_input
    0x0070: player_join
    0x0071: player_leave
    0x0080: shoot_missile
    0x0081: missile_spawned
    0x0082: missile_destroyed
    0x0091: enemy_destroyed
    0x00a0: player_damaged
    0x00a1: player_died
types:
  join_game:
    seq:
      - {id: token, size: 32}
      - {id: ship_skin, type: u1, valid: {min: 1, max: 6}}
      - {id: room_code, size: 6}
  join_game_nack:
    seq:
      - {id: reason, size: 64}
  player_id:
    seq:
      - {id: player_id, type: u1}
  player_input:
    seq:
      - {id: reserved, type: b11, valid: 0}
      - {id: shoot, type: b1}
      - {id: right, type: b1}
      - {id: left, type: b1}
      - {id: down, type: b1}
      - {id: up, type: b1}
      - {id: sequence_num, type: u2}
  destroyed:
    seq:
      - {id: id, type: u2}
  player_damaged:
    seq:
      - {id: player_id, type: u1}
      - {id: damage, type: u1}
      - {id: new_health, type: u1, valid: {max: 100}}
  player_state:
    seq:
      - {id: id, type: u1}
      - {id: x, type: u2}
      - {id: y, type: u2}
      - {id: health, type: u1, valid: {max: 100}}
      - {id: alive, type: u1, valid: {max: 1}}
      - {id: last_acked_input_seq, type: u2}
      - {id: ship_skin, type: u1, valid: {min: 1, max: 6}}
  missile_state:
    seq:
      - {id: id, type: u2}
      - {id: owner_id, type: u1}
      - {id: x, type: u2}
      - {id: y, type: u2}
  enemy_state:
    seq:
      - {id: id, type: u2}
      - {id: x, type: u2}
      - {id: y, type: u2}
      - {id: health, type: u1}
      - {id: enemy_type, type: u1}
  snapshot:
    seq:
      - {id: player_count, type: u1, valid: {max: 4}}
      - {id: players, type: player_state, repeat: expr, repeat-expr: player_count}
      - {id: missile_count, type: u1, valid: {max: 32}}
      - {id: missiles, type: missile_state, repeat: expr, repeat-expr: missile_count}
      - {id: enemy_count, type: u1, valid: {max: 16}}
      - {id: enemies, type: enemy_state, repeat: expr, repeat-expr: enemy_count}
      - {id: enemy_missile_count, type: u1, valid: {max: 32}}
      - {id: enemy_missiles, type: missile_state, repeat: expr, repeat-expr: enemy_missile_count}
