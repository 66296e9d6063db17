// Starts `opatlas lsp` for the files that declare operators.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

// The server leaves files alone that declare no operators, so a backend's file may have any name.
const FILES = [{ scheme: "file", language: "yaml" }];

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("opatlas");
  const release = settings.get("release");
  const server = {
    command: settings.get("path"),
    args: release ? ["lsp", "--release", release] : ["lsp"],
  };
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
  context.subscriptions.push(
    vscode.commands.registerCommand("opatlas.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("opatlas")) {
        return restart();
      }
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
