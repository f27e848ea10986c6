// Floats. What the schema computes in 32 bits is rounded at each step.
const scratch = new DataView(new ArrayBuffer(8));

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

// shortest is the shortest text that reads back as a float of so many bits, as messages have it.
function shortest(v: number, width: number): string {
  if (v !== v) return "NaN";
  if (v === Infinity) return "+Inf";
  if (v === -Infinity) return "-Inf";
  if (v === 0) return 1 / v < 0 ? "-0" : "0";
  let text = v.toExponential();
  for (let n = 0; width === 32 && n < 17; n++) {
    text = v.toExponential(n);
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
