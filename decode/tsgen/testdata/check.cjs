// Checks modules as tsc --strict does, in one process: the files are its arguments.
const ts = require("typescript");

const program = ts.createProgram(process.argv.slice(2), {
  strict: true, noUnusedParameters: true, noImplicitReturns: true, noEmit: true, target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ES2020,
  lib: ["lib.es2020.d.ts"], types: [],
});
const problems = ts.getPreEmitDiagnostics(program);
for (const d of problems.slice(0, 10)) {
  const at = d.file ? d.file.fileName + ":" + (d.file.getLineAndCharacterOfPosition(d.start).line + 1) + ": " : "";
  console.log(at + ts.flattenDiagnosticMessageText(d.messageText, " "));
}
process.exit(problems.length > 0 ? 1 : 0);
