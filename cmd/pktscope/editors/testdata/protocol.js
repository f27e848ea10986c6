// The language server before Microsoft's own implementation of the protocol: its framing, its types, its documents.
// node protocol.js SERVER DIR
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');
const p = require('vscode-languageserver-protocol/node');
const { TextDocument } = require('vscode-languageserver-textdocument');

const [server, dir] = process.argv.slice(2);
const child = spawn(server, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = p.createProtocolConnection(new p.StreamMessageReader(child.stdout), new p.StreamMessageWriter(child.stdin));
const problems = [];
const must = (ok, what) => { if (!ok) problems.push(what); };
const published = new Map();
const waiting = [];
connection.onNotification(p.PublishDiagnosticsNotification.type, (params) => {
  for (const d of params.diagnostics) must(p.Diagnostic.is(d), 'a diagnostic of another form: ' + JSON.stringify(d));
  published.set(params.uri, params);
});
connection.onError((e) => problems.push('error ' + e));
connection.listen();

const uri = (name) => 'file://' + path.join(dir, name);
const open = (name, text) => {
  connection.sendNotification(p.DidOpenTextDocumentNotification.type, { textDocument: { uri: uri(name), languageId: 'pks', version: 1, text } });
  return TextDocument.create(uri(name), 'pks', 1, text);
};
const settled = async (document) => { // diagnostics come before a reply
  await connection.sendRequest(p.DocumentSymbolRequest.type, { textDocument: { uri: document.uri } });
  return published.get(document.uri).diagnostics;
};
const full = (document) => ({ start: { line: 0, character: 0 }, end: document.positionAt(document.getText().length) });
let seed = 7;
const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor((seed / 2147483648) * n); };

(async () => {
  const init = await connection.sendRequest(p.InitializeRequest.type, { processId: process.pid, rootUri: 'file://' + dir, capabilities: {} });
  must(init.capabilities.positionEncoding === p.PositionEncodingKind.UTF16, 'positions are not UTF-16');
  await connection.sendNotification(p.InitializedNotification.type, {});

  let asked = 0, names = 0;
  for (const name of fs.readdirSync(dir).filter((f) => f.endsWith('.pks'))) {
    const text = fs.readFileSync(path.join(dir, name), 'utf8');
    const document = open(name, text);
    await settled(document);
    const textDocument = { uri: document.uri };
    const symbols = await connection.sendRequest(p.DocumentSymbolRequest.type, { textDocument });
    for (const s of symbols) must(p.DocumentSymbol.is(s), 'no symbol: ' + JSON.stringify(s));
    for (const l of await connection.sendRequest(p.CodeLensRequest.type, { textDocument })) must(p.CodeLens.is(l), 'no lens: ' + JSON.stringify(l));
    const words = [...text.matchAll(/[A-Za-z_]\w*/g)];
    for (let i = 0; i < words.length; i += 1 + Math.floor(words.length / 40)) {
      const position = document.positionAt(words[i].index);
      const at = { textDocument, position };
      asked++;
      const hover = await connection.sendRequest(p.HoverRequest.type, at);
      must(hover === null || p.Hover.is(hover), 'no hover: ' + JSON.stringify(hover));
      if (hover) must(document.getText(hover.range).replace('@', '') === words[i][0], `${name}: the hover of ${words[i][0]} is of ${document.getText(hover.range)}`);
      for (const c of await connection.sendRequest(p.CompletionRequest.type, at)) must(typeof c.label === 'string' && (!c.documentation || p.MarkupContent.is(c.documentation)), 'no completion: ' + JSON.stringify(c));
      const definition = await connection.sendRequest(p.DefinitionRequest.type, at);
      if (definition === null) continue;
      for (const l of definition) must(p.Location.is(l), 'no location: ' + JSON.stringify(l));
      if (definition[0].uri !== document.uri) continue;
      names++;
      const other = words[i][0] + (/^[A-Z]/.test(words[i][0]) ? 'Z' : '_z');
      const edit = await connection.sendRequest(p.RenameRequest.type, { ...at, newName: other });
      must(p.WorkspaceEdit.is(edit), 'no edit: ' + JSON.stringify(edit));
      const renamed = TextDocument.applyEdits(document, edit.changes[document.uri]);
      const references = await connection.sendRequest(p.ReferencesRequest.type, { ...at, context: { includeDeclaration: true } });
      must(renamed.length - text.length === references.filter((r) => r.uri === document.uri).length * (other.length - words[i][0].length), `${name}: ${words[i][0]} is not renamed where it is named`);
    }
    const edits = await connection.sendRequest(p.DocumentFormattingRequest.type, { textDocument, options: { tabSize: 4, insertSpaces: true } });
    for (const e of edits) must(p.TextEdit.is(e), 'no edit: ' + JSON.stringify(e));
  }

  // Edits of any kind, in places that TextDocument counts, are the text that it has.
  const bits = ['', 'x', '\n', '\r\n', '{', '}', '😀', 'é', 'uint8', ' in 0..9', '"', '//', 'struct S {', '\t', '\u0000'];
  let document = open('edited.pks', 'protocol x\norder lsb\npacket {\n    a uint8 @unit("😀é")\n    b bits(3)\n}\n');
  for (let n = 2; n < 400; n++) {
    const text = document.getText();
    const from = random(text.length + 1);
    const range = { start: document.positionAt(from), end: document.positionAt(Math.min(text.length, from + random(6))) };
    const inside = (at) => { const o = document.offsetAt(at); return /[\ud800-\udbff]/.test(text[o - 1] || ''); };
    if (inside(range.start) || inside(range.end)) continue; // an editor cuts no character
    const changes = [{ range, text: bits[random(bits.length)] }];
    connection.sendNotification(p.DidChangeTextDocumentNotification.type, { textDocument: { uri: document.uri, version: n }, contentChanges: changes });
    document = TextDocument.update(document, changes, n);
    if (n % 5) continue;
    const got = await settled(document);
    const whole = open('whole.pks', document.getText());
    const want = await settled(whole);
    connection.sendNotification(p.DidCloseTextDocumentNotification.type, { textDocument: { uri: whole.uri } });
    must(JSON.stringify(got) === JSON.stringify(want), `edit ${n}: ${JSON.stringify(got)} but of the whole ${JSON.stringify(want)}`);
    for (const d of got) must(document.offsetAt(d.range.end) >= document.offsetAt(d.range.start), 'a range that ends before it begins');
  }
  connection.sendNotification(p.DidChangeTextDocumentNotification.type, { textDocument: { uri: document.uri, version: 1000 }, contentChanges: [{ range: full(document), text: 'protocol x\norder lsb\npacket {\n a uint8\n}\n' }] });
  must((await settled(document)).length === 0, 'the whole range is not the whole text');

  await connection.sendRequest(p.ShutdownRequest.type);
  const code = new Promise((done) => child.on('exit', done));
  connection.sendNotification(p.ExitNotification.type);
  must((await code) === 0, 'the exit code is not 0');
  console.log(problems.length ? problems.slice(0, 20).join('\n') : `ok: ${asked > 50} ${names > 20}`);
})().catch((e) => { console.log('failed: ' + e + '\n' + problems.join('\n')); child.kill(); process.exitCode = 1; });
