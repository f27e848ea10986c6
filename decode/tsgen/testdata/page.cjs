// Makes a page of a generated module and of packets: its text is what the module says of each, a line each. Arguments are
// the module, a file with lines of hexadecimal digits, and the page.
const fs = require("fs");
const ts = require("typescript");

const [module_, packets, page] = process.argv.slice(2);
const js = ts.transpileModule(fs.readFileSync(module_, "utf8"), { compilerOptions: { module: "es2020", target: "es2020" } }).outputText;
fs.writeFileSync(page, `<!DOCTYPE html><meta charset="utf-8"><title>packets</title><pre id="out"></pre><script type="module">
${js}
const lines = ${JSON.stringify(fs.readFileSync(packets, "utf8").trim().split("\n"))};
const plain = (key, v) => {
  if (typeof v === "bigint") return { $n: v.toString() };
  if (v instanceof Uint8Array) return { $x: Array.from(v, (c) => c.toString(16).padStart(2, "0")).join("") };
  return v;
};
document.getElementById("out").textContent = lines.map((line) => {
  const bytes = Uint8Array.from(line.match(/../g) ?? [], (c) => parseInt(c, 16));
  return JSON.stringify(decode(bytes), plain);
}).join("\\n");
</script>`);
