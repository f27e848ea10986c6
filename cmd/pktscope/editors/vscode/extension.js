// The client of `pktscope lsp`.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const command = workspace.getConfiguration('pktscope').get('path');
  client = new LanguageClient('pktscope', 'pktscope', { command, args: ['lsp'] }, {
    documentSelector: [{ language: 'pks' }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{pks,json}') },
  });
  return client.start();
};

exports.deactivate = () => client?.stop();
