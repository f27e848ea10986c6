// Reads packets with generated modules, in one process. Standard input has a line for each job: {"file", "function"} opens
// a module, {"from", "data"} is a packet of it. Standard output has a line for each packet: what the module says, with
// what JSON has not: {"$n": …} is a bigint, {"$x": …} bytes, {"$f": …} NaN, an infinity or -0.
const fs = require("fs");
const ts = require("typescript");

const open = {};
let decode;

function moduleOf(file) {
  if (!open[file]) {
    const js = ts.transpileModule(fs.readFileSync(file, "utf8"), { compilerOptions: { module: "commonjs", target: "es2020" } }).outputText;
    const exports = {};
    new Function("exports", "require", js)(exports, () => { throw new Error("a module that is not alone"); });
    open[file] = exports;
  }
  return open[file];
}

function plain(key, v) {
  if (typeof v === "bigint") return { $n: v.toString() };
  if (v instanceof Uint8Array) return { $x: Buffer.from(v).toString("hex") };
  if (typeof v === "number" && (v - v !== 0 || Object.is(v, -0))) return { $f: Object.is(v, -0) ? "-0" : String(v) };
  return v;
}

const out = [];
for (const line of fs.readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue;
  const job = JSON.parse(line);
  if (job.file !== undefined) {
    decode = moduleOf(job.file)[job.function];
    continue;
  }
  let said;
  try {
    said = decode(Uint8Array.from(Buffer.from(job.data, "hex")), { from: job.from });
  } catch (e) {
    said = { thrown: String(e && e.stack) };
  }
  if (Object.keys(Object.prototype).length > 0) said = { thrown: "the prototype of objects has members" };
  out.push(JSON.stringify(said, plain));
}
fs.writeFileSync(1, out.join("\n") + "\n");
