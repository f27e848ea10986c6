// The machine that reads a datagram: the flat program of `pktscope schema plan`, op for op. It stops at the first thing
// that is wrong. Positions are bits. Beside what the schema proves, a count of steps ends it.
const FAR = 2 ** 52;
const MOST_NOTES = 32;

type Value = number | bigint | string | boolean | null | Uint8Array | Value[] | { [name: string]: Value };
type Struct = { [name: string]: Value };
type Holder = Value[] | Struct;

// A List is one that is being read.
class List {
  op: Op;
  up: List | null; // around it, with the element that it is in
  index: number;
  left: number;
  n = 0;

  constructor(op: Op, up: List | null, index: number, left: number) {
    this.op = op;
    this.up = up;
    this.index = index;
    this.left = left;
  }
}

class Machine {
  p: Program;
  data: Uint8Array; // a copy of the datagram, with zeros behind it
  view: DataView; // of data
  word: number[] = [0, 0];
  room = 0; // bits from here on are zeros
  seen = 0; // bits of the datagram
  stop = 0;
  clip = FAR; // what is behind it is not in the datagram: a window that is filled with zeros
  bit = 0;
  pc = 0;
  from = 0;
  done = false;
  op: Op;
  rh: Uint32Array; // registers
  rl: Uint32Array;
  placed: Float64Array; // of each register: the first bit and the width of the leaf that it has, or -1
  sh: Uint32Array; // the stack of expressions
  sl: Uint32Array;
  codeH: Uint32Array; // the codes of the last run
  codeL: Uint32Array;
  run: Op; // that run, and where it began
  runBit = 0;
  lastH = 0; // the last leaf that was read
  lastL = 0;
  lastBit = 0;
  lastWidth = 0;
  list: List | null = null;
  index = 0;
  loops: (List | null)[];
  stops: Float64Array; // of the windows around
  rooms: Float64Array;
  slots: (Holder | undefined)[]; // the struct or list that each node is now
  notes: Note[] = [];
  noted = 0; // also of notes that tell a secret
  // The refusal.
  kind = "";
  at = 0;
  width = 0;
  leaf: Leaf | null = null;
  gotH = 0;
  gotL = 0;
  wantH = 0;
  wantL = 0;
  bytes: Uint8Array | null = null;

  constructor(p: Program, registers: number, widest: number, deepest: number, stack: number) {
    this.p = p;
    this.data = new Uint8Array(p.max + 16);
    this.view = new DataView(this.data.buffer);
    this.op = this.run = p.ops[0];
    this.rh = new Uint32Array(registers);
    this.rl = new Uint32Array(registers);
    this.placed = new Float64Array(2 * registers);
    this.sh = new Uint32Array(stack + 1);
    this.sl = new Uint32Array(stack + 1);
    this.codeH = new Uint32Array(widest);
    this.codeL = new Uint32Array(widest);
    this.loops = new Array<List | null>(deepest + 1).fill(null);
    this.stops = new Float64Array(deepest + 1);
    this.rooms = new Float64Array(deepest + 1);
    this.slots = new Array<Holder | undefined>(p.nodes.length).fill(undefined);
  }

  begin(bytes: Uint8Array, size: number, from: number, root: Holder): void {
    this.data.set(bytes);
    this.data.fill(0, size, size + 16);
    this.room = this.seen = this.stop = 8 * size;
    this.clip = FAR;
    this.bit = this.pc = this.index = 0;
    this.from = from;
    this.done = false;
    this.kind = "";
    this.leaf = null;
    this.bytes = null;
    this.list = null;
    this.notes = [];
    this.noted = 0;
    this.rh.fill(0);
    this.rl.fill(0);
    this.placed.fill(-1);
    for (const n of this.p.nodes[0].owned) this.slots[n.id] = undefined;
    this.slots[0] = root;
  }
}

// refuse stops where the machine is.
function refuse(m: Machine, kind: string, bit: number, width: number, leaf: Leaf | null, gotH = 0, gotL = 0, wantH = 0, wantL = 0): void {
  m.kind = kind;
  m.at = Math.min(bit, m.clip);
  m.width = m.clip === FAR ? width : Math.max(0, Math.min(bit + width, m.clip) - m.at);
  m.leaf = leaf;
  m.gotH = gotH;
  m.gotL = gotL;
  m.wantH = wantH;
  m.wantL = wantL;
  m.done = true;
}

// refuseCount is refuse of numbers that have no upper halves worth of halves.
function refuseCount(m: Machine, kind: string, bit: number, width: number, got: number, want: number): void {
  refuse(m, kind, bit, width, null, Math.floor(got / P32), got % P32, Math.floor(want / P32), want % P32);
}

function note(m: Machine, kind: NoteKind, bit: number, leaf: Leaf | null): void {
  if (++m.noted > MOST_NOTES) return;
  const hides = m.op.hides, node = leaf !== null ? leaf.node : m.op.node;
  if (hides.decided || (m.op.align && hides.bit) || (m.op.code === "end" && hides.bit)) return;
  if (kind !== "wrong-direction" && (leaf !== null ? leaf.node.secret : hides.node)) return;
  m.notes.push({ kind, path: pathOf(node, m.list, m.index), bit: hides.bit ? null : Math.min(bit, m.clip) });
}

// pathOf is where a node is: `body.players[2].health`.
function pathOf(node: Place | null, list: List | null, index: number): string {
  while (node !== null && node.item && !node.named) node = node.up;
  let path = "";
  while (node !== null && node.up !== null) {
    if (node.elem) {
      path = "[" + (list !== null ? String(index) : "") + "]" + path;
      if (list !== null) {
        index = list.index;
        list = list.up;
      }
    } else path = "." + node.name + path;
    node = node.up;
  }
  return path.startsWith(".") ? path.slice(1) : path;
}

// The values. A struct or a list is made when the first of it is read, and goes to the one around it.
function open(m: Machine, n: Place): Holder {
  const made: Holder = n.list ? [] : n.make(), up = n.up as Place;
  keep(m.slots[up.id] ?? open(m, up), n, made);
  m.slots[n.id] = made;
  return made;
}

function keep(holder: Holder, n: Place, value: Value): void {
  if (n.elem) (holder as Value[]).push(value);
  else n.set(holder as Struct, value);
}

// keepLeaf keeps the number of a leaf. Counts, lengths and checks are no values; a flag that is not set keeps the place
// of its element.
function keepLeaf(m: Machine, leaf: Leaf, h: number, l: number, width: number): void {
  const n = leaf.node, at = n.holder as Place;
  const holder = m.slots[at.id] ?? open(m, at);
  if (!n.item) keep(holder, n, leaf.plain ? h * P32 + l + leaf.offset : leafNumber(leaf, h, l, width));
  else if (n.elem && leaf.form === "bool" && l === 0) (holder as Value[]).push(null);
}

function leafNumber(leaf: Leaf, h: number, l: number, width: number): Value {
  switch (leaf.form) {
    case "bool":
      return l !== 0;
    case "float":
      if (leaf.quantized !== null) return dequantize(l, leaf.quantized);
      return width === 32 ? float32(l) : float64(h, l);
    case "case": {
      const name = (leaf.cases as Cases).names.get(codeKey(h, l));
      if (name !== undefined) return name;
    }
  }
  leafValue(leaf, h, l, width);
  return numberOf(H, L, leaf.signed, leaf.wide);
}

// keepNothing makes the struct or list of what has no value.
function keepNothing(m: Machine, n: Place | null): void {
  const at = n === null ? null : n.holder;
  if (at !== null && m.slots[at.id] === undefined) open(m, at);
}

function fits(m: Machine, n: number, leaf: Leaf | null): boolean {
  if (n <= m.stop - m.bit) return true;
  const left = m.stop - m.bit;
  refuse(m, "past-end", m.bit, n, leaf, Math.floor(left / P32), left % P32, Math.floor(n / P32), n % P32);
  return false;
}

// read gives n bits, of which those from m.room on are zeros.
function read(m: Machine, order: number, bit: number, n: number): void {
  if (bit + n <= m.room) load(m.view, order, bit, n);
  else look(m.data, order, bit, n, 0, m.room);
}

// bytesAt is n bytes at a bit.
function bytesAt(m: Machine, order: number, bit: number, n: number): Uint8Array {
  if (bit % 8 === 0 && bit + 8 * n <= m.room) return m.data.slice(bit / 8, bit / 8 + n);
  const b = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    read(m, order, bit + 8 * i, 8);
    b[i] = L;
  }
  return b;
}

// zeros skips n bits that must be zero.
function zeros(m: Machine, op: Op, n: number, any: boolean, kind: string): boolean {
  if (n <= 0) return true;
  if (!fits(m, n, null)) return false;
  for (let at = 0; at < n; at += 64) {
    read(m, op.order, m.bit + at, Math.min(64, n - at));
    if (H === 0 && L === 0) continue;
    if (any) {
      note(m, "ignored-bits", m.bit, null);
      break;
    }
    if (kind === "nonzero-padding") {
      const order = op.order === LSB ? LSB : MSB;
      let first = m.bit + at;
      for (read(m, order, first, 1); L === 0; read(m, order, first, 1)) first++;
      refuseCount(m, kind, first, 1, 1, 0);
    } else refuse(m, kind, m.bit, n, null, H, L);
    return false;
  }
  m.bit += n;
  return true;
}

function pad(m: Machine, op: Op, n: number, any: boolean): boolean {
  return zeros(m, op, -m.bit & (n - 1), any, "nonzero-padding");
}

// place remembers where the leaf is that a register has.
function place(m: Machine, register: number, bit: number, width: number): void {
  const at = Math.min(bit, m.clip);
  m.placed[2 * register] = at;
  m.placed[2 * register + 1] = Math.max(0, Math.min(bit + width, m.clip) - at);
}

// Lists.
function enter(m: Machine, op: Op, left: number): List {
  const node = op.node as Place, list = new List(op, m.list, m.index, left);
  if (m.slots[node.id] === undefined) open(m, node);
  m.loops[op.a] = list;
  m.list = list;
  m.index = -1;
  return list;
}

function leave(m: Machine, list: List): void {
  m.list = list.up;
  m.index = list.index;
  m.pc = list.op.b;
}

function element(m: Machine, list: List): void {
  m.index++;
  for (const n of (list.op.node as Place).owned) m.slots[n.id] = undefined;
}
