// The words of refusals, made only where there is one. What tells a secret is masked.
const MASK = "‹secret›";
const MOST_WANTED = 16; // intervals

// setText is the first intervals of a set of keys, neighbors joined: `1..2, 16, 64..66`.
function setText(set: readonly Interval[], signed: boolean, hex: boolean, width: number): string {
  const one = (h: number, l: number): string => {
    if (hex) return hexadecimal(h, l, Math.ceil(width / 4));
    return decimal(signed ? (h ^ 0x80000000) >>> 0 : h, l, signed);
  };
  const texts: string[] = [];
  for (let i = 0; i < set.length; ) {
    if (texts.length === MOST_WANTED) return texts.join(", ") + ", …";
    const first = set[i];
    let end = first;
    for (i++; i < set.length; i++) {
      add(end[2], end[3], 0, 1);
      if (H !== set[i][0] || L !== set[i][1]) break;
      end = set[i];
    }
    const lo = one(first[0], first[1]), hi = one(end[2], end[3]);
    texts.push(first[0] === end[2] && first[1] === end[3] ? lo : lo + ".." + hi);
  }
  return texts.join(", ");
}

// digitsOf is for how many bits a leaf's numbers have digits in hexadecimal.
function digitsOf(leaf: Leaf, width: number): number {
  return leaf.row.digits ? width : 0;
}

// leafText is a code's value as a number; of a quantized float the code, the wire's own number.
function leafText(leaf: Leaf, h: number, l: number, width: number): string {
  if (leaf.quantized !== null) return decimal(h, l, false);
  if (leaf.form === "float") return shortest(width === 32 ? float32(l) : float64(h, l), width);
  if (leaf.form === "bool" && h === 0 && l <= 1) return String(l === 1);
  leafValue(leaf, h, l, width);
  if (leaf.hex) return hexadecimal(H, L, Math.ceil(digitsOf(leaf, width) / 4));
  return decimal(H, L, leaf.signed);
}

// codeWidth is the bits of the code of a leaf that was refused, of which not all need be there.
function codeWidth(m: Machine, leaf: Leaf): number {
  return leaf.row.runs ? leaf.width : m.width;
}

// sizeRefused is the number of which not the code was refused but the size that an expression gave it.
function sizeRefused(m: Machine): NumberRow | null {
  const x = m.op.code === "number" ? m.p.numbers[m.op.b] : null;
  return x !== null && m.width === 0 && (x.kind === "sized" || x.kind === "ranged") ? x : null;
}

function isSecret(m: Machine): boolean {
  return (m.leaf !== null ? m.leaf.node.secret : m.op.hides.node ?? false) || (m.op.hides.decided ?? false);
}

// boundsOf is the computed range that a leaf was refused for.
function boundsOf(m: Machine): RequireRow | null {
  const q = m.op.code === "require" ? m.p.requires[m.op.b] : null;
  return q !== null && q.bounds ? q : null;
}

function wanted(m: Machine): string {
  const hides = m.op.hides, leaf = m.leaf;
  if (hides.decided) return MASK;
  switch (m.kind) {
    case "past-end":
    case "over-budget":
      return hides.width ? MASK : decimal(m.wantH, m.wantL, false);
    case "trailing-bytes":
    case "nonzero-padding":
    case "reserved-nonzero":
      return "0";
    case "crc-mismatch":
      return isSecret(m) ? MASK : hexadecimal(m.wantH, m.wantL, Math.ceil(m.width / 4));
    case "check-mismatch":
      return hexadecimal((leaf as Leaf).want[0], (leaf as Leaf).want[1], 8);
    case "bad-string":
      return faultRule;
    case "not-finite":
      return "a finite number";
    case "non-unit":
      return "squares that sum to 1 at most";
    case "non-canonical":
      return "the shortest encoding";
    case "not-increasing":
      return "more than " + (isSecret(m) || hides.size ? MASK : before(m));
    case "rule-broken":
      return m.p.requires[m.op.b].text ?? "";
    case "unknown-case":
      if (leaf !== null) return setText((leaf.cases as Cases).keys, leaf.signed, leaf.hex, digitsOf(leaf, m.width));
      const s = m.p.switches[m.op.b];
      return setText(s.arms, s.signed ?? false, s.hexed ?? false, Math.min(m.width, 64));
    case "const-mismatch":
      if (leaf === null) return m.p.blobs[m.op.a].rule ?? "";
      return (leaf.by === "ne" ? "not " : "") + constantText(leaf, codeWidth(m, leaf));
  }
  const x = sizeRefused(m);
  if (x !== null) return x.kind === "ranged" ? "an upper end from " + decimal(x.lo[0], x.lo[1], x.signed ?? false) : "0.." + decimal(m.wantH, m.wantL, false);
  const q = boundsOf(m);
  if (q !== null) return q.secret ? MASK : operandText(m, q.lo as number) + ".." + operandText(m, q.hi as number);
  if (leaf === null) return "0.." + decimal(m.wantH, m.wantL, false);
  if (leaf.by !== "" && (leaf.let || !less(leaf.span[0], leaf.span[1], m.gotH, m.gotL))) {
    return leaf.row.floats ?? setText(leaf.set, leaf.signed, leaf.hex, digitsOf(leaf, m.width));
  }
  return leaf.row.range ?? "";
}

function constantText(leaf: Leaf, width: number): string {
  const c = leaf.row.constant;
  return c === undefined ? (leaf.row.rule ?? "") : hexadecimal(c[0], c[1], Math.ceil(digitsOf(leaf, width) / 4));
}

function operandText(m: Machine, operand: number): string {
  evaluate(m, operand);
  return decimal(H, L, m.p.operands[operand].signed);
}

// before is the value that an ascending one had to exceed.
function before(m: Machine): string {
  const x = m.p.numbers[m.op.b];
  if (x.previous !== undefined) return decimal(m.rh[x.previous], m.rl[x.previous], true);
  evaluate(m, x.operand);
  return decimal(H, L, false);
}

function gotten(m: Machine): string {
  const hides = m.op.hides, leaf = m.leaf, h = m.gotH, l = m.gotL;
  switch (m.kind) {
    case "past-end":
    case "trailing-bytes":
    case "nonzero-padding":
    case "over-budget":
      return (m.kind === "past-end" && hides.width) || hides.left || hides.decided ? MASK : decimal(h, l, false);
    case "rule-broken":
      return relationText(m);
  }
  const q = boundsOf(m);
  if (isSecret(m) || hides.size || (q !== null && q.secret)) return MASK;
  if (q !== null) {
    const of = m.p.leaves[q.leaf as number];
    return leafText(of, h, l, codeWidth(m, of));
  }
  switch (m.kind) {
    case "crc-mismatch":
    case "check-mismatch":
    case "not-finite":
    case "non-unit":
    case "non-canonical":
      return hexadecimal(h, l, Math.ceil(m.width / 4));
    case "reserved-nonzero":
      if (leaf !== null && leaf.cases !== null) return hexadecimal((h & ~leaf.want[0]) >>> 0, (l & ~leaf.want[1]) >>> 0, 0);
      return hexadecimal(h, l, 0);
    case "bad-string":
      if (faultRule === NO_END) return "none in " + String(faultGot) + " bytes";
      if (faultOf === " of the datagram") return hexadecimal(0, faultGot, 2) + " at byte " + String(faultAt) + faultOf;
      return hexadecimal(0, faultGot, 2) + faultOf + String(faultAt);
  }
  if (m.op.code === "number" && m.p.numbers[m.op.b].kind === "step") return decimal(h, l, true);
  if (leaf !== null && sizeRefused(m) === null) return leafText(leaf, h, l, codeWidth(m, leaf));
  if (m.kind === "const-mismatch" && m.bytes !== null) return quoted(m.bytes);
  if (m.op.code === "switch") {
    const s = m.p.switches[m.op.b];
    return s.hexed ? hexadecimal(h, l, Math.ceil(Math.min(m.width, 64) / 4)) : decimal(h, l, s.signed ?? false);
  }
  return decimal(h, l, m.op.signed);
}

// relationText is what a broken relation read: values by their names, the bytes that were left, what looks saw, the side.
function relationText(m: Machine): string {
  const q = m.p.requires[m.op.b], hides = m.op.hides, parts: string[] = [];
  if (hides.decided) return MASK;
  for (const v of q.vars ?? []) {
    const h = m.rh[v.register], l = m.rl[v.register];
    parts.push(v.name + " = " + (v.secret ? MASK : v.bool ? String(h !== 0 || l !== 0) : decimal(h, l, v.signed ?? false)));
  }
  if (q.rest) parts.push("rest = " + (hides.left ? MASK : decimal(m.gotH, m.gotL, false)));
  for (const s of q.looks ?? []) {
    look(m.data, s.order ?? 0, s.tail ? m.stop - s.width : m.bit, s.width, m.bit, Math.min(m.stop, m.seen));
    parts.push((s.tail ? "tail(" : "peek(") + String(s.width) + ") = " + (hides.cond ? MASK : hexadecimal(H, L, Math.ceil(s.width / 4))));
  }
  if (q.from) parts.push("from = " + ["unknown", "client", "server"][m.from]);
  return parts.length > 0 ? parts.join(", ") : "false";
}

// shownPath is the path of a refusal as far as it tells no secret.
function shownPath(m: Machine): string {
  const hides = m.op.hides;
  let node = m.leaf !== null ? m.leaf.node : m.op.node, list = m.list, index = m.index;
  if (m.kind === "past-end" && hides.width) return "";
  if (hides.fold === undefined) return pathOf(node, list, index);
  const fold = m.p.nodes[hides.fold], base = m.p.nodes[hides.base as number];
  while (node !== null && node !== fold && node !== base && (hides.list || node.up !== base)) {
    if (node.elem && list !== null) {
      index = list.index;
      list = list.up;
    }
    node = node.up;
  }
  return pathOf(fold, list, index);
}

function describe(m: Machine): Rejected {
  const hides = m.op.hides, ends = m.kind === "past-end" && hides.width;
  return {
    ok: false, kind: m.kind as RejectKind, path: shownPath(m), bit: hides.bit || ends ? null : m.at, width: hides.width ? null : m.width,
    want: wanted(m), got: gotten(m),
  };
}
