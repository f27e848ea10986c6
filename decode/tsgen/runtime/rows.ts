// The rows of the tables. What is not there is 0, false or empty.
type Interval = readonly number[]; // the halves of both ends, and what belongs to it
type Word = readonly number[]; // its upper and its lower half

interface Hidden { // what a refusal may not tell, because it is computed from a secret
  bit?: true;
  width?: true;
  left?: true;
  size?: true;
  decided?: true;
  node?: true; // the field itself
  cond?: true; // what it asks
  fold?: number; // the node that is told instead
  base?: number;
  list?: true;
}

interface OpRow {
  code: string; order?: number; a?: number; b?: number; c?: number; ih?: number; il?: number; node?: number;
  any?: true; packed?: true; case?: true; shown?: true; judged?: true; signed?: true; align?: true; hides?: Hidden;
}

interface NodeRow {
  name?: string; parent?: number; elem?: true; item?: true; named?: true; list?: true; struct?: true; masked?: true;
  set?: (o: Struct, v: Value) => void; make?: () => Struct;
}

interface Quantized { min: number; delta: number; steps: number }

interface LeafRow {
  off?: number; width: number; node: number; swap?: true; signed?: true; zigzag?: true; negative?: true; any?: true; let?: true;
  form: string; as?: string; by?: string; codes?: true; base?: Word; span: Word; want?: Word; exponent?: Word; set?: readonly Interval[];
  quantized?: Quantized; enum?: number; wide?: true; hexed?: true; digits?: true; least?: number; most?: number; runs?: true;
  range?: string; floats?: string; rule?: string; constant?: Word;
}

interface InstRow { code: string; sx?: true; sy?: true; a?: number; h?: number; l?: number; rows?: readonly Interval[] }

interface OperandRow { k?: string; signed?: true; h?: number; l?: number; r?: number; x?: number; code?: readonly InstRow[] }

interface NumberRow {
  kind: string; signed?: true; any?: true; operand: number; register?: number; previous?: number; ends?: true; last?: number;
  lo: Word; most: number; bits: number;
}

interface BlobRow {
  text?: string; rest?: true; encoding?: string; size?: number; max: number; unit: number; same?: string; equal?: true; bytes?: true;
  rule?: string;
}

interface SwitchRow { signed?: true; register?: number; look: number; tail?: true; arms: readonly Interval[]; hexed?: true }

interface PartRow { register?: number; value?: Word; size: number; big?: true }

interface SumRow {
  name: string; kind: string; negated?: true; width: number; poly?: Word; init?: Word; final?: Word; xor?: Word; refin?: true; refout?: true;
  swap?: true; windowed?: true; around?: true; own?: true; from?: number; to?: number; parts: readonly PartRow[]; prefixes: number;
}

interface Variable { name: string; register: number; signed?: true; bool?: true; secret?: true }

interface Sight { tail?: true; width: number; order?: number }

interface RequireRow {
  bounds?: true; lo?: number; hi?: number; text?: string; leaf?: number; secret?: true; vars?: readonly Variable[]; rest?: true; from?: true;
  looks?: readonly Sight[];
}

interface EnumRow { // keys are the first of an enum's values, in order
  open?: true; flags?: true; keys?: readonly Interval[]; cases: readonly (readonly [number, number, string])[];
}

interface Tables {
  order: number; max: number; steps: number; registers: number;
  ops: readonly OpRow[]; nodes: readonly NodeRow[]; leaves: readonly LeafRow[]; operands: readonly OperandRow[]; numbers: readonly NumberRow[];
  blobs: readonly BlobRow[]; switches: readonly SwitchRow[]; checksums: readonly SumRow[]; requires: readonly RequireRow[];
}

// The rows as the machine has them: all of a kind have all members, in one order.
class Place { // a node
  id: number;
  name: string;
  up: Place | null;
  elem: boolean;
  item: boolean;
  named: boolean;
  list: boolean;
  struct: boolean;
  secret: boolean;
  set: (o: Struct, v: Value) => void;
  make: () => Struct;
  owned: Place[] = []; // of a list: the structs and lists that begin anew with each element
  holder: Place | null = null; // the struct or list that a value of it goes to

  constructor(row: NodeRow, id: number, up: Place | null) {
    this.id = id;
    this.name = row.name ?? "";
    this.up = up;
    this.elem = row.elem ?? false;
    this.item = row.item ?? false;
    this.named = row.named ?? false;
    this.list = row.list ?? false;
    this.struct = row.struct ?? false;
    this.secret = row.masked ?? false;
    this.make = row.make ?? (() => ({}));
    this.set = row.set ?? ((o, value) => void Object.defineProperty(o, this.name, { value, writable: true, enumerable: true, configurable: true }));
  }
}

class Leaf {
  off: number;
  width: number;
  node: Place;
  swap: boolean;
  signed: boolean; // its value can be negative
  twos: boolean;
  zigzag: boolean;
  extension: number; // of a width that is constant
  any: boolean;
  let: boolean;
  form: string;
  as: string;
  by: string;
  codes: boolean;
  base: Word;
  span: Word;
  want: Word;
  exponent: Word | null;
  set: readonly Interval[];
  quantized: Quantized | null;
  cases: Cases | null;
  wide: boolean;
  hex: boolean;
  least: number; // codes from least to most are accepted
  most: number;
  plain: boolean; // its value is its code, of at most 52 bits, and offset
  offset: number;
  row: LeafRow;

  constructor(row: LeafRow, node: Place, cases: Cases | null) {
    this.off = row.off ?? 0;
    this.width = row.width;
    this.node = node;
    this.swap = row.swap ?? false;
    this.twos = row.signed ?? false;
    this.signed = this.twos || (row.negative ?? false);
    this.zigzag = row.zigzag ?? false;
    this.extension = this.zigzag ? 65 : this.twos ? row.width : 0;
    this.any = row.any ?? false;
    this.let = row.let ?? false;
    this.form = row.form;
    this.as = row.as ?? "";
    this.by = row.by ?? "";
    this.codes = row.codes ?? false;
    this.base = row.base ?? ZERO;
    this.span = row.span;
    this.want = row.want ?? ZERO;
    this.exponent = row.exponent ?? null;
    this.set = row.set ?? [];
    this.quantized = row.quantized ?? null;
    this.cases = cases;
    this.wide = row.wide ?? false;
    this.hex = row.hexed ?? false;
    this.least = row.least ?? 1;
    this.most = row.most ?? 0;
    this.plain = row.form === "int" && !this.zigzag && !this.twos && !this.wide && (row.runs ?? false) && row.width <= 52;
    this.offset = this.plain ? Number(numberOf(this.base[0], this.base[1], this.signed, false)) : 0;
    this.row = row;
  }
}

const ZERO: Word = [0, 0];

// Cases are the names of an enum by their codes, or flags.
class Cases {
  open: boolean;
  flags: boolean;
  names = new Map<number | string, string>();
  keys: readonly Interval[];

  constructor(row: EnumRow) {
    this.open = row.open ?? false;
    this.flags = row.flags ?? false;
    this.keys = row.keys ?? [];
    for (const [h, l, name] of row.cases) this.names.set(codeKey(h, l), name);
  }
}

function codeKey(h: number, l: number): number | string {
  return h < 2097152 ? h * P32 + l : hexadecimal(h, l, 0);
}

class Inst {
  run: (m: Machine, i: Inst, sp: number) => number;
  sx: boolean;
  sy: boolean;
  a: number;
  h: number;
  l: number;
  rows: readonly Interval[];

  constructor(row: InstRow) {
    this.run = instructions[row.code];
    this.sx = row.sx ?? false;
    this.sy = row.sy ?? false;
    this.a = row.a ?? 0;
    this.h = row.h ?? 0;
    this.l = row.l ?? 0;
    this.rows = row.rows ?? [];
  }
}

const CONSTANT = 0, REGISTER = 1, LEAF = 2, CODE = 3;

class Operand {
  kind: number;
  signed: boolean;
  h: number;
  l: number;
  r: number;
  x: number;
  code: Inst[];

  constructor(row: OperandRow) {
    this.kind = row.k === "register" ? REGISTER : row.k === "leaf" ? LEAF : row.k === "code" ? CODE : CONSTANT;
    this.signed = row.signed ?? false;
    this.h = row.h ?? 0;
    this.l = row.l ?? 0;
    this.r = row.r ?? 0;
    this.x = row.x ?? 0;
    this.code = (row.code ?? []).map((i) => new Inst(i));
  }
}

class Op {
  step: (m: Machine, op: Op) => void;
  code: string;
  order: number;
  a: number;
  b: number;
  c: number;
  ih: number;
  il: number;
  most: number;
  node: Place | null;
  any: boolean;
  packed: boolean;
  shown: boolean;
  judged: boolean;
  signed: boolean;
  align: boolean;
  leaves: Leaf[]; // of a run
  hides: Hidden;

  constructor(row: OpRow, nodes: Place[], leaves: Leaf[]) {
    this.step = steps[row.code];
    this.code = row.code;
    this.order = row.order ?? 0;
    this.a = row.a ?? 0;
    this.b = row.b ?? 0;
    this.c = row.c ?? 0;
    this.ih = row.ih ?? 0;
    this.il = row.il ?? 0;
    this.most = count(this.ih, this.il);
    this.node = row.node === undefined ? null : nodes[row.node];
    this.any = row.any ?? false;
    this.packed = row.packed ?? false;
    this.shown = row.shown ?? false;
    this.judged = row.judged ?? false;
    this.signed = row.signed ?? false;
    this.align = row.align ?? false;
    this.leaves = row.code === "run" ? leaves.slice(this.a, this.a + this.b) : [];
    this.hides = row.hides ?? NOTHING;
  }
}

const NOTHING: Hidden = {};

class Program {
  order: number;
  max: number;
  most: number; // steps
  nodes: Place[] = [];
  leaves: Leaf[];
  ops: Op[];
  operands: Operand[];
  numbers: readonly NumberRow[];
  blobs: readonly BlobRow[];
  switches: readonly SwitchRow[];
  sums: Sum[];
  requires: readonly RequireRow[];
  machine: Machine;

  constructor(t: Tables) {
    this.order = t.order;
    this.max = t.max;
    this.most = t.steps;
    t.nodes.forEach((row, i) => this.nodes.push(new Place(row, i, row.parent === undefined ? null : this.nodes[row.parent])));
    for (const n of this.nodes) this.settle(n);
    const cases = enums.map((row) => new Cases(row));
    this.leaves = t.leaves.map((row) => new Leaf(row, this.nodes[row.node], row.enum === undefined ? null : cases[row.enum]));
    this.ops = t.ops.map((row) => new Op(row, this.nodes, this.leaves));
    this.operands = t.operands.map((row) => new Operand(row));
    this.numbers = t.numbers;
    this.blobs = t.blobs;
    this.switches = t.switches;
    this.sums = t.checksums.map((row) => new Sum(row));
    this.requires = t.requires;
    const widest = this.ops.reduce((n, op) => Math.max(n, op.leaves.length), 0);
    const deepest = this.ops.reduce((n, op) => (op.code === "array" || op.code === "repeat" || op.code === "window" ? Math.max(n, op.a, op.b) : n), 0);
    const stack = this.operands.reduce((n, o) => Math.max(n, o.code.length), 0);
    this.machine = new Machine(this, t.registers, widest, deepest, stack);
  }

  // settle finds where the values of a node go, and whose elements it begins anew with.
  settle(n: Place): void {
    let at = n.up;
    if (at !== null && n.named && !n.elem && !at.struct) at = at.up; // beside what it is the size of
    n.holder = at;
    if (!n.list && !n.struct) return;
    let of: Place | null = n;
    while (of !== null && !of.elem) of = of.up;
    if (of === null) {
      if (n.up !== null) this.nodes[0].owned.push(n);
    } else if (of.up !== null) of.up.owned.push(n);
  }
}
