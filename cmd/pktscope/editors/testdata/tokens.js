// Prints, for each file of the list in argv[2], a line of JSON: for each of its lines [start, scopes] of every token, as
// VS Code's own tokenizer gives them with the grammar in argv[3].
const fs = require('fs'), path = require('path');
const textmate = require('vscode-textmate'), oniguruma = require('vscode-oniguruma');
const wasm = fs.readFileSync(path.join(path.dirname(require.resolve('vscode-oniguruma')), 'onig.wasm'));
(async () => {
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({ createOnigScanner: s => new oniguruma.OnigScanner(s), createOnigString: s => new oniguruma.OnigString(s) }),
    loadGrammar: async scope => scope === 'source.pks' ? textmate.parseRawGrammar(fs.readFileSync(process.argv[3], 'utf8'), process.argv[3]) : null,
  });
  const grammar = await registry.loadGrammar('source.pks');
  for (const file of fs.readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)) {
    let stack = textmate.INITIAL;
    const lines = fs.readFileSync(file, 'utf8').split('\n').map(line => {
      const r = grammar.tokenizeLine(line, stack);
      stack = r.ruleStack;
      return r.tokens.map(t => [t.startIndex, t.scopes.slice(1).join(' ')]);
    });
    console.log(JSON.stringify(lines));
  }
})();
