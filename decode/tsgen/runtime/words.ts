// Words of 64 bits are two numbers, the upper and the lower 32 bits, without signs. A function that gives a word leaves
// its halves in H and L: nothing is allocated for them.
const P32 = 4294967296;
const scratch = new DataView(new ArrayBuffer(8));
let H = 0;
let L = 0;

function give(h: number, l: number): void {
  H = h >>> 0;
  L = l >>> 0;
}

function add(ah: number, al: number, bh: number, bl: number): void {
  const l = al + bl;
  give(ah + bh + (l >= P32 ? 1 : 0), l);
}

function subtract(ah: number, al: number, bh: number, bl: number): void {
  const l = al - bl;
  give(ah - bh - (l < 0 ? 1 : 0), l);
}

// less compares without signs.
function less(ah: number, al: number, bh: number, bl: number): boolean {
  return ah < bh || (ah === bh && al < bl);
}

function multiply(ah: number, al: number, bh: number, bl: number): void {
  const a0 = al & 0xffff, a1 = al >>> 16, b0 = bl & 0xffff, b1 = bl >>> 16;
  const p1 = a1 * b0 + ((a0 * b0) >>> 16);
  const p2 = a0 * b1 + (p1 & 0xffff);
  const high = a1 * b1 + (p1 >>> 16) + (p2 >>> 16);
  give(high + Math.imul(ah, bl) + Math.imul(al, bh), Math.imul(al, bl));
}

function shiftLeft(h: number, l: number, n: number): void {
  if (n === 0) give(h, l);
  else if (n >= 32) give(l << (n - 32), 0);
  else give((h << n) | (l >>> (32 - n)), l << n);
}

function shiftRight(h: number, l: number, n: number): void {
  if (n === 0) give(h, l);
  else if (n >= 32) give(0, h >>> (n - 32));
  else give(h >>> n, (l >>> n) | (h << (32 - n)));
}

// shiftSigned is shiftRight of a number whose sign is in its highest bit.
function shiftSigned(h: number, l: number, n: number): void {
  if (n === 0) give(h, l);
  else if (n >= 32) give(h >> 31, h >> (n - 32));
  else give(h >> n, (l >>> n) | (h << (32 - n)));
}

// extend makes a number of 64 bits of the two's complement in the lowest n, 1 to 64.
function extend(h: number, l: number, n: number): void {
  if (n >= 64) give(h, l);
  else if (n > 32) give((h << (64 - n)) >> (64 - n), l);
  else {
    const v = (l << (32 - n)) >> (32 - n);
    give(v < 0 ? -1 : 0, v);
  }
}

// bitsOf is how many bits a number takes.
function bitsOf(h: number, l: number): number {
  return h > 0 ? 64 - Math.clz32(h) : 32 - Math.clz32(l);
}

function bigOf(h: number, l: number, signed: boolean): bigint {
  scratch.setUint32(0, h);
  scratch.setUint32(4, l);
  return signed ? scratch.getBigInt64(0) : scratch.getBigUint64(0);
}

// numberOf is a word as a number of TypeScript: a bigint where its type needs more than 53 bits.
function numberOf(h: number, l: number, signed: boolean, wide: boolean): number | bigint {
  if (wide) return bigOf(h, l, signed);
  return (signed ? h | 0 : h) * P32 + l;
}

function divide(ah: number, al: number, bh: number, bl: number, sx: boolean, sy: boolean, rest: boolean): void {
  if (bh === 0 && bl === 0) return give(0, 0);
  const a = bigOf(ah, al, sx), b = bigOf(bh, bl, sy);
  const q = BigInt.asUintN(64, rest ? a % b : a / b);
  give(Number(q >> 32n), Number(q & 0xffffffffn));
}

// count is a word as a number; one above 53 bits is rounded, and above all that there can be.
function count(h: number, l: number): number {
  return h * P32 + l;
}

function decimal(h: number, l: number, signed: boolean): string {
  if (h < 2097152) return String(h * P32 + l);
  return bigOf(h, l, signed).toString();
}

function hexadecimal(h: number, l: number, digits: number): string {
  const low = l.toString(16);
  return "0x" + (h > 0 ? h.toString(16) + low.padStart(8, "0") : low).padStart(digits, "0");
}

// has is the number of the interval that a word is in, -1 for none. They are sorted and apart.
function has(set: readonly Interval[], h: number, l: number): number {
  let lo = 0, hi = set.length;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1, r = set[mid];
    if (less(r[2], r[3], h, l)) lo = mid + 1;
    else hi = mid;
  }
  return lo < set.length && !less(h, l, set[lo][0], set[lo][1]) ? lo : -1;
}
