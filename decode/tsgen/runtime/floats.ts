// Floats. What the schema computes in 32 bits is rounded at each step.
function float32(l: number): number {
  scratch.setUint32(0, l);
  return scratch.getFloat32(0);
}

function float64(h: number, l: number): number {
  scratch.setUint32(0, h);
  scratch.setUint32(4, l);
  return scratch.getFloat64(0);
}

function dequantize(code: number, q: Quantized): number {
  if (q.steps === 0) return q.min;
  const t = Math.fround(Math.fround(code) / Math.fround(q.steps));
  return Math.fround(Math.fround(t * q.delta) + q.min);
}

// The parts of a smallest-three quaternion, whose fourth is what they leave of 1.
const smallestMost = Math.fround(1 / Math.fround(1.414214));
const smallestDelta = Math.fround(2 * smallestMost);

function smallestPart(code: number, n: number): number {
  const t = Math.fround(Math.fround(code) / Math.fround(2 ** n - 1));
  return Math.fround(Math.fround(t * smallestDelta) - smallestMost);
}

// rounded is v with n digits behind the point; where two are as near, with an even last digit.
function rounded(v: number, n: number): string {
  const [head, tail] = v.toExponential(100).split("e"), at = head.indexOf(".") + n + 1; // all digits of a float of 32 bits that ties
  const even = head.slice(0, n > 0 ? at : at - 1);
  return /^50*$/.test(head.slice(at)) && /[02468]$/.test(even) ? even + "e" + tail : v.toExponential(n);
}

// shortest is the shortest text that reads back as a float of so many bits, as messages have it.
function shortest(v: number, width: number): string {
  if (v !== v) return "NaN";
  if (v === Infinity) return "+Inf";
  if (v === -Infinity) return "-Inf";
  if (v === 0) return 1 / v < 0 ? "-0" : "0";
  let text = v.toExponential();
  for (let n = 0; width === 32 && n < 17; n++) {
    text = rounded(v, n);
    if (Math.fround(Number(text)) === v) break;
  }
  const [head, tail] = text.split("e"), e = Number(tail), sign = v < 0 ? "-" : "";
  const digits = head.replace(/[-.]/g, "").replace(/0+$/, "");
  if (e < -4 || e >= 6) {
    const abs = Math.abs(e);
    return sign + digits[0] + (digits.length > 1 ? "." + digits.slice(1) : "") + (e < 0 ? "e-" : "e+") + (abs < 10 ? "0" : "") + String(abs);
  }
  if (e < 0) return sign + "0." + "0".repeat(-e - 1) + digits;
  if (digits.length <= e + 1) return sign + digits.padEnd(e + 1, "0");
  return sign + digits.slice(0, e + 1) + "." + digits.slice(e + 1);
}
