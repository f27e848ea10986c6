
// The packets: data.go says what stands where.

const data = JSON.parse(byId('data').textContent);
const verdicts = ['accept', 'reject', 'cut', 'needs-context'];
const stopped = (verdict) => verdict === 1 || verdict === 3; // why is there, in place of notes
const arrows = ['→', 'C→S', 'S→C'];

// packetOf gives packet i names.
function packetOf(i) {
  const [protocol, n, file, time, src, dst, direction, kase, bytes, verdict, shape, values, payload, more, outcome] = data.packets[i];
  return {
    index: i, protocol, n, file: data.files[file], time, src: data.peers[src], dst: data.peers[dst], direction, case: data.cases[kase], bytes, verdict,
    shape, values, payload, more,
    refusal: stopped(verdict) && outcome ? { kind: outcome[0], path: outcome[1], bit: outcome[2], width: outcome[3], want: outcome[4], got: outcome[5], message: outcome[6] } : null,
    notes: !stopped(verdict) && outcome ? outcome.map((note) => note[0]) : [],
  };
}

// timeOf is a time with the digits that it has: a number in ns is longer than the script's numbers are exact.
function timeOf(ns, withDay) {
  if (ns === '') return '';
  const negative = ns.startsWith('-');
  const all = BigInt(ns);
  let millis = all / 1000000n;
  if (negative && all % 1000000n !== 0n) millis -= 1n;
  const date = new Date(Number(millis));
  if (Number.isNaN(date.getTime())) return ns + ' ns';
  const text = date.toISOString();
  const fraction = String(all - millis * 1000000n).padStart(6, '0');
  const clock = text.slice(text.indexOf('T') + 1, -1);
  return withDay ? text.slice(0, text.indexOf('T')) + ' ' + clock + fraction + ' UTC' : clock;
}

const lastName = (path) => path.slice(path.lastIndexOf('.') + 1);
const codeText = (number, width) => '0x' + BigInt(number).toString(16).padStart(Math.ceil(width / 4), '0');

// piecesOf lists the pieces of a packet with their places.
function piecesOf(packet) {
  if (packet.shape < 0) return [];
  let bit = 0;
  return data.shapes[packet.shape].map((index, i) => {
    const [path, kind, width, order, allowed, hidden] = data.slots[index];
    const value = packet.values[i];
    const [code, text] = value >= 0 ? [codeText(value, width), String(value)] : data.texts[-1 - value];
    const placed = hidden < 2; // else it is in the masked piece before it, nobody says where
    const piece = { path, kind, width, order, allowed, hidden: hidden === 1, bit: placed ? bit : null, code, text, refused: kind === 'refused' };
    if (placed) bit += width;
    return piece;
  });
}

// bytesOf is what the capture has of the packet, secrets zeroed.
function bytesOf(packet) {
  const text = atob(packet.payload);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// outcomeOf is a packet's verdict in a line.
function outcomeOf(packet) {
  const r = packet.refusal;
  if (r) return 'reject ' + r.path + ': ' + r.kind + ' at bit ' + (r.bit ?? '‹secret›') + ': ' + r.message;
  return verdicts[packet.verdict] + (packet.notes.length ? ', note ' + packet.notes[0] : '');
}
