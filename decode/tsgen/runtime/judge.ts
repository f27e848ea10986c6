// judge is the kind that a leaf's code is refused with, "" for none; ODD is what is odd about one that is accepted.
let ODDITY = "";

function judge(leaf: Leaf, h: number, l: number, width: number): string {
  ODDITY = "";
  const as = leaf.as, want = leaf.want;
  if (as === "sum") return "";
  if (as === "check") return h !== want[0] || l !== want[1] ? "check-mismatch" : "";
  if (as === "reserved") {
    if (h === 0 && l === 0) return "";
    if (!leaf.any) return "reserved-nonzero";
    ODDITY = "ignored-bits";
    return "";
  }
  const cases = leaf.cases;
  if (cases !== null && cases.flags) {
    if ((h & ~want[0]) !== 0 || (l & ~want[1]) !== 0) {
      if (!cases.open) return "reserved-nonzero";
      ODDITY = "unlisted-value";
    }
  } else if (cases !== null && !cases.names.has(codeKey(h, l))) {
    if (!cases.open) return "unknown-case";
    ODDITY = "unlisted-value";
  }
  if (less(leaf.span[0], leaf.span[1], h, l)) return "out-of-range";
  const by = leaf.by;
  if (by === "") return "";
  if (by === "finite" || by === "float") {
    const e = leaf.exponent;
    if (e !== null && (h & e[0]) >>> 0 === e[0] && (l & e[1]) >>> 0 === e[1]) return "not-finite";
    if (by === "finite") return "";
  }
  let kh = h, kl = l;
  if (!leaf.codes) {
    leafValue(leaf, h, l, width);
    kh = leaf.signed ? (H ^ 0x80000000) >>> 0 : H;
    kl = L;
  }
  const is = has(leaf.set, kh, kl) >= 0;
  if (by === "in" || by === "float") return is ? "" : "out-of-range";
  return is === (by === "eq") ? "" : "const-mismatch";
}
