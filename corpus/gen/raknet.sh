#!/usr/bin/env bash
# Records RakNet: jsp-raknet (npm) as client and server, with a message that is split. node finds it by NODE_PATH.
into=examples only="udp.port == 19132"
. "$(dirname "$0")/record.sh"
need node nodejs
node -e 'require("jsp-raknet")' 2>/dev/null || { echo "$name.sh: NODE_PATH has no jsp-raknet" >&2; exit 2; }

record
timeout 30 node - <<'END' || true
const { Client, Server, EncapsulatedPacket, Reliability } = require("jsp-raknet");
const ServerName = require("jsp-raknet/js/utils/ServerName").default;
const server = new Server("127.0.0.1", 19132, new ServerName());
server.on("openConnection", (conn) => {
  conn.on("encapsulated", (packet) => console.log("server", packet.buffer ? packet.buffer.length : packet));
});
server.listen().then(() => {
  const client = new Client("127.0.0.1", 19132);
  client.ping(() => {});
  client.on("connected", () => {
    for (const [reliability, size] of [[0, 5], [2, 40], [3, 200], [3, 3000]]) {
      const packet = new EncapsulatedPacket();
      packet.reliability = reliability;
      packet.buffer = Buffer.concat([Buffer.from([0xfe]), Buffer.alloc(size, 7)]);
      client.connection.addEncapsulatedToQueue(packet);
    }
    setTimeout(() => { client.close(); }, 6000);
    setTimeout(() => process.exit(0), 7000);
  });
  client.connect();
});
END
stop_recording
