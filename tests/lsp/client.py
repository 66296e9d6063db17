"""Drives the language server through pygls, a client library: PROGRAM FOLDER."""

import asyncio
import pathlib
import sys

from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

NATIVE = "aten/src/ATen/native/native_functions.yaml"


async def main(program: str, folder: str) -> None:
    client = BaseLanguageClient("test", "1")
    published: asyncio.Queue = asyncio.Queue()
    feature = client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    feature(lambda params: published.put_nowait(params))
    await client.start_io(program, "lsp")
    started = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities())
    )
    assert started.capabilities.position_encoding == types.PositionEncodingKind.Utf16
    client.initialized(types.InitializedParams())
    path = pathlib.Path(folder) / NATIVE
    text = path.read_text().replace("add.Tensor(Tensor self, ", "add.Tensor(Tensor self,", 1)
    item = types.TextDocumentItem(path.as_uri(), "yaml", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    found = await asyncio.wait_for(published.get(), 120)
    errors = [d for d in found.diagnostics if d.severity == types.DiagnosticSeverity.Error]
    assert errors and all(error.source == "opatlas" for error in errors), found
    identifier = types.TextDocumentIdentifier(path.as_uri())
    line = text[: text.index("structured_delegate: add.out")].count("\n")
    place = types.Position(line, 5)
    hover = await client.text_document_hover_async(types.HoverParams(identifier, place))
    assert "structured_delegate" in hover.contents.value, hover
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(identifier)
    )
    assert len(symbols) > 2000, len(symbols)
    tokens = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(identifier)
    )
    assert len(tokens.data) % 5 == 0 and tokens.data
    context = types.CodeActionContext(errors)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(identifier, errors[0].range, context)
    )
    assert any(action.is_preferred for action in actions), actions
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


asyncio.run(main(*sys.argv[1:]))
