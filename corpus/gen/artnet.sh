#!/usr/bin/env bash
# Records Art-Net: dmxnet (npm) as sender and receiver. node finds the module by NODE_PATH.
. "$(dirname "$0")/record.sh"
need node nodejs

record
timeout 30 node -e '
const { dmxnet } = require("dmxnet");
const quiet = { log: { silent: true } };
const net = new dmxnet({ sName: "console", lName: "a console in the gallery", oem: 0x2908, ...quiet });
const sender = net.newSender({ ip: "127.0.0.1", subnet: 3, universe: 5, net: 7, base_refresh_interval: 100000 });
const other = net.newSender({ ip: "127.0.0.1", subnet: 0, universe: 1, net: 0, base_refresh_interval: 100000 });
net.newReceiver({ subnet: 3, universe: 5, net: 7 });
let n = 0;
const timer = setInterval(() => {
  // A poll, which dmxnet answers and never sends.
  if (n == 2) net.socket.send(Buffer.concat([Buffer.from("Art-Net\0"), Buffer.from([0, 0x20, 0, 14, 6, 0x10])]), 6454, "127.0.0.1");
  sender.prepChannel(n, 255 - n);
  sender.prepChannel(511 - n, 17 * n % 256);
  sender.transmit();
  if (n % 4 == 0) { other.fillChannels(0, 511, n * 10); other.transmit(); }
  if (++n == 10) { clearInterval(timer); setTimeout(() => process.exit(), 200); }
}, 20);
'
stop_recording
