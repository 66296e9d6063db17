// Starts `opatlas lsp` for the files that declare operators.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

// The server leaves files alone that declare no operators, so a backend's file may have any name.
const FILES = [{ scheme: "file", language: "yaml" }];

let client;
// The folder of the extension. On Windows a program is looked for in the working directory first, and a workspace that is
// not trusted may have an opatlas.exe.
let ownFolder;

function start() {
  const settings = vscode.workspace.getConfiguration("opatlas");
  const release = settings.get("release");
  const shown = ["info", "all"].filter((name) => settings.get(name)).map((name) => `--${name}`);
  const server = {
    command: settings.get("path"),
    args: ["lsp", ...(release ? ["--release", release] : []), ...shown],
  };
  if (!vscode.workspace.isTrusted) {
    server.options = { cwd: ownFolder };
  }
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml}");
  client = new LanguageClient("opatlas", "Opatlas", server, {
    documentSelector: FILES,
    synchronize: { fileEvents: watcher },
  });
  return client.start();
}

async function restart() {
  await client?.stop();
  await start();
}

exports.activate = async (context) => {
  ownFolder = context.extensionPath;
  context.subscriptions.push(
    vscode.commands.registerCommand("opatlas.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("opatlas")) {
        return restart();
      }
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
