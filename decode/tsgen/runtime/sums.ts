// Checksums.
class Sum {
  row: SumRow;
  poly: Word;
  table: Uint32Array | null = null; // of a CRC: both halves for each byte

  constructor(row: SumRow) {
    this.row = row;
    this.poly = row.poly ?? ZERO;
  }
}

// reverse turns the n bits of a word around.
function reverse(h: number, l: number, n: number): void {
  let rh = 0, rl = 0;
  for (let i = 0; i < n; i++) {
    const b = (i >= 32 ? h >>> (i - 32) : l >>> i) & 1, to = n - 1 - i;
    if (to >= 32) rh |= b << (to - 32);
    else rl |= b << to;
  }
  give(rh, rl);
}

// lowest keeps the n lowest bits.
function lowest(h: number, l: number, n: number): void {
  if (n >= 64) give(h, l);
  else if (n >= 32) give(n === 32 ? 0 : h & ((1 << (n - 32)) - 1), l);
  else give(0, l & ((1 << n) - 1));
}

function crcTable(s: Sum): Uint32Array {
  if (s.table !== null) return s.table;
  const c = s.row, n = c.width, t = new Uint32Array(512);
  let ph = s.poly[0], pl = s.poly[1];
  if (c.refin) {
    reverse(ph, pl, n);
    ph = H;
    pl = L;
  }
  for (let i = 0; i < 256; i++) {
    let h = 0, l = i;
    if (!c.refin) {
      shiftLeft(0, i, n - 8);
      h = H;
      l = L;
    }
    for (let k = 0; k < 8; k++) {
      let out: number;
      if (c.refin) {
        out = l & 1;
        shiftRight(h, l, 1);
      } else {
        out = (n > 32 ? h >>> (n - 33) : l >>> (n - 1)) & 1;
        shiftLeft(h, l, 1);
        lowest(H, L, n);
      }
      h = out ? H ^ ph : H;
      l = out ? L ^ pl : L;
    }
    t[2 * i] = h;
    t[2 * i + 1] = l;
  }
  s.table = t;
  return t;
}

// Summing is a checksum that takes bytes in, one by one.
class Summing {
  h: number;
  l: number;
  b = 0;
  last = -1;

  constructor(init: Word) {
    this.h = init[0];
    this.l = init[1];
  }
}

const summing: { [kind: string]: (sum: Sum, s: Summing, b: number) => void } = {
  CRC: (sum, s, b) => {
    const t = crcTable(sum), n = sum.row.width;
    if (sum.row.refin) {
      const i = 2 * ((s.l & 0xff) ^ b);
      shiftRight(s.h, s.l, 8);
      s.h = (t[i] ^ H) >>> 0;
      s.l = (t[i + 1] ^ L) >>> 0;
      return;
    }
    shiftRight(s.h, s.l, n - 8);
    const i = 2 * ((L & 0xff) ^ b);
    shiftLeft(s.h, s.l, 8);
    lowest(H, L, n);
    s.h = (t[i] ^ H) >>> 0;
    s.l = (t[i + 1] ^ L) >>> 0;
  },
  BYTES: (_, s, b) => { s.l = (s.l + b) >>> 0; },
  XOR: (_, s, b) => { s.l ^= b; },
  FLETCHER: (sum, s, b) => {
    s.l = (s.l + b) % sum.poly[1];
    s.b = (s.b + s.l) % sum.poly[1];
  },
  FLETCHER32: (_, s, b) => {
    if (s.last < 0) {
      s.last = b;
      return;
    }
    s.l = (s.l + s.last + b * 256) % 65535;
    s.b = (s.b + s.l) % 65535;
    s.last = -1;
  },
  INTERNET: (_, s, b) => {
    if (s.last < 0) {
      s.last = b;
      return;
    }
    s.l += s.last * 256 + b;
    s.last = -1;
  },
};

// sumOf gives a checksum over the bytes from … to-1 of a datagram, in which its own, at `own`, count as zeros.
function sumOf(m: Machine, sum: Sum, from: number, to: number, own: number): void {
  const c = sum.row, s = new Summing(c.init ?? ZERO), take = summing[c.kind], behind = own + c.width / 8;
  if (c.kind === "CRC" && c.refin) {
    reverse(s.h, s.l, c.width);
    s.h = H;
    s.l = L;
  }
  const value = (p: PartRow): void => {
    const h = p.register === undefined ? (p.value ?? ZERO)[0] : m.rh[p.register];
    const l = p.register === undefined ? (p.value ?? ZERO)[1] : m.rl[p.register];
    for (let k = 0; k < p.size; k++) {
      shiftRight(h, l, 8 * (p.big ? p.size - 1 - k : k));
      take(sum, s, L & 0xff);
    }
  };
  c.parts.slice(0, c.prefixes).forEach(value);
  const zero = own >= from && behind <= to;
  for (let k = from; k < to; k++) take(sum, s, zero && k >= own && k < behind ? 0 : m.data[k]);
  c.parts.slice(c.prefixes).forEach(value);
  if (s.last >= 0) take(sum, s, 0);
  let h = s.h, l = s.l;
  if (c.kind === "CRC") {
    if (c.refin !== c.refout) {
      reverse(h, l, c.width);
      h = H;
      l = L;
    }
    const final = c.final ?? ZERO;
    h ^= final[0];
    l ^= final[1];
  } else if (c.kind === "BYTES") {
    if (c.negated) l = -l >>> 0;
    lowest(0, l, c.width);
    l = L;
  } else if (c.kind === "FLETCHER" || c.kind === "FLETCHER32") {
    l += s.b * 2 ** (c.width / 2);
  } else if (c.kind === "INTERNET") {
    while (l > 65535) l = Math.floor(l / 65536) + (l % 65536);
    l = 65535 - l;
  }
  const last = c.xor ?? ZERO;
  give(h ^ last[0], l ^ last[1]);
}
