// The steps, by the words of ops.
function stepRun(m: Machine, op: Op): void {
  const start = m.bit, leaves = op.leaves, whole = op.c <= m.stop - start, inside = start + op.c <= m.room, order = op.order;
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i], bit = start + leaf.off, width = leaf.width;
    if (!whole) {
      m.bit = bit;
      if (!fits(m, width, leaf)) return;
    }
    let h = 0, l: number;
    if (inside && width <= 32 && order <= MSB && !leaf.swap) l = order === LSB ? low(m.view, bit, width) : high(m.view, bit, width);
    else {
      if (inside) load(m.view, order, bit, width);
      else read(m, order, bit, width);
      if (leaf.swap) turn(H, L, width);
      h = H;
      l = L;
    }
    if (h !== 0 || l < leaf.least || l > leaf.most) {
      const kind = judge(leaf, h, l, width);
      m.bit = bit;
      if (kind !== "") return refuse(m, kind, bit, width, leaf, h, l);
      if (ODDITY !== "") note(m, ODDITY as NoteKind, bit, leaf);
    }
    m.codeH[i] = h;
    m.codeL[i] = l;
    keepLeaf(m, leaf, h, l, width);
  }
  const end = leaves.length - 1;
  last(m, m.codeH[end], m.codeL[end], start + leaves[end].off, leaves[end].width);
  m.run = op;
  m.runBit = start;
  m.bit = start + op.c;
}

function stepSave(m: Machine, op: Op): void {
  const leaf = m.run.leaves[op.b];
  m.word[0] = op.ih;
  m.word[1] = op.il;
  valueOf(m.codeH[op.b], m.codeL[op.b], op.c, m.word);
  m.rh[op.a] = H;
  m.rl[op.a] = L;
  place(m, op.a, m.runBit + leaf.off, leaf.width);
}

function stepSum(m: Machine, op: Op): void {
  const sum = m.p.sums[op.b], c = sum.row, leaf = m.p.leaves[op.a];
  if (!fits(m, c.width, leaf)) return;
  const own = Math.floor(m.bit / 8), size = m.seen / 8;
  let from = 0, to = own;
  if (c.from !== undefined) from = Math.floor(count(m.rh[c.from], m.rl[c.from]) / 8);
  else if (c.own) from = Math.floor((m.bit + c.width) / 8);
  if (c.to !== undefined) to = Math.floor(count(m.rh[c.to], m.rl[c.to]) / 8);
  else if (c.around) to = c.windowed ? Math.floor(m.stop / 8) : size;
  to = Math.min(to, size);
  read(m, op.order, m.bit, c.width);
  if (c.swap) turn(H, L, c.width);
  const h = H, l = L;
  sumOf(m, sum, Math.min(from, to), to, own);
  if (h !== H || l !== L) return refuse(m, "crc-mismatch", m.bit, c.width, leaf, h, l, H, L);
  keepLeaf(m, leaf, h, l, c.width);
  last(m, h, l, m.bit, c.width);
  m.bit += c.width;
}

function stepUnit(m: Machine, op: Op): void {
  const width = 2 + 3 * op.c, start = m.bit - width;
  let left = 1, most = 0;
  for (let i = 1; i <= 3; i++) {
    const v = smallestPart(m.codeL[op.b + i], op.c);
    left = Math.fround(left - Math.fround(v * v));
    most = Math.max(most, Math.abs(v));
  }
  if (left < 0) {
    read(m, op.order, start, Math.min(width, 64));
    return refuse(m, "non-unit", start, width, null, H, L);
  }
  if (most * most > left) note(m, "non-canonical", start, null);
}

function stepBlob(m: Machine, op: Op): void {
  const b = m.p.blobs[op.a], text = b.text ?? "", sized = text === "string" || text === "wstring", encoding = b.encoding ?? "";
  let start = sized ? m.lastBit : m.bit;
  if (!op.packed && !pad(m, op, 8, false)) return;
  if (!sized) start = m.bit;
  let n = b.max;
  if (text === "cstring") {
    for (n = 0; ; n++) {
      if (n === b.max) return refuseText(m, m.bit, 8 * n, NO_END, 0, n);
      if (m.stop - m.bit - 8 * n < 8) return void fits(m, 8 * n + 8, null);
      read(m, op.order, m.bit + 8 * n, 8);
      if (L === 0) break;
    }
  } else if (text === "name") {
    let data = m.data;
    if (m.room < m.seen) {
      data = new Uint8Array(m.stop / 8 + 8);
      data.set(m.data.subarray(0, m.room / 8));
    }
    if (badName(data, m.bit / 8, Math.floor(m.stop / 8))) {
      if (nameCut) fits(m, 8 * nameSize, null);
      else refuseFault(m, m.bit, 8 * nameSize, true);
      return;
    }
    n = nameSize;
  } else if (b.rest) {
    n = Math.floor(Math.max(Math.min(m.stop, m.clip) - m.bit, 0) / 8);
  } else if (b.size !== undefined) {
    evaluate(m, b.size);
    n = count(H, L);
    if (n > b.max) return refuse(m, "out-of-range", m.bit, 0, null, H, L, 0, b.max);
  }
  if (n > b.max) return refuseCount(m, "out-of-range", m.bit, 0, n, b.max);
  const size = b.unit * n + (text === "cstring" ? 8 : 0);
  if (!fits(m, size, null)) return;
  const width = m.bit + size - start;
  let value: Value;
  if (text === "name") value = nameText;
  else if (text === "wstring") {
    const units: number[] = [];
    for (let i = 0; i < n; i++) {
      read(m, op.order, m.bit + 32 * i, 32);
      units.push(L);
    }
    if (badWide(units)) return refuseFault(m, start, width, false);
    value = unitsText(units);
    if (b.same !== undefined && wrong(m, b, utf8Of(value), start, width)) return;
  } else {
    let data = bytesAt(m, op.order, m.bit, n);
    if (badText(text, data)) return refuseFault(m, start, width, false);
    if (text === "char" && data.indexOf(0) >= 0) data = data.subarray(0, data.indexOf(0));
    if (badEncoding(encoding, data)) return refuseFault(m, start, width, false);
    if (encoding === "" && b.same !== undefined && wrong(m, b, data, start, width)) return;
    value = b.bytes ? data : decoded(encoding, data);
  }
  const node = op.node as Place, at = node.holder as Place;
  keep(m.slots[at.id] ?? open(m, at), node, value);
  m.bit += size;
}

// wrong judges `==` and `!=`.
function wrong(m: Machine, b: BlobRow, data: Uint8Array, start: number, width: number): boolean {
  if (isSame(data, b.same as string) === (b.equal ?? false)) return false;
  refuse(m, "const-mismatch", start, width, null);
  m.bytes = data;
  return true;
}

function refuseText(m: Machine, bit: number, width: number, rule: string, at: number, got: number, of = " at byte "): void {
  refuse(m, "bad-string", bit, width, null);
  fault(rule, at, got, of);
}

function refuseFault(m: Machine, bit: number, width: number, name: boolean): void {
  refuseText(m, bit, width, faultRule, faultAt, faultGot, name ? " of the datagram" : faultOf);
}

function stepWindow(m: Machine, op: Op): void {
  if (!op.packed && !pad(m, op, 8, false)) return;
  evaluate(m, op.a);
  const left = m.stop - m.bit, fit = Math.floor(left / op.c);
  if (m.p.operands[op.a].signed && H >= 0x80000000) return refuse(m, "out-of-range", m.bit, 0, null, H, L, Math.floor(fit / P32), fit % P32);
  const size = count(H, L);
  if (size > fit) {
    if (op.c === 8 && H >= 0x20000000) give(0xffffffff, 0xffffffff);
    else if (op.c === 8) shiftLeft(H, L, 3);
    return refuse(m, "past-end", m.bit, Math.min(count(H, L), Number.MAX_SAFE_INTEGER), null, 0, left, H, L);
  }
  m.stops[op.b] = m.stop;
  m.rooms[op.b] = m.room;
  m.stop = m.bit + size * op.c;
  if (size * op.c < op.il) { // all behind its end is zeros
    m.room = Math.min(m.room, m.stop);
    m.clip = m.stop;
    m.stop = m.bit + op.il;
  }
}

function stepClose(m: Machine, op: Op): void {
  const stop = Math.min(m.stop, m.clip), left = stop - m.bit;
  if (left >= 8) return refuseCount(m, "trailing-bytes", m.bit, left, left, 0);
  if (left > 0 && !zeros(m, op, left, false, "nonzero-padding")) return;
  m.bit = stop;
  m.stop = m.stops[op.b];
  m.room = m.rooms[op.b];
  m.clip = FAR;
}

function stepArray(m: Machine, op: Op): void {
  evaluate(m, op.c);
  const n = count(H, L);
  if (n > op.most) return refuse(m, "out-of-range", m.bit, 0, null, H, L, op.ih, op.il);
  const list = enter(m, op, n - 1);
  if (n === 0) return leave(m, list);
  element(m, list);
}

function stepMore(m: Machine, op: Op): void {
  const list = m.loops[m.p.ops[op.a].a] as List;
  let on = true;
  if (op.c === 1) on = m.stop - m.bit >= op.il;
  else if (op.c === 2) {
    evaluate(m, op.b);
    on = H > 0 || L > 0;
  }
  if (!on) return leave(m, list);
  if (list.left === 0) {
    m.list = list.up;
    m.index = list.index;
    return refuseCount(m, "out-of-range", m.bit, 0, list.op.most + 1, list.op.most);
  }
  list.left--;
  list.n++;
  element(m, list);
}

function stepSlot(m: Machine, op: Op): void {
  const list = m.loops[m.p.ops[op.a].a] as List, flag = m.p.leaves[op.b], leaf = m.p.leaves[op.c];
  while (list.left > 0) {
    const at = op.most - list.left, index = m.index;
    m.list = list.up;
    m.index = list.index;
    if (!fits(m, 1, flag)) return;
    read(m, op.order === LSB ? LSB : MSB, m.bit, 1);
    const l = L;
    keepLeaf(m, flag, 0, l, 1);
    m.bit++;
    m.list = list;
    m.index = index;
    list.left--;
    if (l === 0) continue;
    list.n++;
    element(m, list);
    keepLeaf(m, leaf, 0, at, 0);
    return last(m, 0, at, m.bit, 0);
  }
  leave(m, list);
}

function stepUntil(m: Machine, op: Op): void {
  evaluate(m, op.b);
  if (H > 0 || L > 0) leave(m, m.loops[m.p.ops[op.a].a] as List);
}

function stepNext(m: Machine, op: Op): void {
  const start = m.p.ops[op.a], list = m.loops[start.a] as List;
  if (start.code === "array") {
    if (list.left === 0) return leave(m, list);
    list.left--;
    element(m, list);
  }
  m.pc = op.a + 1;
}

function stepIf(m: Machine, op: Op): void {
  evaluate(m, op.a);
  if (H === 0 && L === 0) m.pc = op.b;
}

function stepSwitch(m: Machine, op: Op): void {
  const s = m.p.switches[op.b];
  evaluate(m, op.a);
  const h = H, l = L, arm = has(s.arms, s.signed ? (h ^ 0x80000000) >>> 0 : h, l);
  if (arm >= 0) {
    m.pc = s.arms[arm][4];
    return;
  }
  let bit = m.bit, width = Math.min(s.look, m.stop - m.bit);
  if (s.tail) bit = Math.max(bit, m.stop - s.look);
  const tag = m.p.operands[op.a];
  if (tag.kind === LEAF) {
    bit = m.runBit + m.run.leaves[tag.r].off;
    width = m.run.leaves[tag.r].width;
  } else if (s.register !== undefined && m.placed[2 * s.register] >= 0) {
    bit = m.placed[2 * s.register];
    width = m.placed[2 * s.register + 1];
  }
  refuse(m, "unknown-case", bit, width, null, h, l);
}

function stepLet(m: Machine, op: Op): void {
  evaluate(m, op.b);
  const h = H, l = L, leaf = m.p.leaves[op.c];
  m.rh[op.a] = h;
  m.rl[op.a] = l;
  m.placed[2 * op.a] = -1;
  if (op.judged) {
    const kind = judge(leaf, h, l, 0);
    if (kind !== "") return refuse(m, kind, m.bit, 0, leaf, h, l);
  }
  if (!op.shown) return;
  keepLeaf(m, leaf, h, l, 0);
  last(m, h, l, m.bit, 0);
}

function stepRequire(m: Machine, op: Op): void {
  evaluate(m, op.a);
  if (H > 0 || L > 0) return;
  const q = m.p.requires[op.b];
  if (!q.bounds) return refuse(m, "rule-broken", m.bit, 0, null, 0, Math.floor((m.stop - m.bit) / 8));
  m.bit = m.lastBit;
  refuse(m, "out-of-range", m.lastBit, m.lastWidth, null, m.lastH, m.lastL);
}

function stepMark(m: Machine, op: Op): void {
  m.rh[op.a] = Math.floor(m.bit / P32);
  m.rl[op.a] = m.bit % P32;
  m.placed[2 * op.a] = -1;
}

function stepEnd(m: Machine): void {
  const left = m.stop - m.bit;
  m.done = true;
  if (left >= 8) return refuseCount(m, "trailing-bytes", m.bit, left, left, 0);
  if (left <= 0) return;
  read(m, m.p.order, m.bit, left);
  if (H > 0 || L > 0) note(m, "trailing-bits", m.bit, null);
}

const steps: { [code: string]: (m: Machine, op: Op) => void } = {
  run: stepRun, save: stepSave, crc: stepSum, number: stepNumber, unit: stepUnit, blob: stepBlob, window: stepWindow, close: stepClose,
  array: stepArray, more: stepMore, slot: stepSlot, until: stepUntil, next: stepNext, if: stepIf, switch: stepSwitch, let: stepLet,
  require: stepRequire, mark: stepMark, end: stepEnd,
  align: (m, op) => void pad(m, op, op.a, op.any),
  reserved: (m, op) => {
    if (zeros(m, op, op.a, op.any, "reserved-nonzero")) keepNothing(m, op.node);
  },
  repeat: (m, op) => void enter(m, op, op.most),
  jump: (m, op) => { m.pc = op.a; },
  from: (m, op) => {
    if (m.from !== 0 && m.from !== op.b) note(m, "wrong-direction", m.rl[op.a], null);
  },
  struct: (m, op) => {
    const n = op.node as Place;
    if (m.slots[n.id] === undefined && n.up !== null) open(m, n);
  },
};
