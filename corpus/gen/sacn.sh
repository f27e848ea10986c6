#!/usr/bin/env bash
# Records sACN: sacn (npm) as sender and receiver. node finds the module by NODE_PATH.
into=examples only="udp.port == 5568"
. "$(dirname "$0")/record.sh"
need node nodejs
node -e 'require("sacn")' 2>/dev/null || { echo "$name.sh: NODE_PATH has no sacn" >&2; exit 2; }

record
timeout 20 node - <<'END'
const { Receiver, Sender } = require("sacn");
const receiver = new Receiver({ universes: [1, 513], iface: "127.0.0.1" });
let heard = 0;
receiver.on("packet", () => heard++);
const cid = Buffer.from("00112233445566778899aabbccddeeff", "hex");
const of = (universe, sourceName, priority) => new Sender({ universe, useUnicastDestination: "127.0.0.1",
  defaultPacketOptions: { cid, sourceName, priority, useRawDmxValues: true } });
(async () => {
  const one = of(1, "gallery", 100), two = of(513, "a name of its own", 200);
  for (let i = 0; i < 12; i++) {
    await one.send({ payload: { 1: i, 2: 255, 512: 255 - i } });
    await two.send({ payload: i % 2 ? {} : { 7: i * 20 } });
  }
  setTimeout(() => { one.close(); two.close(); receiver.close(); if (!heard) process.exit(1); }, 500);
})();
END
stop_recording
