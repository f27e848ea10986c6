// Expressions: a stack machine over words, whose stack is m.sh and m.sl. An instruction is given how many values there
// are, and says how many there are then.
function truth(m: Machine, at: number, v: boolean): number {
  m.sh[at] = 0;
  m.sl[at] = v ? 1 : 0;
  return at + 1;
}

function put(m: Machine, at: number): number {
  m.sh[at] = H;
  m.sl[at] = L;
  return at + 1;
}

function signedLess(ah: number, al: number, bh: number, bl: number, sx: boolean, sy: boolean): boolean {
  const na = sx && ah >= 0x80000000, nb = sy && bh >= 0x80000000;
  return na !== nb ? na : less(ah, al, bh, bl);
}

// found is the number of the row that the value at the top is in.
function found(m: Machine, i: Inst, at: number): number {
  return has(i.rows, i.sx ? (m.sh[at] ^ 0x80000000) >>> 0 : m.sh[at], m.sl[at]);
}

type Binary = (m: Machine, i: Inst, ah: number, al: number, bh: number, bl: number) => void;

function binary(compute: Binary): (m: Machine, i: Inst, sp: number) => number {
  return (m, i, sp) => {
    compute(m, i, m.sh[sp - 2], m.sl[sp - 2], m.sh[sp - 1], m.sl[sp - 1]);
    return put(m, sp - 2);
  };
}

const instructions: { [code: string]: (m: Machine, i: Inst, sp: number) => number } = {
  const: (m, i, sp) => (give(i.h, i.l), put(m, sp)),
  register: (m, i, sp) => (give(m.rh[i.a], m.rl[i.a]), put(m, sp)),
  rest: (m, _, sp) => (give(0, Math.floor(Math.max(m.stop - m.bit, 0) / 8)), put(m, sp)),
  peek: (m, i, sp) => (look(m.data, i.l, m.bit, i.a, m.bit, Math.min(m.stop, m.seen)), put(m, sp)),
  tail: (m, i, sp) => (look(m.data, i.l, m.stop - i.a, i.a, m.bit, Math.min(m.stop, m.seen)), put(m, sp)),
  from: (m, i, sp) => truth(m, sp, m.from !== 0 && m.from === i.a),
  here: (m, i, sp) => (give(0, m.bit + (-m.bit & (i.a - 1))), put(m, sp)),
  flag: (m, i, sp) => truth(m, sp - 1, (m.sh[sp - 1] & i.h) !== 0 || (m.sl[sp - 1] & i.l) !== 0),
  neg: (m, _, sp) => (subtract(0, 0, m.sh[sp - 1], m.sl[sp - 1]), put(m, sp - 1)),
  not: (m, _, sp) => (give(m.sh[sp - 1], m.sl[sp - 1] ^ 1), put(m, sp - 1)),
  in: (m, i, sp) => truth(m, sp - 1, found(m, i, sp - 1) >= 0),
  table: (m, i, sp) => {
    const at = found(m, i, sp - 1);
    if (at >= 0) give(i.rows[at][4], i.rows[at][5]);
    else give(i.h, i.l);
    return put(m, sp - 1);
  },
  add: binary((_m, _i, ah, al, bh, bl) => add(ah, al, bh, bl)),
  sub: binary((_m, _i, ah, al, bh, bl) => subtract(ah, al, bh, bl)),
  mul: binary((_m, _i, ah, al, bh, bl) => multiply(ah, al, bh, bl)),
  div: binary((_m, i, ah, al, bh, bl) => divide(ah, al, bh, bl, i.sx, i.sy, false)),
  mod: binary((_m, i, ah, al, bh, bl) => divide(ah, al, bh, bl, i.sx, i.sy, true)),
  and: binary((_m, _i, ah, al, bh, bl) => give(ah & bh, al & bl)),
  or: binary((_m, _i, ah, al, bh, bl) => give(ah | bh, al | bl)),
  xor: binary((_m, _i, ah, al, bh, bl) => give(ah ^ bh, al ^ bl)),
  shl: binary((_m, _i, ah, al, _bh, bl) => shiftLeft(ah, al, bl & 63)),
  shr: binary((_m, i, ah, al, _bh, bl) => (i.sx ? shiftSigned : shiftRight)(ah, al, bl & 63)),
  eq: binary((_m, i, ah, al, bh, bl) => give(0, ah === bh && al === bl && (ah < 0x80000000 || i.sx === i.sy) ? 1 : 0)),
  lt: binary((_m, i, ah, al, bh, bl) => give(0, signedLess(ah, al, bh, bl, i.sx, i.sy) ? 1 : 0)),
  le: binary((_m, i, ah, al, bh, bl) => give(0, signedLess(bh, bl, ah, al, i.sy, i.sx) ? 0 : 1)),
};

// valueOf gives the number of a code: the bits of two's complement, 65 where the sign is in bit 0, or 0.
function valueOf(h: number, l: number, extension: number, base: Word): void {
  if (extension === 65) {
    const flip = l & 1 ? 0xffffffff : 0;
    shiftRight(h, l, 1);
    give(H ^ flip, L ^ flip);
    return;
  }
  add(h, l, base[0], base[1]);
  if (extension > 0) extend(H, L, extension);
}

// leafValue gives the number of a leaf's code of so many bits.
function leafValue(leaf: Leaf, h: number, l: number, width: number): void {
  valueOf(h, l, leaf.zigzag ? 65 : leaf.twos ? width : 0, leaf.base);
}

// evaluate gives an operand.
function evaluate(m: Machine, operand: number): void {
  const o = m.p.operands[operand];
  if (o.kind === CONSTANT) give(o.h, o.l);
  else if (o.kind === REGISTER) give(m.rh[o.r], m.rl[o.r]);
  else if (o.kind === LEAF) {
    m.word[0] = o.h;
    m.word[1] = o.l;
    valueOf(m.codeH[o.r], m.codeL[o.r], o.x, m.word);
  } else {
    let sp = 0;
    for (const i of o.code) sp = i.run(m, i, sp);
    give(m.sh[0], m.sl[0]);
  }
}
