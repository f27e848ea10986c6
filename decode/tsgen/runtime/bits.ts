// The orders of bits. What is read is there, and lies in front of the zeros that a copied datagram has behind it.
const LSB = 0;
const MSB = 1;

function low(view: DataView, bit: number, n: number): number { // n ≤ 32
  const at = bit >>> 3, s = bit & 7;
  let v = view.getUint32(at, true) >>> s;
  if (s + n > 32) v |= view.getUint8(at + 4) << (32 - s);
  return n === 32 ? v >>> 0 : v & ((1 << n) - 1);
}

function high(view: DataView, bit: number, n: number): number { // n ≤ 32
  if (n === 0) return 0;
  const at = bit >>> 3, s = bit & 7;
  let v = view.getUint32(at) << s;
  if (s + n > 32) v |= view.getUint8(at + 4) >>> (8 - s);
  return v >>> (32 - n);
}

function bytewise(view: DataView, bit: number, n: number): number { // n ≤ 32
  let v = 0;
  for (let got = 0; got < n; ) {
    const free = 8 - (bit & 7), g = Math.min(n - got, 8);
    const b = g <= free ? high(view, bit, g) : high(view, bit, free) | (high(view, bit + free, g - free) << free);
    v |= b << got;
    bit += g;
    got += g;
  }
  return v >>> 0;
}

// load gives the n bits at a bit, at most 64.
function load(view: DataView, order: number, bit: number, n: number): void {
  if (order === LSB) {
    L = low(view, bit, n < 32 ? n : 32);
    H = n > 32 ? low(view, bit + 32, n - 32) : 0;
  } else if (order === MSB) {
    if (n > 32) {
      H = high(view, bit, n - 32);
      L = high(view, bit + n - 32, 32);
    } else {
      H = 0;
      L = high(view, bit, n);
    }
  } else {
    L = bytewise(view, bit, n < 32 ? n : 32);
    H = n > 32 ? bytewise(view, bit + 32, n - 32) : 0;
  }
}

// look gives the n bits at p of which only those from `from` up to `to` count.
function look(data: Uint8Array, order: number, p: number, n: number, from: number, to: number): void {
  let h = 0, l = 0;
  for (let k = 0; k < n; k++) {
    let i: number;
    if (order === LSB) i = p + k;
    else if (order === MSB) i = p + n - 1 - k;
    else {
      const group = k >> 3, b = k & 7, q = p + group * 8, g = Math.min(8, n - group * 8), free = 8 - (q & 7);
      if (g <= free) i = q + g - 1 - b;
      else if (b < free) i = q + free - 1 - b;
      else i = q + free + g - 1 - b;
    }
    if (i < from || i >= to) continue;
    const v = (data[i >>> 3] >>> (order === LSB ? i & 7 : 7 - (i & 7))) & 1;
    if (k >= 32) h |= v << (k - 32);
    else l |= v << k;
  }
  give(h, l);
}

// turn gives a word of n bits with its bytes turned around.
function turn(h: number, l: number, n: number): void {
  let th = 0, tl = 0;
  for (let i = 0; i < n; i += 8) {
    const b = (i >= 32 ? h >>> (i - 32) : l >>> i) & 0xff, to = n - 8 - i;
    if (to >= 32) th |= b << (to - 32);
    else tl |= b << to;
  }
  give(th, tl);
}
