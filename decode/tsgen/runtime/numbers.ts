// Numbers whose width is found on the way. take reads n bits of one.
function take(m: Machine, op: Op, n: number): boolean {
  if (!fits(m, n, m.p.leaves[op.a])) return false;
  read(m, op.order, m.bit, n);
  m.bit += n;
  return true;
}

// A number's words give its code in H and L. REFUSED is the kind that it is refused with by itself, ODDITY what is odd.
let REFUSED = "";

const numbers: { [kind: string]: (m: Machine, op: Op, x: NumberRow) => void } = {
  sized: (m, op, x) => {
    evaluate(m, x.operand);
    if (H > 0 || L > 64) refuse(m, "out-of-range", m.bit, 0, m.p.leaves[op.a], H, L, 0, x.bits);
    else take(m, op, L);
  },
  ranged: (m, op, x) => {
    evaluate(m, x.operand);
    if (signedLess(H, L, x.lo[0], x.lo[1], x.signed ?? false, x.signed ?? false)) {
      refuse(m, "out-of-range", m.bit, 0, m.p.leaves[op.a], H, L, x.lo[0], x.lo[1]);
      return;
    }
    subtract(H, L, x.lo[0], x.lo[1]);
    const h = H, l = L;
    if (take(m, op, bitsOf(h, l)) && less(h, l, H, L)) REFUSED = "out-of-range";
  },
  varint: (m, op, x) => {
    const groups = Math.floor((x.bits + 6) / 7);
    let h = 0, l = 0, over = false;
    for (let g = 0; g < groups; g++) {
      if (!take(m, op, 8)) return;
      const b = L, part = b & 0x7f;
      over = over || bitsOf(0, part) + 7 * g > x.bits;
      if (part > 0 && (g < 9 || part <= 1)) {
        shiftLeft(0, part, 7 * g);
        h = (h | H) >>> 0;
        l = (l | L) >>> 0;
      } else if (part > 0) h = l = 0xffffffff;
      if (b >= 0x80 && g < groups - 1) continue;
      if (b >= 0x80) over = true;
      else if (b === 0 && g > 0) {
        REFUSED = "non-canonical";
        over = false;
      }
      if (over) REFUSED = "out-of-range";
      break;
    }
    give(h, l);
  },
  below: (m, op, x) => {
    evaluate(m, x.operand);
    const limit = count(H, L);
    let got = 0;
    for (let mask = 1; got + mask < limit; mask *= 2) {
      if (!take(m, op, 1)) return;
      got += L * mask;
    }
    give(Math.floor(got / P32), got % P32);
  },
  ladder: (m, op, x) => {
    evaluate(m, x.operand);
    const ph = H, pl = L, step = climb(m, op, RELATIVE);
    if (m.done) return;
    if (step < 0) {
      if (!take(m, op, 32)) return;
    } else {
      add(ph, pl, 0, step);
      if (less(H, L, ph, pl)) REFUSED = "out-of-range";
    }
    if (REFUSED !== "") return;
    if (H > 0 || L > 0x7fffffff) REFUSED = "out-of-range";
    else if (!less(ph, pl, H, L)) REFUSED = "not-increasing";
    else if (step < 0 && L - pl <= 69914) ODDITY = "non-canonical";
  },
};

const RELATIVE = [[1, 1], [2, 6], [7, 23], [24, 280], [281, 4377], [4378, 69914]];
const ASCENDING = [[1, 1], [2, 5], [6, 13], [14, 29], [30, 61], [62, 125]];

// climb is a step, -1 on the last rung.
function climb(m: Machine, op: Op, rungs: number[][]): number {
  for (const [lo, hi] of rungs) {
    if (!take(m, op, 1)) return 0;
    if (L === 0) continue;
    if (!take(m, op, bitsOf(0, hi - lo))) return 0;
    if (L > hi - lo) REFUSED = "out-of-range";
    return L + lo;
  }
  return -1;
}

// indexed reads an index of a subset; the one before is signed, since -1 comes before the first.
function indexed(m: Machine, op: Op, x: NumberRow): void {
  const start = m.bit, register = x.previous as number;
  const previous = (m.rh[register] | 0) * P32 + m.rl[register];
  let leaf = m.p.leaves[op.a];
  REFUSED = "";
  if (x.kind === "index") {
    if (!take(m, op, x.bits)) return;
  } else {
    const step = climb(m, op, ASCENDING), span = x.most + 1 - 126;
    let code = previous + step;
    if (m.done) return;
    if (step < 0 && span < 0) {
      REFUSED = "out-of-range";
      code = previous;
    } else if (step < 0) {
      if (!take(m, op, bitsOf(0, span))) return;
      if (L > span) REFUSED = "out-of-range";
      code = L + 126 + previous;
    }
    give(Math.floor(code / P32), code);
  }
  const h = H, l = L, code = count(h, l); // where that is rounded, it is above the most
  const list = x.ends ? m.loops[m.p.ops[op.c].a] : null, ended = list !== null && code === x.most;
  if (REFUSED === "") {
    if (code > x.most || (x.any && list !== null && !ended && list.n > x.most)) REFUSED = "out-of-range";
    else if (code <= previous) REFUSED = "not-increasing";
  }
  const width = m.bit - start;
  if (REFUSED !== "") {
    m.bit = start;
    refuse(m, REFUSED, start, width, leaf, h, l);
    return;
  }
  if (!x.any) {
    m.rh[register] = h;
    m.rl[register] = l;
  }
  if (list !== null && ended) {
    list.n--;
    leave(m, list);
    leaf = m.p.leaves[x.last as number];
  }
  keepLeaf(m, leaf, h, l, width);
  last(m, h, l, start, width);
}

// last remembers the leaf that was read last.
function last(m: Machine, h: number, l: number, bit: number, width: number): void {
  m.lastH = h;
  m.lastL = l;
  m.lastBit = bit;
  m.lastWidth = width;
}

function stepNumber(m: Machine, op: Op): void {
  const x = m.p.numbers[op.b], leaf = m.p.leaves[op.a], start = m.bit;
  if (x.kind === "index" || x.kind === "step") return indexed(m, op, x);
  REFUSED = ODDITY = "";
  numbers[x.kind](m, op, x);
  if (m.done) return;
  const h = H, l = L, width = m.bit - start, odd = ODDITY as NoteKind | "";
  let kind = REFUSED;
  ODDITY = "";
  if (kind === "") kind = judge(leaf, h, l, width);
  else if (kind === "out-of-range" && leaf.as === "cases") kind = "unknown-case";
  else if (kind === "out-of-range" && leaf.as === "flags" && ((h & ~leaf.want[0]) !== 0 || (l & ~leaf.want[1]) !== 0)) kind = "reserved-nonzero";
  if (kind !== "") {
    m.bit = start;
    return refuse(m, kind, start, width, leaf, h, l);
  }
  const other = ODDITY as NoteKind | "";
  if (odd !== "") note(m, odd, start, leaf);
  if (other !== "") note(m, other, start, leaf);
  keepLeaf(m, leaf, h, l, width);
  last(m, h, l, start, width);
  if (x.register !== undefined) {
    leafValue(leaf, h, l, width);
    m.rh[x.register] = H;
    m.rl[x.register] = L;
    place(m, x.register, start, width);
  }
}
