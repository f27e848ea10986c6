#!/usr/bin/env bash
# Records MAVLink 2: node-mavlink (npm) writes the messages and reads them again, and its parser says what is in them.
# node finds the module by NODE_PATH.
. "$(dirname "$0")/record.sh"
need node nodejs
record
timeout 30 node - "$here" >"$recording/fields" <<'END'
const dgram = require("dgram");
const { minimal, common, MavLinkProtocolV2 } = require("node-mavlink");
const fill = (m, values) => Object.assign(m, values);
const heart = fill(new minimal.Heartbeat(), { type: 2, autopilot: 3, baseMode: 81, customMode: 4, systemStatus: 4, mavlinkVersion: 3 });
const attitude = fill(new common.Attitude(), { timeBootMs: 123456, roll: 0.5, pitch: -0.25, yaw: 1.5, rollspeed: 0.125, pitchspeed: 0.0625, yawspeed: -2 });
const level = fill(new common.Attitude(), { timeBootMs: 1000 });
const at = fill(new common.GlobalPositionInt(), { timeBootMs: 5000, lat: 473977418, lon: -85455939, alt: 488120, relativeAlt: -150, vx: -12, vy: 7, vz: 0, hdg: 35999 });
const gps = fill(new common.GpsRawInt(), { timeUsec: 1700000000123456n, lat: -473977418, lon: 85455939, alt: 488120, eph: 121, epv: 65535, vel: 9, cog: 100, fixType: 3, satellitesVisible: 10 });
const status = fill(new common.SysStatus(), { onboardControlSensorsPresent: 0x5210c02f, onboardControlSensorsEnabled: 0x4210802f, onboardControlSensorsHealth: 0x5610c02f, load: 250, voltageBattery: 12587, currentBattery: -1, batteryRemaining: 98 });
const time = fill(new common.SystemTime(), { timeUnixUsec: 1700000000000000n, timeBootMs: 77 });
const hud = fill(new common.VfrHud(), { airspeed: 0.5, groundspeed: 12.25, alt: 488.125, climb: -0.75, heading: -90, throttle: 42 });
const text = fill(new common.StatusText(), { severity: 6, text: "PreArm: a game in the gallery" });
const command = fill(new common.CommandAck(), { command: 400, result: 0 });
const none = fill(new minimal.Heartbeat(), { type: 0, autopilot: 0, baseMode: 0, customMode: 0, systemStatus: 0, mavlinkVersion: 0 });

let seq = 0;
const plain = new MavLinkProtocolV2(1, 1), signing = new MavLinkProtocolV2(255, 190, MavLinkProtocolV2.IFLAG_SIGNED);
const key = Buffer.alloc(32, 7);
const one = (m) => plain.serialize(m, seq++ % 256);
const signed = (m) => signing.sign(signing.serialize(m, seq++ % 256), 3, key, 1700000000000);
const datagrams = [one(heart), one(attitude), one(level), one(none), one(at), one(gps), one(status), one(time), one(hud), one(text), one(command),
  signed(heart), signed(attitude), signed(none), Buffer.concat([one(heart), one(attitude), one(hud)]), Buffer.concat([signed(text), one(heart), signed(at)]),
  Buffer.concat(Array.from({ length: 20 }, () => one(heart)))];
for (let i = 0; i < 12; i++) datagrams.push(one(fill(new common.Attitude(), { timeBootMs: i * 250, roll: i / 8, yaw: -i / 4 })));

console.log("# node-mavlink " + require("node-mavlink/package.json").version);
const { read } = require(process.argv[2] + "/mavlink_read.js");
const server = dgram.createSocket("udp4"), client = dgram.createSocket("udp4");
let frame = 0, reading = Promise.resolve();
server.on("message", (m) => {
  const n = ++frame;
  reading = reading.then(() => read(n, m));
  if (n == datagrams.length) reading.then(() => { server.close(); client.close(); });
  else client.send(datagrams[n], 14550, "127.0.0.1");
});
server.bind(14550, "127.0.0.1", () => client.send(datagrams[0], 14550, "127.0.0.1"));
END
stop_recording
