// decodeWith reads one datagram. A machine is used again and again: nothing of a datagram before is seen.
function decodeWith<T>(p: Program, bytes: Uint8Array, params: Params | undefined): Decoded<T> {
  const m = p.machine, size = bytes.length, from = params?.from;
  if (size > p.max) {
    return { ok: false, kind: "datagram-size", path: "", bit: 0, width: 8 * size, want: String(p.max), got: String(size) };
  }
  const root = p.nodes[0].make();
  m.begin(bytes, size, from === "client" ? 1 : from === "server" ? 2 : 0, root);
  for (let left = p.most; !m.done; left--) {
    const op = p.ops[m.pc++];
    m.op = op;
    op.step(m, op);
    if (left < 0) refuse(m, "over-budget", m.bit, 0, null);
  }
  if (m.kind !== "") return describe(m);
  return { ok: true, value: root as T, bits: m.bit, notes: m.notes };
}
