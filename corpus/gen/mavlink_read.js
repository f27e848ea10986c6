// Says what node-mavlink reads of datagrams, a line for each field: frame, path, value. Run by itself it reads a
// datagram in hex from each line of stdin. node finds the module by NODE_PATH.
const { PassThrough } = require("stream");
const { minimal, common, MavLinkPacketSplitter, MavLinkPacketParser } = require("node-mavlink");
const registry = { ...minimal.REGISTRY, ...common.REGISTRY };

function say(frame, p) {
  const line = (path, value) => console.log(frame, "messages[]." + path, typeof value == "bigint" ? String(value) : value);
  const h = p.header;
  line("length", h.payloadLength); line("signed", h.incompatibilityFlags & 1); line("compat", h.compatibilityFlags); line("seq", h.seq);
  line("sysid", h.sysid); line("compid", h.compid); line("msgid", h.msgid); line("crc", p.crc);
  const type = registry[h.msgid], values = p.protocol.data(p.payload, type);
  for (const f of type.FIELDS) {
    let v = values[f.name];
    if (f.type == "char[]") v = Buffer.concat([Buffer.from(v), Buffer.alloc(f.length)]).subarray(0, f.length).toString("hex");
    line("payload." + f.source, v);
  }
  if (p.signature) { line("link", p.signature.linkId); line("timestamp", Number(p.buffer.readUIntLE(p.buffer.length - 12, 6))); line("signature", p.signature.signature); }
}

async function read(frame, datagram) {
  const source = new PassThrough(), parser = source.pipe(new MavLinkPacketSplitter()).pipe(new MavLinkPacketParser());
  source.end(datagram);
  for await (const p of parser) say(frame, p);
}
exports.read = read;

if (require.main === module) (async () => {
  let frame = 0;
  for (const line of require("fs").readFileSync(0, "utf8").split("\n")) if (line !== "") await read(++frame, Buffer.from(line === "-" ? "" : line, "hex"));
})();
