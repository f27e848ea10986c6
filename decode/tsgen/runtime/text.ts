// Text. A fault is a rule that a text breaks, at a byte or a unit, with what is there.
const AFTER_NUL = "nothing but NULs after a NUL", NOT_UTF8 = "UTF-8", NO_NUL = "no NUL inside", NO_END = "a NUL", NOT_ASCII = "ASCII",
  HALF = "surrogates in pairs", ODD = "an even number of bytes", UNIT = "a UTF-16 unit", NAME_LABEL = "a label of at most 63 bytes, or a pointer",
  NAME_SIZE = "at most 255 bytes of labels", NAME_POINTER = "a pointer at earlier labels", NAME_HOPS = "at most 64 pointers",
  NAME_END = "labels that end in front of the name";

let faultRule = "";
let faultAt = 0;
let faultGot = 0;
let faultOf = " at byte "; // what faultAt counts

function fault(rule: string, at: number, got: number, of = " at byte "): true {
  faultRule = rule;
  faultAt = at;
  faultGot = got;
  faultOf = of;
  return true;
}

// runeSize is the size of the character at a byte of UTF-8, 0 where there is none; RUNE is the character.
let RUNE = 0;

function runeSize(data: Uint8Array, i: number): number {
  const c = data[i];
  if (c < 0x80) {
    RUNE = c;
    return 1;
  }
  const more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
  if (more === 0 || i + more >= data.length) return 0;
  let r = c & (0x3f >> more);
  for (let k = 1; k <= more; k++) {
    const d = data[i + k];
    if (d < 0x80 || d > 0xbf) return 0;
    r = (r << 6) | (d & 0x3f);
  }
  if ((more === 2 && (r < 0x800 || (r >= 0xd800 && r < 0xe000))) || (more === 3 && (r < 0x10000 || r > 0x10ffff))) return 0;
  RUNE = r;
  return more + 1;
}

function badUTF8(data: Uint8Array): boolean {
  for (let i = 0; i < data.length; ) {
    const n = runeSize(data, i);
    if (n === 0) return fault(NOT_UTF8, i, data[i]);
    i += n;
  }
  return false;
}

// textOf is the text of UTF-8, with U+FFFD for each byte that is none.
function textOf(data: Uint8Array): string {
  let s = "";
  for (let i = 0; i < data.length; ) {
    const n = runeSize(data, i);
    s += n === 0 ? "\ufffd" : String.fromCodePoint(RUNE);
    i += n === 0 ? 1 : n;
  }
  return s;
}

// utf8Of is a text as UTF-8. It has no half of a pair.
function utf8Of(s: string): Uint8Array {
  const b: number[] = [];
  for (const c of s) {
    const r = c.codePointAt(0) as number;
    if (r < 0x80) b.push(r);
    else if (r < 0x800) b.push(0xc0 | (r >> 6), 0x80 | (r & 0x3f));
    else if (r < 0x10000) b.push(0xe0 | (r >> 12), 0x80 | ((r >> 6) & 0x3f), 0x80 | (r & 0x3f));
    else b.push(0xf0 | (r >> 18), 0x80 | ((r >> 12) & 0x3f), 0x80 | ((r >> 6) & 0x3f), 0x80 | (r & 0x3f));
  }
  return Uint8Array.from(b);
}

function unitsText(units: number[]): string {
  let s = "";
  for (const u of units) s += String.fromCharCode(u);
  return s;
}

function unitsOf(data: Uint8Array, big: boolean): number[] {
  const units: number[] = [];
  for (let i = 0; i + 1 < data.length; i += 2) units.push(big ? (data[i] << 8) | data[i + 1] : (data[i + 1] << 8) | data[i]);
  return units;
}

function badWide(units: number[]): boolean {
  let before = false;
  for (let i = 0; i < units.length; i++) {
    const u = units[i], second = u >= 0xdc00 && u <= 0xdfff;
    if (u === 0) return fault(NO_NUL, i, u, " at unit ");
    if (u > 0xffff) return fault(UNIT, i, u, " at unit ");
    if (second !== before) return fault(HALF, i, u, " at unit ");
    before = u >= 0xd800 && u <= 0xdbff;
  }
  return before && fault(HALF, units.length - 1, units[units.length - 1], " at unit ");
}

function badUTF16(data: Uint8Array, big: boolean): boolean {
  const units = unitsOf(data, big);
  let before = false;
  for (let i = 0; i < units.length; i++) {
    if ((units[i] & 0xfc00) === 0xdc00 !== before) return fault(HALF, 2 * i, units[i]);
    before = (units[i] & 0xfc00) === 0xd800;
  }
  if (before) return fault(HALF, 2 * units.length - 2, units[units.length - 1]);
  return data.length % 2 !== 0 && fault(ODD, data.length - 1, data[data.length - 1]);
}

function badASCII(data: Uint8Array): boolean {
  for (let i = 0; i < data.length; i++) if (data[i] > 0x7f) return fault(NOT_ASCII, i, data[i]);
  return false;
}

// badText judges the bytes of a text by its type, of a char(n) up to its padding.
function badText(text: string, data: Uint8Array): boolean {
  const end = data.indexOf(0);
  if (text === "char") {
    for (let i = end; i >= 0 && i < data.length; i++) if (data[i] !== 0) return fault(AFTER_NUL, i, data[i]);
    return false;
  }
  if (text !== "string") return false;
  return end >= 0 ? fault(NO_NUL, end, 0) : badUTF8(data);
}

// badEncoding judges them by the encoding that the schema says.
function badEncoding(encoding: string, data: Uint8Array): boolean {
  if (encoding === "utf8") return badUTF8(data);
  if (encoding === "ascii") return badASCII(data);
  if (encoding === "utf16le" || encoding === "utf16be") return badUTF16(data, encoding === "utf16be");
  return false;
}

function decoded(encoding: string | undefined, data: Uint8Array): string {
  if (encoding === "latin1") return unitsText(Array.from(data));
  if (encoding === "utf16le" || encoding === "utf16be") return unitsText(unitsOf(data, encoding === "utf16be"));
  return textOf(data);
}

// isSame compares bytes with a text that has a character for each.
function isSame(data: Uint8Array, same: string): boolean {
  if (data.length !== same.length) return false;
  for (let i = 0; i < data.length; i++) if (data[i] !== same.charCodeAt(i)) return false;
  return true;
}

// quoted is bytes in quotes, in ASCII, cut at 64.
function quoted(data: Uint8Array): string {
  const simple: { [c: number]: string } = { 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\" };
  const more = data.length > 64 ? "…" : "";
  data = data.subarray(0, 64);
  let s = '"';
  for (let i = 0; i < data.length; ) {
    const n = runeSize(data, i), r = RUNE;
    if (n === 0) s += "\\x" + data[i].toString(16).padStart(2, "0");
    else if (n === 1 && simple[r] !== undefined) s += simple[r];
    else if (r < 0x20 || r === 0x7f) s += "\\x" + r.toString(16).padStart(2, "0");
    else if (r < 0x7f) s += String.fromCharCode(r);
    else if (r < 0x10000) s += "\\u" + r.toString(16).padStart(4, "0");
    else s += "\\U" + r.toString(16).padStart(8, "0");
    i += n === 0 ? 1 : n;
  }
  return s + '"' + more;
}

// A domain name: its text, the bytes of its own, and whether they end too early. A pointer leads only backwards, to
// labels that end in front of the name, so it ends.
let nameText = "";
let nameSize = 0;
let nameCut = false;

function badName(data: Uint8Array, at: number, stop: number): boolean {
  let run = at, next = at, size = 1, pointers = 0, text = "";
  nameCut = false;
  nameSize = 0;
  const bad = (rule: string, c: number, own: number): true => {
    if (pointers === 0) nameSize = own;
    return fault(rule, next, c, " at byte "); // of the datagram
  };
  const cut = (c: number, own: number): true => {
    if (pointers > 0) return bad(NAME_END, c, own);
    nameSize = own;
    return (nameCut = true);
  };
  for (;;) {
    if (next >= stop) return cut(0, next + 1 - at);
    const c = data[next], more = c <= 63 ? c : 1;
    if (c > 63 && c < 0xc0) return bad(NAME_LABEL, c, next + 1 - at);
    if (c > 0 && c <= 63 && size + 1 + c > 255) return bad(NAME_SIZE, c, next + 1 - at);
    if (more >= stop - next) return cut(c, next + 1 + more - at);
    if (pointers === 0) nameSize = next + 1 + more - at;
    if (c === 0) {
      nameText = text === "" ? "." : text;
      return false;
    }
    if (c <= 63) {
      for (let i = next + 1; i <= next + c; i++) {
        const d = data[i];
        if (d === 46 || d === 92) text += "\\" + String.fromCharCode(d);
        else if (d <= 32 || d >= 127) text += "\\" + String(d).padStart(3, "0");
        else text += String.fromCharCode(d);
      }
      text += ".";
      size += 1 + c;
      next += 1 + c;
      continue;
    }
    const to = ((c & 63) << 8) | data[next + 1];
    if (to >= run) return bad(NAME_POINTER, c, nameSize);
    if (pointers === 64) return bad(NAME_HOPS, c, nameSize);
    run = next = to;
    stop = at;
    pointers++;
  }
}
