package filter

import "testing"

// rtypeFilters are filters over R-Type's corpus with the packets that match.
var rtypeFilters = []struct{ src, want string }{
	// The three of the manual, and the envelope.
	{`case == "Snapshot" && body.player_count > 2`, "snapshot_most snapshot_players x_sick"},
	{`pkt.rejected && reject.kind == "past-end"`, "x_short x_nobody"},
	{`pkt.src_port == 4124`, "heartbeat_server heartbeat_ack join_ack join_nack join_nack_empty join_nack_full join_nack_escape snapshot_empty snapshot_one snapshot_most snapshot_players snapshot_enemy_missiles player_join player_leave missile_spawned missile_spawned_most missile_destroyed enemy_destroyed player_damaged player_damaged_least player_damaged_most player_died x_sick x_short x_snapped x_backwards x_tail"},
	{`any(body.players, .health < 10)`, "snapshot_most snapshot_players"},
	{`pkt.verdict == "cut"`, "x_snapped"},
	{`pkt.cut or pkt.rejected`, "x_sick x_short x_snapped x_nobody x_tail"},
	{`pkt.accepted && pkt.direction == "client" && pkt.n < 4`, "heartbeat_client"},
	{`pkt.direction in ["unknown"] || pkt.direction != "client" && pkt.direction != "server"`, "x_nobody"},
	{`pkt.n <= 2`, "heartbeat_client heartbeat_server"},
	{`pkt.bits == 96 && pkt.direction == "server"`, "heartbeat_server heartbeat_ack"},
	{`pkt.src == "10.0.0.7:50001" && pkt.n > 19`, "input_all input_shoot shoot_missile"},
	{`pkt.dst == "[2001:db8::1]:4124" && pkt.n > 19`, "input_all input_shoot shoot_missile"},
	{`pkt.src_ip in "10.0.0.0/8" && pkt.n > 19`, "input_all input_shoot shoot_missile"},
	{`pkt.src_ip == "2001:db8::1" && pkt.n < 5`, "heartbeat_server heartbeat_ack"},
	{`pkt.src == nil`, "x_nobody"},
	{`pkt.time < "2023-11-14T22:13:20.000000002Z"`, "heartbeat_client heartbeat_server"},
	{`pkt.time == 1700000000000000000`, "heartbeat_client"},
	{`pkt.time == nil`, "x_nobody"},
	{`pkt.file endsWith ".pcap" && pkt.n == 1`, "heartbeat_client"},
	{`pkt.protocol == "rtype" && pkt.n == 1`, "heartbeat_client"},

	// The verdict and the notes.
	{`reject.path == "body.players[2].health"`, "x_sick"},
	{`reject.path startsWith "body.players["`, "x_sick x_short"},
	{`reject.path matches "players\\[\\d+\\]\\.health$"`, "x_sick"},
	{`reject.want == "0..100" && reject.got == "101"`, "x_sick"},
	{`reject.kind in ["out-of-range", "trailing-bytes"]`, "x_sick x_tail"},
	{`reject.bit == 8*(12+1+2*10+5) && reject.width == 8`, "x_sick"},
	{`reject.kind == nil && pkt.n > 30`, "player_damaged_most player_died x_snapped x_backwards"},
	{`reject.kind != "past-end"`, "x_sick x_tail"},
	{`"wrong-direction" in notes`, "x_backwards"},
	{`"length-mismatch" in notes && len(notes) == 2`, "x_backwards"},
	{`any(notes, .kind == "wrong-direction" && .path == "body" && .bit == 96)`, "x_backwards"},
	{`all(notes, .kind in ["length-mismatch", "wrong-direction"]) && len(notes) > 0`, "x_backwards"},
	{`count(notes, .bit < 96) == 1`, "x_backwards"},

	// Cases, enums, flags.
	{`case == "HeartBeat"`, "heartbeat_client heartbeat_server heartbeat_zero heartbeat_most"},
	{`case == 0x40`, "snapshot_empty snapshot_one snapshot_most snapshot_players snapshot_enemy_missiles x_sick x_short x_snapped"},
	{`case in ["PlayerInput", "PlayerDied"]`, "input_none input_all input_shoot player_died x_backwards x_tail"},
	{`case == nil`, "x_nobody"},
	{`case != "Snapshot" && pkt.n in [13, 14, 18, 19]`, "join_nack_escape input_none"},
	{`type == "Snapshot" and sequence_num == 14`, "snapshot_most x_sick"},
	{`type >= 0xa0`, "player_damaged player_damaged_least player_damaged_most player_died x_tail"},
	{`type == case && pkt.n < 3`, "heartbeat_client heartbeat_server"},
	{`"Shoot" in body.keys`, "input_all input_shoot x_backwards"},
	{`body.keys.Shoot and not body.keys.Up`, "input_shoot"},
	{`body.keys == 0x1f`, "input_all x_backwards"},
	{`!("Up" in body.keys)`, "input_none input_shoot"},

	// Absent fields: unknown goes through !, && and ||.
	{`body.player_id == 2`, "player_damaged player_died x_tail"},
	{`!(body.player_id == 2)`, "join_ack player_join player_leave player_damaged_least player_damaged_most"},
	{`body.player_id != 2`, "join_ack player_join player_leave player_damaged_least player_damaged_most"},
	{`body.player_id == 2 || pkt.n == 1`, "heartbeat_client player_damaged player_died x_tail"},
	{`!(body.player_id == 2 && pkt.n == 1) && pkt.n < 3`, "heartbeat_server"},
	{`(body.player_id == 2) == (pkt.n == 1)`, "join_ack player_join player_leave player_damaged_least player_damaged_most"},
	{`body.player_id == nil && body.keys == nil && body.player_count == nil && body.x == nil && body.token == nil && body.reason == nil`, "heartbeat_client heartbeat_server heartbeat_ack heartbeat_zero heartbeat_most shoot_missile missile_destroyed enemy_destroyed x_nobody"},
	{`body != nil && pkt.n < 8`, "join join_empty_room"},
	{`body.token != nil`, "join join_empty_room join_short_room"},
	{`body.sequence_num < sequence_num`, "input_none"},

	// Lists.
	{`body.players[0].x > 5`, "snapshot_one x_short x_snapped"},
	{`body.players[2].id == 2`, "snapshot_most snapshot_players x_sick"},
	{`body.players[4].id == 4`, ""},
	{`body.players[0] != nil`, "snapshot_one snapshot_most snapshot_players x_sick x_short x_snapped"},
	{`body.players[1] == nil && body.players != nil`, "snapshot_empty snapshot_one snapshot_enemy_missiles x_short x_snapped"},
	{`len(body.players) == body.player_count`, "snapshot_empty snapshot_one snapshot_most snapshot_players snapshot_enemy_missiles x_short x_snapped"},
	{`len(body.players) < body.player_count`, "x_sick"},
	{`all(body.players, .health > 0)`, "snapshot_empty snapshot_one snapshot_enemy_missiles"},
	{`none(body.players, .alive)`, "snapshot_empty snapshot_enemy_missiles"},
	{`one(body.players, .alive == true)`, "snapshot_one"},
	{`count(body.missiles, .owner_id == 1) >= 1`, "snapshot_one snapshot_most"},
	{`any(body.missiles, .x == body.missiles[0].x && # != nil)`, "snapshot_one snapshot_most"},
	{`any(body.missiles, .x == 1) || any(body.enemies, any(body.players, .alive) && .health > 0)`, "snapshot_one snapshot_most"},
	{`all(body.enemies, .health > 0 || count(body.missiles, .x >= 0) == 32)`, "snapshot_empty snapshot_one snapshot_most snapshot_players snapshot_enemy_missiles"},

	// Numbers and text.
	{`timestamp == 18446744073709551615`, "heartbeat_most"},
	{`timestamp > 18446744073709551614.5`, "heartbeat_most"},
	{`timestamp < 1.8446744073709551616e19 && timestamp > 9223372036854775807`, "heartbeat_most"},
	{`timestamp + 1 == 0`, ""},
	{`timestamp - 18446744073709551615 == 0`, "heartbeat_most"},
	{`sequence_num % 2 == 0 && sequence_num < 5`, "heartbeat_server heartbeat_zero join"},
	{`-sequence_num <= -30 && -sequence_num > -0x21`, "player_died x_tail"},
	{`1 < sequence_num <= 3`, "heartbeat_server heartbeat_ack"},
	{`sequence_num * 4 + 2 == 14`, "heartbeat_ack"},
	{`body.damage == 20 && body.new_health == 80`, "player_damaged"},
	{`body.damage > body.new_health`, "player_damaged_most"},
	{`body.reason == "the room is full"`, "join_nack"},
	{`body.reason contains "room" and not (body.reason startsWith "the")`, "join_nack_escape"},
	{`body.reason matches "(?i)ROOM"`, "join_nack join_nack_escape"},
	{`body.reason == ""`, "join_nack_empty"},
	{`len(body.reason) == 64`, "join_nack_full"},
	{`body.room_code == "R7KQ2A" || body.room_code endsWith "VA" && len(body.room_code) == 4`, "join join_short_room"},
	{`true && pkt.n == 1 && !false`, "heartbeat_client"},
}

func TestMatchRType(t *testing.T) {
	p, packets := rtype(t), rtypePackets(t)
	for _, row := range rtypeFilters {
		if got := ask(t, p, row.src, packets); names(packets, got, yes) != row.want {
			t.Errorf("%s\nwant %s\ngot %s", row.src, row.want, describe(packets, got))
		}
	}
}
