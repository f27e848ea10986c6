package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pktscope/pktscope/decode/luagen"
	"github.com/pktscope/pktscope/decode/plan"
)

// genWireshark writes a dissector for Wireshark.
var genWireshark = genFile{
	name:  "wireshark",
	short: "write a dissector for Wireshark and tshark",
	long: `Wireshark writes one Lua file that makes Wireshark and tshark (4.0 and later) read a protocol, bit
by bit, with the same values, verdicts and reasons as decode. Every field has a filter that is its
path after the protocol's name in lower case: rtype.body.players.health > 50. Elements of a list
share one. What a schema says of a field is there, too: names of enums and flags, units, dates,
checksums that are computed and compared.

A packet that the schema refuses has the expert item NAME.rejected, and the fields NAME.verdict,
NAME.reject.kind, .bit, .path, .want and .got; what is odd about one that is accepted has NAME.noted
and NAME.note.kind. What lies after a refusal is marked NAME.not_decoded. Flags have a line and a
filter each: NAME.flags.Jump == 1. A message that a field holds whole is shown under it; pieces of one,
and what is sealed, are shown as bytes.

Values of @secret fields are not shown, and a refusal does not show what one is computed from. But
Wireshark shows all bytes, and the Lua file holds the schema's constants, also those of @secret
fields: whoever has the file can read them.

The ports of the schema are registered; for others use Decode As. Where Wireshark has a protocol of
the same name, as for dns, the new one is called pks_dns and has no port of its own. Wireshark gives
a dissector no datagram without bytes, so nothing is shown for one, where decode refuses it.

With --install the file goes to the personal Lua plugins (Help, About, Folders); Wireshark reads it
when it starts, or with Analyze, Reload Lua Plugins. gen wireshark never overwrites a file that it did
not write.`,
	example: `  pktscope gen wireshark -p my.pks -o my.lua
  tshark -X lua_script:my.lua -r capture.pcap -Y 'my.verdict == "reject"'
  pktscope gen wireshark -p my.pks --install`,
	fileName: func(_ string, p *plan.Plan) string { return luagen.FileName(p) },
	source: func(_ string, p *plan.Plan, protocol, file string) string {
		return luagen.Source(p, protocol, file)
	},
	folder: luaPlugins, mine: luagen.Ours,
}

// luaPlugins is the folder of the personal Lua plugins of Wireshark 4.
func luaPlugins() (string, error) {
	if runtime.GOOS == "windows" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return "", errors.New("no folder for plugins: APPDATA is not set; write the file with -o")
		}
		return filepath.Join(dir, "Wireshark", "plugins"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("no folder for plugins: HOME is not set; write the file with -o")
	}
	return filepath.Join(home, ".local", "lib", "wireshark", "plugins"), nil
}
